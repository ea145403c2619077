import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { missingEmbeddings } from '@portico/domain';
import type { JobId, JobTask, NewJob, NoticeTask, ProfileId } from '@portico/domain';
import { assertWritten, findDueJobs, enqueueJobs } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aJob,
  aMailJob,
  aNoticeJob,
  aProfile,
  endOfTime,
  jobEffectsOf,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';
import { aWebhook, aWebhookJob } from './webhook-records.ts';

/** The contract of `Outbox`. */
export const outboxContract = {
  'jobs are due from their due time on': async (stores) => {
    const [dueJob] = await enqueueJobs(stores, aJob({ dueAt: start }), aJob({ dueAt: start + 1 }));
    deepStrictEqual(await findDueJobs(stores, start - 1, 9), []);
    deepStrictEqual(await findDueJobs(stores, start, 9), [dueJob.id]);
  },

  'due jobs of a kind are returned up to the limit, those that have been due longest first': async (stores) => {
    const [thirdJob, firstJob, secondJob] = await enqueueJobs(
      stores,
      aJob({ dueAt: start + 3 }),
      aJob({ dueAt: start + 1 }),
      aJob({ dueAt: start + 2 }),
    );
    deepStrictEqual(await findDueJobs(stores, start + 3, 9), [firstJob.id, secondJob?.id, thirdJob.id]);
    deepStrictEqual(await findDueJobs(stores, start + 3, 2), [firstJob.id, secondJob?.id]);
  },

  'only due jobs of the requested kind are returned': async (stores) => {
    const profileId = nextId<ProfileId>();
    const jobs = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: null } }),
      aJob(),
    );
    for (const { id, task } of jobs) deepStrictEqual(await stores.outbox.listDue(task.kind, start, 1), [id]);
  },

  'a leased job is not due': async (stores) => {
    const [leasedJob, freeJob] = await enqueueJobs(stores, aJob(), aJob());
    await stores.outbox.claim(leasedJob.id, start, start + 10);
    deepStrictEqual(await findDueJobs(stores, start + 9, 9), [freeJob.id]);
  },

  'a job whose lease has expired is due again': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    deepStrictEqual(await findDueJobs(stores, start + 10, 9), [job.id]);
  },

  'claiming returns a job of any kind exactly as it was written': async (stores) => {
    const profileId = nextId<Extract<JobTask, { profileId: unknown }>['profileId']>();
    const jobs = await enqueueJobs(
      stores,
      aJob({ group: 'Gruppe 1' }),
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: null } }),
      aJob({ task: { kind: 'mail.rotation', profileId, sealed: 'c2VhbGVk' } }),
      aNoticeJob(profileId),
      aWebhookJob(aWebhook()),
    );
    for (const job of jobs) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts: 0 });
    }
  },

  'a job that no longer exists cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.complete(job.id);
    strictEqual(await stores.outbox.claim(job.id, start, start + 10), null);
    strictEqual(await stores.outbox.claim(nextId(), start, start + 10), null);
  },

  'a job that is not due cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob({ dueAt: start + 1 }));
    strictEqual(await stores.outbox.claim(job.id, start, start + 10), null);
    strictEqual((await stores.outbox.claim(job.id, start + 1, start + 10))?.id, job.id);
  },

  'a leased job cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual(await stores.outbox.claim(job.id, start + 9, start + 20), null);
  },

  'a job whose lease has expired can be claimed, and is leased again': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual((await stores.outbox.claim(job.id, start + 10, start + 20))?.id, job.id);
    strictEqual(await stores.outbox.claim(job.id, start + 19, start + 30), null);
  },

  'a lease can be extended and shortened': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual(await stores.outbox.extend(job.id, start + 10, start + 20), true);
    deepStrictEqual(await findDueJobs(stores, start + 19, 9), []);
    strictEqual(await stores.outbox.claim(job.id, start + 19, start + 30), null);
    strictEqual(await stores.outbox.extend(job.id, start + 20, start + 15), true);
    deepStrictEqual(await findDueJobs(stores, start + 15, 9), [job.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 15, start + 30), { ...job, attempts: 0 });
  },

  'a lease cannot be extended once the job is leased again, free, given up or done': async (stores) => {
    const [reclaimedJob, freeJob, failedJob, finishedJob, unclaimedJob] = await enqueueJobs(
      stores,
      aJob(),
      aJob(),
      aJob(),
      aJob(),
      aJob(),
    );
    for (const { id } of [reclaimedJob, freeJob, failedJob, finishedJob])
      await stores.outbox.claim(id, start, start + 10);
    await stores.outbox.claim(reclaimedJob.id, start + 10, start + 20);
    await stores.outbox.retry(freeJob.id, start, 'busy');
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    await stores.outbox.complete(finishedJob.id);
    for (const { id } of [reclaimedJob, freeJob, failedJob, finishedJob, unclaimedJob])
      strictEqual(await stores.outbox.extend(id, start + 10, start + 100), false);
    deepStrictEqual((await findDueJobs(stores, start + 19, 9)).toSorted(), [freeJob.id, unclaimedJob.id].toSorted());
    deepStrictEqual(
      (await findDueJobs(stores, start + 20, 9)).toSorted(),
      [reclaimedJob.id, freeJob.id, unclaimedJob.id].toSorted(),
    );
  },

  'when the same job is claimed concurrently, only one call succeeds': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    const claim = () => stores.outbox.claim(job.id, start, start + 10);
    const claims = await Promise.all(Array.from({ length: 20 }, claim));
    deepStrictEqual(
      claims.filter((claimedJob) => claimedJob !== null),
      [{ ...job, attempts: 0 }],
    );
  },

  'finishing a job removes only that job': async (stores) => {
    const [doneJob, otherJob] = await enqueueJobs(stores, aJob(), aJob());
    await stores.outbox.claim(doneJob.id, start, start + 10);
    await stores.outbox.complete(doneJob.id);
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), [otherJob.id]);
  },

  'finishing, postponing or giving up a job that no longer exists changes nothing': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.complete(job.id);
    const outcomes = await Promise.allSettled([
      stores.outbox.complete(job.id),
      stores.outbox.retry(job.id, start, 'late'),
      stores.outbox.deadLetter(job.id, start, 'late'),
    ]);
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    );
    deepStrictEqual(await stores.outbox.readState(endOfTime), { waiting: 0, deadLetters: 0, oldestDueAt: null });
  },

  'postponing a job releases its lease and makes it due at the given time': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 100);
    await stores.outbox.retry(job.id, start + 10, 'busy');
    strictEqual(await stores.outbox.claim(job.id, start + 9, start + 20), null);
    deepStrictEqual(await findDueJobs(stores, start + 9, 9), []);
    deepStrictEqual(await findDueJobs(stores, start + 10, 9), [job.id]);
    strictEqual((await stores.outbox.claim(job.id, start + 10, start + 20))?.dueAt, start + 10);
  },

  'each retry adds one attempt': async (stores) => {
    const [job, otherJob] = await enqueueJobs(stores, aJob(), aJob());
    for (const attempts of [0, 1, 2]) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts });
      await stores.outbox.retry(job.id, start, 'busy');
    }
    strictEqual((await stores.outbox.claim(otherJob.id, start, start + 10))?.attempts, 0);
  },

  'a second notice for a profile is not added, but increases the request count of the first': async (stores) => {
    const [ada, bob] = [nextId<ProfileId>(), nextId<ProfileId>()];
    const [firstNotice] = await enqueueJobs(stores, aNoticeJob(ada));
    const [otherNotice] = await enqueueJobs(
      stores,
      aNoticeJob(bob),
      aNoticeJob(ada, { dueAt: start + 5 }),
      aMailJob(ada),
    );
    deepStrictEqual(
      new Set(await stores.outbox.listDue('mail.notice', endOfTime, 9)),
      new Set([firstNotice.id, otherNotice.id]),
    );
    deepStrictEqual(await stores.outbox.claim(firstNotice.id, start, start + 10), {
      ...firstNotice,
      task: { ...firstNotice.task, requestCount: 2 },
      attempts: 0,
    });
    deepStrictEqual(await stores.outbox.claim(otherNotice.id, start, start + 10), { ...otherNotice, attempts: 0 });
  },

  'when notices for a profile are added concurrently, only one is added, and it counts every request': async (
    stores,
  ) => {
    const ada = nextId<ProfileId>();
    await Promise.all(Array.from({ length: 20 }, () => enqueueJobs(stores, aNoticeJob(ada))));
    const [id, ...more] = await stores.outbox.listDue('mail.notice', start, 99);
    deepStrictEqual([(await claimNotice(stores, id)).task.requestCount, more], [20, []]);
  },

  'a second notice also increases the request count of a notice that is leased, postponed or given up': async (
    stores,
  ) => {
    const profiles = [nextId<ProfileId>(), nextId<ProfileId>(), nextId<ProfileId>()] as const;
    const createNotices = () => [aNoticeJob(profiles[0]), aNoticeJob(profiles[1]), aNoticeJob(profiles[2])] as const;
    const [leasedNotice, postponedNotice, failedNotice] = await enqueueJobs(stores, ...createNotices());
    await stores.outbox.claim(leasedNotice.id, start, start + 10);
    await stores.outbox.retry(postponedNotice.id, start + 5, 'busy');
    await stores.outbox.deadLetter(failedNotice.id, start, 'no use');
    await enqueueJobs(stores, ...createNotices());
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [failedNotice.id],
    );
    await stores.deadLetters.requeue(failedNotice.id, start + 10, noEffects);
    deepStrictEqual(await stores.outbox.listDue('mail.notice', start + 9, 9), [postponedNotice.id]);
    for (const { id } of [leasedNotice, postponedNotice, failedNotice])
      strictEqual((await claimNotice(stores, id, start + 10)).task.requestCount, 2);
  },

  'a resting notice continues under its next id with the requests since it was claimed, as if it had never failed':
    async (stores) => {
      const ada = nextId<ProfileId>();
      const [firstNotice] = await enqueueJobs(stores, aNoticeJob(ada));
      await stores.outbox.retry(firstNotice.id, start, 'busy');
      const claimedNotice = await claimNotice(stores, firstNotice.id);
      await enqueueJobs(stores, aNoticeJob(ada));
      const next = { id: nextId<JobId>(), dueAt: start + 300 };
      await stores.outbox.restNotice(claimedNotice, next);
      deepStrictEqual(await stores.outbox.listDue('mail.notice', start + 299, 9), []);
      strictEqual(await stores.outbox.claim(next.id, start + 299, start + 400), null);
      deepStrictEqual(await stores.outbox.listDue('mail.notice', start + 300, 9), [next.id]);
      deepStrictEqual(await stores.outbox.claim(next.id, start + 300, start + 400), {
        ...firstNotice,
        ...next,
        attempts: 0,
      });
    },

  'a resting notice is neither due nor waiting until it is requested': async (stores) => {
    const ada = nextId<ProfileId>();
    const [firstNotice] = await enqueueJobs(stores, aNoticeJob(ada));
    const next = { id: nextId<JobId>(), dueAt: start + 300 };
    await stores.outbox.restNotice(await claimNotice(stores, firstNotice.id), next);
    deepStrictEqual(await stores.outbox.listDue('mail.notice', endOfTime, 9), []);
    strictEqual(await stores.outbox.claim(next.id, endOfTime, endOfTime + 10), null);
    deepStrictEqual(await stores.outbox.readState(endOfTime), { waiting: 0, deadLetters: 0, oldestDueAt: null });
    await enqueueJobs(stores, aNoticeJob(ada));
    deepStrictEqual(await stores.outbox.readState(endOfTime), { waiting: 1, deadLetters: 0, oldestDueAt: start + 300 });
    deepStrictEqual(await stores.outbox.listDue('mail.notice', endOfTime, 9), [next.id]);
  },

  'resting ignores a notice that no longer exists or was given up': async (stores) => {
    const [ada, bob] = [nextId<ProfileId>(), nextId<ProfileId>()];
    const [finishedNotice, failedNotice] = await enqueueJobs(stores, aNoticeJob(ada), aNoticeJob(bob));
    const claimedNotices = [await claimNotice(stores, finishedNotice.id), await claimNotice(stores, failedNotice.id)];
    await stores.outbox.complete(finishedNotice.id);
    await stores.outbox.deadLetter(failedNotice.id, start, 'no use');
    const before = await stores.deadLetters.list(9);
    for (const claimedNotice of claimedNotices)
      await stores.outbox.restNotice(claimedNotice, { id: nextId<JobId>(), dueAt: start });
    deepStrictEqual(await stores.deadLetters.list(9), before);
    deepStrictEqual(await stores.outbox.readState(endOfTime), { waiting: 0, deadLetters: 1, oldestDueAt: null });
  },

  'a dead letter is never due again and cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    await stores.outbox.deadLetter(job.id, start, 'no use');
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), []);
    strictEqual(await stores.outbox.claim(job.id, endOfTime, endOfTime + 10), null);
    await stores.outbox.retry(job.id, start, 'late');
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), []);
  },

  'a dead letter is kept in the store': async (stores) => {
    const [job] = await enqueueJobs(stores, aMailJob(nextId()), aJob());
    await stores.outbox.deadLetter(job.id, start, 'no use');
    const { waiting, deadLetters } = await stores.outbox.readState(start);
    deepStrictEqual([waiting, deadLetters], [1, 1]);
  },

  'giving up a dead letter again changes nothing': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.deadLetter(job.id, start, 'no use');
    const before = await stores.deadLetters.list(9);
    await stores.outbox.deadLetter(job.id, start + 1, 'late');
    deepStrictEqual(await stores.deadLetters.list(9), before);
  },

  'only the sealed secrets of waiting jobs are listed, including leased and postponed ones': async (stores) => {
    const profileId = nextId<ProfileId>();
    const [freeJob, leasedJob, postponedJob, finishedJob, failedJob] = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aJob(),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
    );
    await stores.outbox.claim(leasedJob.id, start, start + 10);
    await stores.outbox.retry(postponedJob.id, start + 10, 'busy');
    await stores.outbox.complete(finishedJob.id);
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    deepStrictEqual(
      (await stores.outbox.listSealed()).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [freeJob, leasedJob, postponedJob]
        .map(({ id }) => ({ id, sealed: sealedSecret }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  },

  'the jobs of a change are reported once they are durable': async (stores) => {
    const reports: [readonly JobId[], Promise<readonly JobId[]>][] = [];
    stores.outbox.onWritten((jobs) =>
      reports.push([jobs.map(({ id }) => id), stores.outbox.listDue('embed', endOfTime, 9)]),
    );
    const [firstJob, secondJob, thirdJob] = [aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobEffectsOf(firstJob, secondJob));
    await stores.embeddingJobs.enqueue(noEffects);
    await stores.embeddingJobs.enqueue(jobEffectsOf(thirdJob));
    deepStrictEqual(
      reports.map(([ids]) => ids),
      [[firstJob.id, secondJob.id], [thirdJob.id]],
    );
    deepStrictEqual(await reports[0]?.[1].then((ids) => ids.toSorted()), [firstJob.id, secondJob.id].toSorted());
  },

  'the jobs of a change that fails are not reported': async (stores) => {
    const [existingJob] = await enqueueJobs(stores, aJob());
    const reportedJobs: NewJob[] = [];
    stores.outbox.onWritten((jobs) => reportedJobs.push(...jobs));
    await rejects(stores.profiles.add(aProfile(), jobEffectsOf(aJob(), aJob({ id: existingJob.id }))));
    deepStrictEqual(reportedJobs, []);
  },

  'only the last callback is called': async (stores) => {
    const [firstReports, lastReports]: NewJob[][] = [[], []];
    stores.outbox.onWritten((jobs) => firstReports?.push(...jobs));
    stores.outbox.onWritten((jobs) => lastReports?.push(...jobs));
    const [job] = await enqueueJobs(stores, aJob());
    deepStrictEqual([firstReports, lastReports?.map(({ id }) => id)], [[], [job.id]]);
  },

  'resealing a job changes nothing else': async (stores) => {
    const [job, otherJob] = await enqueueJobs(stores, aMailJob(nextId()), aMailJob(nextId()));
    await stores.outbox.retry(job.id, start + 5, 'busy');
    await stores.outbox.claim(job.id, start + 5, start + 10);
    strictEqual(await stores.outbox.reseal(job.id, sealedSecret, 'YW5ldw', noEffects), true);
    deepStrictEqual(await findDueJobs(stores, start + 9, 9), [otherJob.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 10, start + 20), {
      ...job,
      task: { ...job.task, sealed: 'YW5ldw' },
      dueAt: start + 5,
      attempts: 1,
    });
    deepStrictEqual(await stores.outbox.claim(otherJob.id, start, start + 10), { ...otherJob, attempts: 0 });
  },

  'resealing writes its effects, unless nothing is resealed': async (stores) => {
    const [job] = await enqueueJobs(stores, aMailJob(nextId()));
    const effects = { ...someEffects(), jobs: [] };
    strictEqual(await stores.outbox.reseal(job.id, 'YW5kZXJz', 'bGF0ZQ', someEffects()), false);
    await assertWritten(stores, jobEffectsOf(job));
    strictEqual(await stores.outbox.reseal(job.id, sealedSecret, 'YW5ldw', effects), true);
    await assertWritten(stores, jobEffectsOf(job), effects);
  },

  'a job that no longer exists, was given up or is sealed differently is not resealed': async (stores) => {
    const [finishedJob, failedJob, changedJob] = await enqueueJobs(
      stores,
      aMailJob(nextId()),
      aMailJob(nextId()),
      aMailJob(nextId()),
    );
    await stores.outbox.complete(finishedJob.id);
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    await stores.outbox.reseal(changedJob.id, sealedSecret, 'YW5ldw', noEffects);
    strictEqual(await stores.outbox.reseal(finishedJob.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(failedJob.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(failedJob.id, '', 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(changedJob.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    deepStrictEqual(await stores.outbox.listSealed(), [{ id: changedJob.id, sealed: 'YW5ldw' }]);
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id, secretRemoved }) => ({ id, secretRemoved })),
      [{ id: failedJob.id, secretRemoved: true }],
    );
  },

  'every job that is not a dead letter is waiting, including leased and postponed ones': async (stores) => {
    const [leasedJob, postponedJob] = await enqueueJobs(stores, aJob(), aJob(), aJob({ dueAt: endOfTime }));
    await stores.outbox.claim(leasedJob.id, start, start + 10);
    await stores.outbox.retry(postponedJob.id, start + 10, 'busy');
    strictEqual((await stores.outbox.readState(start)).waiting, 3);
  },

  'the state shows when the job that has been due longest became due': async (stores) => {
    const [, oldestJob] = await enqueueJobs(
      stores,
      aJob({ dueAt: start + 5 }),
      aJob({ dueAt: start + 2 }),
      aJob({ dueAt: start + 9 }),
    );
    strictEqual((await stores.outbox.readState(start + 5)).oldestDueAt, start + 2);
    await stores.outbox.deadLetter(oldestJob.id, start, 'no use');
    strictEqual((await stores.outbox.readState(start + 5)).oldestDueAt, start + 5);
  },

  'the state shows null if no job is due': async (stores) => {
    deepStrictEqual(await stores.outbox.readState(start), { waiting: 0, deadLetters: 0, oldestDueAt: null });
    await enqueueJobs(stores, aJob({ dueAt: start + 1 }));
    deepStrictEqual(await stores.outbox.readState(start), { waiting: 1, deadLetters: 0, oldestDueAt: null });
  },

  'jobs are counted by kind as waiting, running, retrying or given up, with the earliest due time': async (stores) => {
    deepStrictEqual(await stores.outbox.countByKind(start), []);
    const embedJobs = await enqueueJobs(
      stores,
      aJob({ dueAt: start + 900 }),
      aJob({ dueAt: start + 1 }),
      aJob({ dueAt: start + 2 }),
      aJob({ dueAt: start + 3, group: missingEmbeddings }),
      aJob(),
      aJob(),
      aJob(),
    );
    const [, leasedJob, expiredJob, , failedJob, laterFailedJob, deadJob] = embedJobs;
    await stores.outbox.claim(leasedJob.id, start + 5, start + 60);
    await stores.outbox.claim(expiredJob.id, start + 5, start + 10);
    await stores.outbox.retry(failedJob.id, start + 70, 'busy');
    await stores.outbox.retry(laterFailedJob.id, start + 80, 'busy');
    await stores.outbox.deadLetter(deadJob.id, start, 'no use');
    await enqueueJobs(stores, aMailJob(nextId()));
    const noCounts = { waiting: 0, running: 0, retrying: 0, nextRetryAt: null, deadLetters: 0, oldestDueAt: null };
    const counts = await stores.outbox.countByKind(start + 10);
    deepStrictEqual(
      counts.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
      [
        {
          kind: aJob().task.kind,
          waiting: 3,
          running: 1,
          retrying: 2,
          nextRetryAt: start + 70,
          deadLetters: 1,
          oldestDueAt: start + 1,
        },
        { ...noCounts, kind: 'mail.credentials', waiting: 1, oldestDueAt: start },
      ],
    );
  },

  'a resting notice is not counted': async (stores) => {
    const [notice] = await enqueueJobs(stores, aNoticeJob(nextId<ProfileId>()));
    const claimedNotice = await claimNotice(stores, notice.id);
    await stores.outbox.restNotice(claimedNotice, { id: nextId<JobId>(), dueAt: start + 300 });
    deepStrictEqual(await stores.outbox.countByKind(start + 400), []);
  },
} satisfies Contract<Stores>;

/** The sealed secret of `aMailJob`. */
const sealedSecret = 'c2VhbGVk';

/** Claims the notice with this id for 10 ms. */
const claimNotice = async ({ outbox }: Stores, id: JobId | undefined, now = start) => {
  const job = id && (await outbox.claim(id, now, now + 10));
  ok(job && job.task.kind === 'mail.notice', 'the notice cannot be claimed');
  const task: NoticeTask = job.task;
  return { ...job, task };
};
