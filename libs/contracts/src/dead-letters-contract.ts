import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { CollectionId, DeadLetter, DeadLetterCursor, JobId, NewJob, ProfileId } from '@portico/domain';
import { assertRejects, assertWritten, findDueJobs, failDecision, enqueueJobs } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
  aJob,
  aMailJob,
  aProfile,
  endOfTime,
  jobEffectsOf,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `DeadLetters`. */
export const deadLettersContract = {
  'a dead letter has a purpose, a number of attempts, an error and a time, but no secret': async (stores) => {
    const [profileId, collectionId] = [nextId<ProfileId>(), nextId<CollectionId>()];
    const [mailJob, noticeJob, embedJob] = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
      aJob({ task: { kind: 'embed', collectionId }, group: 'Gruppe 1' }),
    );
    await stores.outbox.retry(mailJob.id, start, 'busy');
    await stores.outbox.deadLetter(mailJob.id, start + 3, 'kein Postfach „Ada“');
    await stores.outbox.deadLetter(noticeJob.id, start + 2, 'no use');
    await stores.outbox.deadLetter(embedJob.id, start + 1, 'too long');
    const noSubject = { profileId: null, profileEmail: null, collectionId: null, collectionName: null };
    const defaults = { ...noSubject, attempts: 1, secretRemoved: false };
    deepStrictEqual(await stores.deadLetters.list(9), [
      {
        ...defaults,
        id: mailJob.id,
        kind: 'mail.credentials',
        profileId,
        attempts: 2,
        error: 'kein Postfach „Ada“',
        since: start + 3,
        secretRemoved: true,
      },
      { ...defaults, id: noticeJob.id, kind: 'mail.rejection', profileId, error: 'no use', since: start + 2 },
      { ...defaults, id: embedJob.id, kind: 'embed', collectionId, error: 'too long', since: start + 1 },
    ]);
  },

  'a dead letter names its profile or its collection unless it was removed': async (stores) => {
    const [ada, weather] = [aProfile(), aCollection({ name: 'Wetter „Süd“' })];
    await stores.profiles.add(ada, noEffects);
    await stores.collections.add(weather, aDocumentContent(), noEffects);
    const [orphanJob, embedJob, mailJob] = await deadLetterJobs(
      stores,
      aJob({ task: { kind: 'embed', collectionId: nextId<CollectionId>() } }),
      aJob({ task: { kind: 'embed', collectionId: weather.id } }),
      aJob({ task: { kind: 'mail.resumption', profileId: ada.id } }),
    );
    const subjects = (await stores.deadLetters.list(9)).map(({ id, profileEmail, collectionName }) => [
      id,
      [profileEmail, collectionName],
    ]);
    deepStrictEqual(
      new Map(subjects as [string, unknown][]),
      new Map<string, unknown>([
        [mailJob?.id ?? '', [ada.email, null]],
        [embedJob?.id ?? '', [null, weather.name]],
        [orphanJob.id, [null, null]],
      ]),
    );
  },

  'dead letters are listed page by page, and each page starts after the last dead letter of the previous page': async (
    stores,
  ) => {
    const jobs = await enqueueJobs(stores, aJob(), aJob(), aJob(), aJob(), aJob());
    // Three dead letters have the same time and are ordered by id.
    for (const [index, { id }] of jobs.entries())
      await stores.outbox.deadLetter(id, start + Math.min(index, 2), 'no use');
    const allIds = (await stores.deadLetters.list(9)).map(({ id }) => id);
    strictEqual(allIds.length, 5);
    const ids: string[] = [];
    for (let after: DeadLetterCursor | null = null; ids.length < 6;) {
      const page: readonly DeadLetter[] = await stores.deadLetters.list(2, after);
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    deepStrictEqual(ids, allIds);
  },

  'dead letters are listed newest first, up to the limit': async (stores) => {
    const [second, first, third] = await enqueueJobs(stores, aJob(), aJob(), aJob());
    await stores.outbox.deadLetter(second.id, start + 2, 'no use');
    await stores.outbox.deadLetter(first.id, start + 3, 'no use');
    await stores.outbox.deadLetter(third.id, start + 1, 'no use');
    const listIds = async (limit: number) => (await stores.deadLetters.list(limit)).map(({ id }) => id);
    deepStrictEqual(await listIds(9), [first.id, second.id, third.id]);
    deepStrictEqual(await listIds(2), [first.id, second.id]);
  },

  'a waiting, leased or postponed job is not listed as a dead letter': async (stores) => {
    const [leasedJob, postponedJob] = await enqueueJobs(stores, aJob(), aJob(), aJob());
    await stores.outbox.claim(leasedJob.id, start, start + 10);
    await stores.outbox.retry(postponedJob.id, start + 10, 'busy');
    deepStrictEqual(await stores.deadLetters.list(9), []);
  },

  'a requeued job is due immediately as if it had never failed, and other jobs are not changed': async (stores) => {
    const [job, otherJob] = await deadLetterJobs(stores, aJob({ group: 'Gruppe 1' }), aJob());
    strictEqual(await stores.deadLetters.requeue(job.id, start + 7, noEffects), 'requeued');
    deepStrictEqual(await findDueJobs(stores, start + 6, 9), []);
    deepStrictEqual(await findDueJobs(stores, start + 7, 9), [job.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 7, start + 17), {
      ...job,
      dueAt: start + 7,
      attempts: 0,
    });
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [otherJob.id],
    );
  },

  'requeueing ignores a job that does not exist or is not a dead letter': async (stores) => {
    const [finishedJob, laterJob, leasedJob, mailJob] = await enqueueJobs(
      stores,
      aJob(),
      aJob({ dueAt: start + 9 }),
      aJob(),
      aMailJob(nextId()),
    );
    await stores.outbox.complete(finishedJob.id);
    for (const { id } of [leasedJob, mailJob]) await stores.outbox.claim(id, start, start + 10);
    for (const { id } of [finishedJob, laterJob, leasedJob, mailJob]) {
      strictEqual(await stores.deadLetters.requeue(id, start + 1, noEffects), 'no dead letter');
    }
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 0);
    deepStrictEqual(await findDueJobs(stores, start + 8, 9), []);
  },

  'requeueing ignores a job whose secret was removed': async (stores) => {
    const [mailJob] = await deadLetterJobs(stores, aMailJob(nextId()));
    const before = await stores.deadLetters.list(9);
    strictEqual(await stores.deadLetters.requeue(mailJob.id, start + 1, noEffects), 'secret removed');
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 0);
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), []);
    deepStrictEqual(await stores.deadLetters.list(9), before);
  },

  'requeueing several jobs returns the outcome of each, and passes the requeued ones to the decision': async (
    stores,
  ) => {
    const [embedJob, mailJob, otherJob, untouchedJob] = await deadLetterJobs(
      stores,
      aJob(),
      aMailJob(nextId()),
      aJob(),
      aJob(),
    );
    const unknownId = nextId<JobId>();
    const decidedIds: (readonly JobId[])[] = [];
    const effects = someEffects();
    const requeue = (...ids: readonly (JobId | undefined)[]) =>
      stores.deadLetters.requeueEach(new Set(ids.flatMap((id) => id ?? [])), start + 1, (requeuedIds) => {
        decidedIds.push(requeuedIds);
        return effects;
      });
    deepStrictEqual(
      await requeue(mailJob?.id, unknownId),
      new Map<unknown, string>([
        [mailJob?.id, 'secret removed'],
        [unknownId, 'no dead letter'],
      ]),
    );
    deepStrictEqual(decidedIds, []);
    deepStrictEqual(
      await requeue(otherJob?.id, mailJob?.id, embedJob.id),
      new Map<unknown, string>([
        [otherJob?.id, 'requeued'],
        [mailJob?.id, 'secret removed'],
        [embedJob.id, 'requeued'],
      ]),
    );
    deepStrictEqual(decidedIds, [[otherJob?.id, embedJob.id]]);
    deepStrictEqual(
      new Set((await stores.deadLetters.list(9)).map(({ id }) => id)),
      new Set([mailJob?.id, untouchedJob?.id]),
    );
    deepStrictEqual(
      new Set(await findDueJobs(stores, start + 1, 9)),
      new Set([embedJob.id, otherJob?.id, ...(effects.jobs ?? []).map(({ id }) => id)]),
    );
  },

  'requeueing several jobs rethrows an error from the decision and requeues none': async (stores) => {
    const jobs = await deadLetterJobs(stores, aJob(), aJob());
    const ids = new Set(jobs.map(({ id }) => id));
    await assertRejects(stores.deadLetters.requeueEach(ids, start, failDecision), 'already_approved');
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), []);
  },

  'when the same job is requeued concurrently, only one call succeeds': async (stores) => {
    const [job] = await deadLetterJobs(stores, aJob());
    const requeue = () => stores.deadLetters.requeue(job.id, start + 1, noEffects);
    const outcomes = await Promise.all(Array.from({ length: 20 }, requeue));
    strictEqual(outcomes.filter((outcome) => outcome === 'requeued').length, 1);
  },

  'requeueing all requeues every job that can still be done, and returns the number of these jobs': async (stores) => {
    const jobs = await deadLetterJobs(stores, aJob(), aJob(), aMailJob(nextId()));
    await enqueueJobs(stores, aJob({ dueAt: start + 9 }));
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 2);
    deepStrictEqual((await findDueJobs(stores, start + 1, 9)).toSorted(), [jobs[0].id, jobs[1]?.id]);
    strictEqual((await stores.outbox.claim(jobs[0].id, start + 1, start + 11))?.attempts, 0);
  },

  'a requeued job of a re-index counts as waiting again, not as failed': async (stores) => {
    const job = aJob({ group: 'r1' });
    const run = { id: 'r1', total: 1, startedAt: start };
    await stores.embeddingJobs.startRun(() => ({ run, ...jobEffectsOf(job) }));
    await stores.outbox.deadLetter(job.id, start, 'no use');
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...run, waiting: 0, failed: 1 });
    await stores.deadLetters.requeue(job.id, start + 1, noEffects);
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...run, waiting: 1, failed: 0 });
  },

  'only a dead letter can be discarded': async (stores) => {
    const [job, mailJob, untouchedJob] = await deadLetterJobs(stores, aJob(), aMailJob(nextId()), aJob());
    const [pendingJob] = await enqueueJobs(stores, aJob());
    strictEqual(await stores.deadLetters.discard(job.id, noEffects), true);
    strictEqual(await stores.deadLetters.discard(mailJob.id, noEffects), true);
    strictEqual(await stores.deadLetters.discard(job.id, noEffects), false);
    strictEqual(await stores.deadLetters.discard(pendingJob.id, noEffects), false);
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [untouchedJob?.id],
    );
    deepStrictEqual(await findDueJobs(stores, start, 9), [pendingJob.id]);
  },

  'requeueing a dead letter writes its effects, unless the job is ignored': async (stores) => {
    const [job, mailJob] = await deadLetterJobs(stores, aJob(), aMailJob(nextId()));
    await stores.deadLetters.requeue(nextId(), start, someEffects());
    await stores.deadLetters.requeue(mailJob.id, start, someEffects());
    await assertWritten(stores);
    const effects = someEffects();
    await stores.deadLetters.requeue(job.id, start, effects);
    await assertWritten(stores, effects, jobEffectsOf(job));
  },

  'requeueing all passes the number of jobs to the decision, and does not call it if there are none': async (
    stores,
  ) => {
    await deadLetterJobs(stores, aMailJob(nextId()));
    const counts: number[] = [];
    const effects = someEffects();
    const decide = (count: number) => {
      counts.push(count);
      return effects;
    };
    strictEqual(await stores.deadLetters.requeueAll(start, decide), 0);
    await assertWritten(stores);
    const jobs = await deadLetterJobs(stores, aJob(), aJob());
    strictEqual(await stores.deadLetters.requeueAll(start, decide), 2);
    deepStrictEqual(counts, [2]);
    await assertWritten(stores, effects, jobEffectsOf(...jobs));
  },

  'requeueing all rethrows an error from the decision and requeues none': async (stores) => {
    await deadLetterJobs(stores, aJob());
    await assertRejects(stores.deadLetters.requeueAll(start, failDecision), 'already_approved');
    deepStrictEqual(await findDueJobs(stores, endOfTime, 9), []);
  },

  'discarding writes its effects, unless there is no dead letter': async (stores) => {
    const [job] = await deadLetterJobs(stores, aJob());
    const [pendingJob] = await enqueueJobs(stores, aJob());
    await stores.deadLetters.discard(pendingJob.id, someEffects());
    await assertWritten(stores, jobEffectsOf(pendingJob));
    const effects = someEffects();
    await stores.deadLetters.discard(job.id, effects);
    await stores.deadLetters.discard(job.id, someEffects());
    await assertWritten(stores, effects, jobEffectsOf(pendingJob));
  },
} satisfies Contract<Stores>;

/** Enqueues the jobs and turns them into dead letters. */
const deadLetterJobs = async <Jobs extends readonly [NewJob, ...NewJob[]]>(
  stores: Stores,
  ...jobs: Jobs
): Promise<Jobs> => {
  await enqueueJobs(stores, ...jobs);
  for (const { id } of jobs) await stores.outbox.deadLetter(id, start, 'no use');
  return jobs;
};
