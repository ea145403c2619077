import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { CollectionId, DeadLetter, DeadLetterCursor, JobId, NewJob, ProfileId } from '@portico/domain';
import { assertRejects, assertWritten, dueJobs, failDecision, enqueueJobs } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aContent,
  aJob,
  aMailJob,
  aProfile,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `DeadLetters`. */
export const deadLettersContract = {
  'a dead letter has its purpose, its attempts, its error and its time, but no secret': async (stores) => {
    const [profileId, collectionId] = [nextId<ProfileId>(), nextId<CollectionId>()];
    const [mail, notice, embed] = await enqueueJobs(
      stores,
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
      aJob({ task: { kind: 'embed', collectionId }, group: 'Gruppe 1' }),
    );
    await stores.outbox.retry(mail.id, start, 'busy');
    await stores.outbox.deadLetter(mail.id, start + 3, 'kein Postfach „Ada“');
    await stores.outbox.deadLetter(notice.id, start + 2, 'no use');
    await stores.outbox.deadLetter(embed.id, start + 1, 'too long');
    const noSubject = { profileId: null, profileEmail: null, collectionId: null, collectionName: null };
    const defaults = { ...noSubject, attempts: 1, secretRemoved: false };
    deepStrictEqual(await stores.deadLetters.list(9), [
      {
        ...defaults,
        id: mail.id,
        kind: 'mail.credentials',
        profileId,
        attempts: 2,
        error: 'kein Postfach „Ada“',
        since: start + 3,
        secretRemoved: true,
      },
      { ...defaults, id: notice.id, kind: 'mail.rejection', profileId, error: 'no use', since: start + 2 },
      { ...defaults, id: embed.id, kind: 'embed', collectionId, error: 'too long', since: start + 1 },
    ]);
  },

  'a dead letter names the profile or the collection that it is about, unless that was removed': async (stores) => {
    const [ada, weather] = [aProfile(), aCollection({ name: 'Wetter „Süd“' })];
    await stores.profiles.add(ada, noEffects);
    await stores.collections.add(weather, aContent(), noEffects);
    const [orphan, embed, mail] = await deadLetterJobs(
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
        [mail?.id ?? '', [ada.email, null]],
        [embed?.id ?? '', [null, weather.name]],
        [orphan.id, [null, null]],
      ]),
    );
  },

  'dead letters are listed page by page, each page after the last dead letter of the previous one': async (stores) => {
    const jobs = await enqueueJobs(stores, aJob(), aJob(), aJob(), aJob(), aJob());
    // Three dead letters have the same time and are ordered by id.
    for (const [at, { id }] of jobs.entries()) await stores.outbox.deadLetter(id, start + Math.min(at, 2), 'no use');
    const all = (await stores.deadLetters.list(9)).map(({ id }) => id);
    strictEqual(all.length, 5);
    const ids: string[] = [];
    for (let after: DeadLetterCursor | null = null; ids.length < 6;) {
      const page: readonly DeadLetter[] = await stores.deadLetters.list(2, after);
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    deepStrictEqual(ids, all);
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
    const [leased, postponed] = await enqueueJobs(stores, aJob(), aJob(), aJob());
    await stores.outbox.claim(leased.id, start, start + 10);
    await stores.outbox.retry(postponed.id, start + 10, 'busy');
    deepStrictEqual(await stores.deadLetters.list(9), []);
  },

  'a requeued job is due immediately, as if it had never failed, and no other job is': async (stores) => {
    const [job, other] = await deadLetterJobs(stores, aJob({ group: 'Gruppe 1' }), aJob());
    strictEqual(await stores.deadLetters.requeue(job.id, start + 7, noEffects), 'requeued');
    deepStrictEqual(await dueJobs(stores, start + 6, 9), []);
    deepStrictEqual(await dueJobs(stores, start + 7, 9), [job.id]);
    deepStrictEqual(await stores.outbox.claim(job.id, start + 7, start + 17), {
      ...job,
      dueAt: start + 7,
      attempts: 0,
    });
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [other.id],
    );
  },

  'a requeue ignores a job that does not exist or is not a dead letter': async (stores) => {
    const [finished, later, leased, mail] = await enqueueJobs(
      stores,
      aJob(),
      aJob({ dueAt: start + 9 }),
      aJob(),
      aMailJob(nextId()),
    );
    await stores.outbox.done(finished.id);
    for (const { id } of [leased, mail]) await stores.outbox.claim(id, start, start + 10);
    for (const { id } of [finished, later, leased, mail]) {
      strictEqual(await stores.deadLetters.requeue(id, start + 1, noEffects), 'no dead letter');
    }
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 0);
    deepStrictEqual(await dueJobs(stores, start + 8, 9), []);
  },

  'a requeue ignores a job whose secret was removed': async (stores) => {
    const [mail] = await deadLetterJobs(stores, aMailJob(nextId()));
    const before = await stores.deadLetters.list(9);
    strictEqual(await stores.deadLetters.requeue(mail.id, start + 1, noEffects), 'secret removed');
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 0);
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), []);
    deepStrictEqual(await stores.deadLetters.list(9), before);
  },

  'a requeue of several returns the outcome of each, and decides on the requeued ones': async (stores) => {
    const [embed, mail, other, untouched] = await deadLetterJobs(stores, aJob(), aMailJob(nextId()), aJob(), aJob());
    const unknown = nextId<JobId>();
    const decided: (readonly JobId[])[] = [];
    const effects = someEffects();
    const requeue = (...ids: readonly (JobId | undefined)[]) =>
      stores.deadLetters.requeueEach(new Set(ids.flatMap((id) => id ?? [])), start + 1, (requeued) => {
        decided.push(requeued);
        return effects;
      });
    deepStrictEqual(
      await requeue(mail?.id, unknown),
      new Map<unknown, string>([
        [mail?.id, 'secret removed'],
        [unknown, 'no dead letter'],
      ]),
    );
    deepStrictEqual(decided, []);
    deepStrictEqual(
      await requeue(other?.id, mail?.id, embed.id),
      new Map<unknown, string>([
        [other?.id, 'requeued'],
        [mail?.id, 'secret removed'],
        [embed.id, 'requeued'],
      ]),
    );
    deepStrictEqual(decided, [[other?.id, embed.id]]);
    deepStrictEqual(
      new Set((await stores.deadLetters.list(9)).map(({ id }) => id)),
      new Set([mail?.id, untouched?.id]),
    );
    deepStrictEqual(
      new Set(await dueJobs(stores, start + 1, 9)),
      new Set([embed.id, other?.id, ...(effects.jobs ?? []).map(({ id }) => id)]),
    );
  },

  'a requeue of several rethrows an error from the decision and requeues none': async (stores) => {
    const jobs = await deadLetterJobs(stores, aJob(), aJob());
    const ids = new Set(jobs.map(({ id }) => id));
    await assertRejects(stores.deadLetters.requeueEach(ids, start, failDecision), 'already_approved');
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), []);
  },

  'of concurrent requeues of one job, exactly one succeeds': async (stores) => {
    const [job] = await deadLetterJobs(stores, aJob());
    const requeue = () => stores.deadLetters.requeue(job.id, start + 1, noEffects);
    const outcomes = await Promise.all(Array.from({ length: 20 }, requeue));
    strictEqual(outcomes.filter((outcome) => outcome === 'requeued').length, 1);
  },

  'a requeue of all requeues every job that can still be done, and returns their number': async (stores) => {
    const jobs = await deadLetterJobs(stores, aJob(), aJob(), aMailJob(nextId()));
    await enqueueJobs(stores, aJob({ dueAt: start + 9 }));
    strictEqual(await stores.deadLetters.requeueAll(start + 1, () => noEffects), 2);
    deepStrictEqual((await dueJobs(stores, start + 1, 9)).toSorted(), [jobs[0].id, jobs[1]?.id]);
    strictEqual((await stores.outbox.claim(jobs[0].id, start + 1, start + 11))?.attempts, 0);
  },

  'a requeued job of a re-index is waiting again and no longer counts as failed': async (stores) => {
    const job = aJob({ group: 'r1' });
    const run = { id: 'r1', total: 1, startedAt: start };
    await stores.embeddingJobs.startRun(() => ({ run, ...jobsOnly(job) }));
    await stores.outbox.deadLetter(job.id, start, 'no use');
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...run, waiting: 0, failed: 1 });
    await stores.deadLetters.requeue(job.id, start + 1, noEffects);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...run, waiting: 1, failed: 0 });
  },

  'only a dead letter can be discarded': async (stores) => {
    const [job, mail, untouched] = await deadLetterJobs(stores, aJob(), aMailJob(nextId()), aJob());
    const [pending] = await enqueueJobs(stores, aJob());
    strictEqual(await stores.deadLetters.discard(job.id, noEffects), true);
    strictEqual(await stores.deadLetters.discard(mail.id, noEffects), true);
    strictEqual(await stores.deadLetters.discard(job.id, noEffects), false);
    strictEqual(await stores.deadLetters.discard(pending.id, noEffects), false);
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id }) => id),
      [untouched?.id],
    );
    deepStrictEqual(await dueJobs(stores, start, 9), [pending.id]);
  },

  'a requeue of one dead letter writes its effects, and none if it ignores the job': async (stores) => {
    const [job, mail] = await deadLetterJobs(stores, aJob(), aMailJob(nextId()));
    await stores.deadLetters.requeue(nextId(), start, someEffects());
    await stores.deadLetters.requeue(mail.id, start, someEffects());
    await assertWritten(stores);
    const effects = someEffects();
    await stores.deadLetters.requeue(job.id, start, effects);
    await assertWritten(stores, effects, jobsOnly(job));
  },

  'a requeue of all decides on the number of jobs, and does not decide if there are none': async (stores) => {
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
    await assertWritten(stores, effects, jobsOnly(...jobs));
  },

  'a requeue of all rethrows an error from the decision and requeues none': async (stores) => {
    await deadLetterJobs(stores, aJob());
    await assertRejects(stores.deadLetters.requeueAll(start, failDecision), 'already_approved');
    deepStrictEqual(await dueJobs(stores, endOfTime, 9), []);
  },

  'a discard writes its effects, and none if there is no dead letter': async (stores) => {
    const [job] = await deadLetterJobs(stores, aJob());
    const [pending] = await enqueueJobs(stores, aJob());
    await stores.deadLetters.discard(pending.id, someEffects());
    await assertWritten(stores, jobsOnly(pending));
    const effects = someEffects();
    await stores.deadLetters.discard(job.id, effects);
    await stores.deadLetters.discard(job.id, someEffects());
    await assertWritten(stores, effects, jobsOnly(pending));
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
