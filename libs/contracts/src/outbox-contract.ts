import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { missingEmbeddings } from '@portico/domain';
import type { JobId, JobTask, NewJob, NoticeTask, ProfileId } from '@portico/domain';
import { assertWritten, dueJobs, enqueueJobs } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aJob,
  aMailJob,
  aNotice,
  aProfile,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `Outbox`. */
export const outboxContract = {
  'jobs are due from their due time on': async (stores) => {
    const [due] = await enqueueJobs(stores, aJob({ dueAt: start }), aJob({ dueAt: start + 1 }));
    deepStrictEqual(await dueJobs(stores, start - 1, 9), []);
    deepStrictEqual(await dueJobs(stores, start, 9), [due.id]);
  },

  'due jobs of a kind are returned longest due first, up to the limit': async (stores) => {
    const [third, first, second] = await enqueueJobs(
      stores,
      aJob({ dueAt: start + 3 }),
      aJob({ dueAt: start + 1 }),
      aJob({ dueAt: start + 2 }),
    );
    deepStrictEqual(await dueJobs(stores, start + 3, 9), [first.id, second?.id, third.id]);
    deepStrictEqual(await dueJobs(stores, start + 3, 2), [first.id, second?.id]);
  },

  'due jobs are only those of the requested kind': async (stores) => {
    const profileId = nextId<ProfileId>();
    const kinds = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: null } }),
      aJob(),
    );
    for (const { id, task } of kinds) deepStrictEqual(await stores.outbox.due(task.kind, start, 1), [id]);
  },

  'a job that is leased is not due': async (stores) => {
    const [leased, free] = await enqueueJobs(stores, aJob(), aJob());
    await stores.outbox.claim(leased.id, start, start + 10);
    deepStrictEqual(await dueJobs(stores, start + 9, 9), [free.id]);
  },

  'a job whose lease has expired is due again': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    deepStrictEqual(await dueJobs(stores, start + 10, 9), [job.id]);
  },

  'a claim returns the job as it was written, for every kind': async (stores) => {
    const profileId = nextId<Extract<JobTask, { profileId: unknown }>['profileId']>();
    const jobs = await enqueueJobs(
      stores,
      aJob({ group: 'Gruppe 1' }),
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: null } }),
      aJob({ task: { kind: 'mail.rotation', profileId, sealed: 'c2VhbGVk' } }),
      aNotice(profileId),
    );
    for (const job of jobs) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts: 0 });
    }
  },

  'a job that no longer exists cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.done(job.id);
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

  'a lease can be extended, and shortened': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual(await stores.outbox.extend(job.id, start + 10, start + 20), true);
    deepStrictEqual(await dueJobs(stores, start + 19, 9), []);
    strictEqual(await stores.outbox.claim(job.id, start + 19, start + 30), null);
    strictEqual(await stores.outbox.extend(job.id, start + 20, start + 15), true);
    deepStrictEqual(await dueJobs(stores, start + 15, 9), [job.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 15, start + 30), { ...job, attempts: 0 });
  },

  'a lease is not extended once the job is leased again, free, given up or done': async (stores) => {
    const [reclaimed, free, failed, finished, never] = await enqueueJobs(
      stores,
      aJob(),
      aJob(),
      aJob(),
      aJob(),
      aJob(),
    );
    for (const { id } of [reclaimed, free, failed, finished]) await stores.outbox.claim(id, start, start + 10);
    await stores.outbox.claim(reclaimed.id, start + 10, start + 20);
    await stores.outbox.retry(free.id, start, 'busy');
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await stores.outbox.done(finished.id);
    for (const { id } of [reclaimed, free, failed, finished, never])
      strictEqual(await stores.outbox.extend(id, start + 10, start + 100), false);
    deepStrictEqual((await dueJobs(stores, start + 19, 9)).toSorted(), [free.id, never.id].toSorted());
    deepStrictEqual((await dueJobs(stores, start + 20, 9)).toSorted(), [reclaimed.id, free.id, never.id].toSorted());
  },

  'of concurrent claims of one job, exactly one succeeds': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    const claim = () => stores.outbox.claim(job.id, start, start + 10);
    const claims = await Promise.all(Array.from({ length: 20 }, claim));
    deepStrictEqual(
      claims.filter((claimed) => claimed !== null),
      [{ ...job, attempts: 0 }],
    );
  },

  'a job that is done is removed, and no other': async (stores) => {
    const [done, other] = await enqueueJobs(stores, aJob(), aJob());
    await stores.outbox.claim(done.id, start, start + 10);
    await stores.outbox.done(done.id);
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), [other.id]);
  },

  'finishing, postponing or giving up a job that no longer exists does nothing': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.done(job.id);
    const outcomes = await Promise.allSettled([
      stores.outbox.done(job.id),
      stores.outbox.retry(job.id, start, 'late'),
      stores.outbox.deadLetter(job.id, start, 'late'),
    ]);
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    );
    deepStrictEqual(await stores.outbox.state(endOfTime), { waiting: 0, deadLetters: 0, oldestDueAt: null });
  },

  'a postponed job releases its lease and is due at the given time': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 100);
    await stores.outbox.retry(job.id, start + 10, 'busy');
    strictEqual(await stores.outbox.claim(job.id, start + 9, start + 20), null);
    deepStrictEqual(await dueJobs(stores, start + 9, 9), []);
    deepStrictEqual(await dueJobs(stores, start + 10, 9), [job.id]);
    strictEqual((await stores.outbox.claim(job.id, start + 10, start + 20))?.dueAt, start + 10);
  },

  'each retry counts one attempt': async (stores) => {
    const [job, other] = await enqueueJobs(stores, aJob(), aJob());
    for (const attempts of [0, 1, 2]) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts });
      await stores.outbox.retry(job.id, start, 'busy');
    }
    strictEqual((await stores.outbox.claim(other.id, start, start + 10))?.attempts, 0);
  },

  'a second notice for a profile is not added: the first counts one more request': async (stores) => {
    const [ada, bob] = [nextId<ProfileId>(), nextId<ProfileId>()];
    const [first] = await enqueueJobs(stores, aNotice(ada));
    const [other] = await enqueueJobs(stores, aNotice(bob), aNotice(ada, { dueAt: start + 5 }), aMailJob(ada));
    deepStrictEqual(new Set(await stores.outbox.due('mail.notice', endOfTime, 9)), new Set([first.id, other.id]));
    deepStrictEqual(await stores.outbox.claim(first.id, start, start + 10), {
      ...first,
      task: { ...first.task, requestCount: 2 },
      attempts: 0,
    });
    deepStrictEqual(await stores.outbox.claim(other.id, start, start + 10), { ...other, attempts: 0 });
  },

  'of notices added concurrently for one profile, one is added and counts every request': async (stores) => {
    const ada = nextId<ProfileId>();
    await Promise.all(Array.from({ length: 20 }, () => enqueueJobs(stores, aNotice(ada))));
    const [id, ...more] = await stores.outbox.due('mail.notice', start, 99);
    deepStrictEqual([(await claimNotice(stores, id)).task.requestCount, more], [20, []]);
  },

  'a notice that is leased, postponed or given up also counts one more request': async (stores) => {
    const profiles = [nextId<ProfileId>(), nextId<ProfileId>(), nextId<ProfileId>()] as const;
    const notices = () => [aNotice(profiles[0]), aNotice(profiles[1]), aNotice(profiles[2])] as const;
    const [leased, postponed, failed] = await enqueueJobs(stores, ...notices());
    await stores.outbox.claim(leased.id, start, start + 10);
    await stores.outbox.retry(postponed.id, start + 5, 'busy');
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await enqueueJobs(stores, ...notices());
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [failed.id],
    );
    await stores.deadLetters.requeue(failed.id, start + 10, noEffects);
    deepStrictEqual(await stores.outbox.due('mail.notice', start + 9, 9), [postponed.id]);
    for (const { id } of [leased, postponed, failed])
      strictEqual((await claimNotice(stores, id, start + 10)).task.requestCount, 2);
  },

  'a resting notice continues under its next id, with the requests since its claim, as if it had never failed': async (
    stores,
  ) => {
    const ada = nextId<ProfileId>();
    const [first] = await enqueueJobs(stores, aNotice(ada));
    await stores.outbox.retry(first.id, start, 'busy');
    const claimed = await claimNotice(stores, first.id);
    await enqueueJobs(stores, aNotice(ada));
    const next = { id: nextId<JobId>(), dueAt: start + 300 };
    await stores.outbox.rest(claimed, next);
    deepStrictEqual(await stores.outbox.due('mail.notice', start + 299, 9), []);
    strictEqual(await stores.outbox.claim(next.id, start + 299, start + 400), null);
    deepStrictEqual(await stores.outbox.due('mail.notice', start + 300, 9), [next.id]);
    deepStrictEqual(await stores.outbox.claim(next.id, start + 300, start + 400), { ...first, ...next, attempts: 0 });
  },

  'a resting notice is neither due nor waiting until it is requested': async (stores) => {
    const ada = nextId<ProfileId>();
    const [first] = await enqueueJobs(stores, aNotice(ada));
    const next = { id: nextId<JobId>(), dueAt: start + 300 };
    await stores.outbox.rest(await claimNotice(stores, first.id), next);
    deepStrictEqual(await stores.outbox.due('mail.notice', endOfTime, 9), []);
    strictEqual(await stores.outbox.claim(next.id, endOfTime, endOfTime + 10), null);
    deepStrictEqual(await stores.outbox.state(endOfTime), { waiting: 0, deadLetters: 0, oldestDueAt: null });
    await enqueueJobs(stores, aNotice(ada));
    deepStrictEqual(await stores.outbox.state(endOfTime), { waiting: 1, deadLetters: 0, oldestDueAt: start + 300 });
    deepStrictEqual(await stores.outbox.due('mail.notice', endOfTime, 9), [next.id]);
  },

  'a rest ignores a notice that no longer exists or was given up': async (stores) => {
    const [ada, bob] = [nextId<ProfileId>(), nextId<ProfileId>()];
    const [finished, failed] = await enqueueJobs(stores, aNotice(ada), aNotice(bob));
    const claims = [await claimNotice(stores, finished.id), await claimNotice(stores, failed.id)];
    await stores.outbox.done(finished.id);
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    const before = await stores.deadLetters.list(9);
    for (const claimed of claims) await stores.outbox.rest(claimed, { id: nextId<JobId>(), dueAt: start });
    deepStrictEqual(await stores.deadLetters.list(9), before);
    deepStrictEqual(await stores.outbox.state(endOfTime), { waiting: 0, deadLetters: 1, oldestDueAt: null });
  },

  'a dead letter is never due again and cannot be claimed': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    await stores.outbox.deadLetter(job.id, start, 'no use');
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), []);
    strictEqual(await stores.outbox.claim(job.id, endOfTime, endOfTime + 10), null);
    await stores.outbox.retry(job.id, start, 'late');
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), []);
  },

  'a dead letter stays in the store': async (stores) => {
    const [job] = await enqueueJobs(stores, aMailJob(nextId()), aJob());
    await stores.outbox.deadLetter(job.id, start, 'no use');
    const { waiting, deadLetters } = await stores.outbox.state(start);
    deepStrictEqual([waiting, deadLetters], [1, 1]);
  },

  'giving up a dead letter again changes nothing': async (stores) => {
    const [job] = await enqueueJobs(stores, aJob());
    await stores.outbox.deadLetter(job.id, start, 'no use');
    const before = await stores.deadLetters.list(9);
    await stores.outbox.deadLetter(job.id, start + 1, 'late');
    deepStrictEqual(await stores.deadLetters.list(9), before);
  },

  'the sealed secrets of waiting jobs are listed, including leased and postponed ones, and no others': async (
    stores,
  ) => {
    const profileId = nextId<ProfileId>();
    const [free, leased, postponed, finished, failed] = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aMailJob(profileId),
      aJob(),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
    );
    await stores.outbox.claim(leased.id, start, start + 10);
    await stores.outbox.retry(postponed.id, start + 10, 'busy');
    await stores.outbox.done(finished.id);
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    deepStrictEqual(
      (await stores.outbox.sealed()).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [free, leased, postponed]
        .map(({ id }) => ({ id, sealed: sealedSecret }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  },

  'the jobs of a change are reported once they are durable': async (stores) => {
    const reports: [readonly JobId[], Promise<readonly JobId[]>][] = [];
    stores.outbox.onWritten((jobs) =>
      reports.push([jobs.map(({ id }) => id), stores.outbox.due('embed', endOfTime, 9)]),
    );
    const [one, two, three] = [aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(one, two));
    await stores.embeddingJobs.enqueue(noEffects);
    await stores.embeddingJobs.enqueue(jobsOnly(three));
    deepStrictEqual(
      reports.map(([ids]) => ids),
      [[one.id, two.id], [three.id]],
    );
    deepStrictEqual(await reports[0]?.[1].then((ids) => ids.toSorted()), [one.id, two.id].toSorted());
  },

  'the jobs of a change that fails are not reported': async (stores) => {
    const [before] = await enqueueJobs(stores, aJob());
    const reported: NewJob[] = [];
    stores.outbox.onWritten((jobs) => reported.push(...jobs));
    await rejects(stores.profiles.add(aProfile(), jobsOnly(aJob(), aJob({ id: before.id }))));
    deepStrictEqual(reported, []);
  },

  'only the last callback is called': async (stores) => {
    const [first, last]: NewJob[][] = [[], []];
    stores.outbox.onWritten((jobs) => first?.push(...jobs));
    stores.outbox.onWritten((jobs) => last?.push(...jobs));
    const [job] = await enqueueJobs(stores, aJob());
    deepStrictEqual([first, last?.map(({ id }) => id)], [[], [job.id]]);
  },

  'a resealed job is otherwise unchanged': async (stores) => {
    const [job, other] = await enqueueJobs(stores, aMailJob(nextId()), aMailJob(nextId()));
    await stores.outbox.retry(job.id, start + 5, 'busy');
    await stores.outbox.claim(job.id, start + 5, start + 10);
    strictEqual(await stores.outbox.reseal(job.id, sealedSecret, 'YW5ldw', noEffects), true);
    deepStrictEqual(await dueJobs(stores, start + 9, 9), [other.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 10, start + 20), {
      ...job,
      task: { ...job.task, sealed: 'YW5ldw' },
      dueAt: start + 5,
      attempts: 1,
    });
    deepStrictEqual(await stores.outbox.claim(other.id, start, start + 10), { ...other, attempts: 0 });
  },

  'resealing writes its effects, and none if nothing is resealed': async (stores) => {
    const [job] = await enqueueJobs(stores, aMailJob(nextId()));
    const effects = { ...someEffects(), jobs: [] };
    strictEqual(await stores.outbox.reseal(job.id, 'YW5kZXJz', 'bGF0ZQ', someEffects()), false);
    await assertWritten(stores, jobsOnly(job));
    strictEqual(await stores.outbox.reseal(job.id, sealedSecret, 'YW5ldw', effects), true);
    await assertWritten(stores, jobsOnly(job), effects);
  },

  'a job that no longer exists, was given up or is sealed differently is not resealed': async (stores) => {
    const [finished, failed, changed] = await enqueueJobs(
      stores,
      aMailJob(nextId()),
      aMailJob(nextId()),
      aMailJob(nextId()),
    );
    await stores.outbox.done(finished.id);
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await stores.outbox.reseal(changed.id, sealedSecret, 'YW5ldw', noEffects);
    strictEqual(await stores.outbox.reseal(finished.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(failed.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(failed.id, '', 'bGF0ZQ', noEffects), false);
    strictEqual(await stores.outbox.reseal(changed.id, sealedSecret, 'bGF0ZQ', noEffects), false);
    deepStrictEqual(await stores.outbox.sealed(), [{ id: changed.id, sealed: 'YW5ldw' }]);
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id, secretRemoved }) => ({ id, secretRemoved })),
      [{ id: failed.id, secretRemoved: true }],
    );
  },

  'every job that is not a dead letter is waiting, including leased and postponed ones': async (stores) => {
    const [leased, postponed] = await enqueueJobs(stores, aJob(), aJob(), aJob({ dueAt: endOfTime }));
    await stores.outbox.claim(leased.id, start, start + 10);
    await stores.outbox.retry(postponed.id, start + 10, 'busy');
    strictEqual((await stores.outbox.state(start)).waiting, 3);
  },

  'the state shows since when the longest due job has been due': async (stores) => {
    const [, oldest] = await enqueueJobs(
      stores,
      aJob({ dueAt: start + 5 }),
      aJob({ dueAt: start + 2 }),
      aJob({ dueAt: start + 9 }),
    );
    strictEqual((await stores.outbox.state(start + 5)).oldestDueAt, start + 2);
    await stores.outbox.deadLetter(oldest.id, start, 'no use');
    strictEqual((await stores.outbox.state(start + 5)).oldestDueAt, start + 5);
  },

  'the state shows null if no job is due': async (stores) => {
    deepStrictEqual(await stores.outbox.state(start), { waiting: 0, deadLetters: 0, oldestDueAt: null });
    await enqueueJobs(stores, aJob({ dueAt: start + 1 }));
    deepStrictEqual(await stores.outbox.state(start), { waiting: 1, deadLetters: 0, oldestDueAt: null });
  },

  'jobs are counted by kind as waiting, running, retrying or given up, with the due time of the longest due one':
    async (stores) => {
      deepStrictEqual(await stores.outbox.counts(start), []);
      const embeds = await enqueueJobs(
        stores,
        aJob({ dueAt: start + 900 }),
        aJob({ dueAt: start + 1 }),
        aJob({ dueAt: start + 2 }),
        aJob({ dueAt: start + 3, group: missingEmbeddings }),
        aJob(),
        aJob(),
        aJob(),
      );
      const [, leased, expired, , failed, failedLater, deadLettered] = embeds;
      await stores.outbox.claim(leased.id, start + 5, start + 60);
      await stores.outbox.claim(expired.id, start + 5, start + 10);
      await stores.outbox.retry(failed.id, start + 70, 'busy');
      await stores.outbox.retry(failedLater.id, start + 80, 'busy');
      await stores.outbox.deadLetter(deadLettered.id, start, 'no use');
      await enqueueJobs(stores, aMailJob(nextId()));
      const none = { waiting: 0, running: 0, retrying: 0, nextRetryAt: null, deadLetters: 0, oldestDueAt: null };
      const counts = await stores.outbox.counts(start + 10);
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
          { ...none, kind: 'mail.credentials', waiting: 1, oldestDueAt: start },
        ],
      );
    },

  'a resting notice is not counted': async (stores) => {
    const [notice] = await enqueueJobs(stores, aNotice(nextId<ProfileId>()));
    const claimed = await claimNotice(stores, notice.id);
    await stores.outbox.rest(claimed, { id: nextId<JobId>(), dueAt: start + 300 });
    deepStrictEqual(await stores.outbox.counts(start + 400), []);
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
