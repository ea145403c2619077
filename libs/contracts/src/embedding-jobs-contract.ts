import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, Effects, ReindexRun } from '@portico/domain';
import { assertFails, assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aContent,
  aJob,
  aMailJob,
  anEntry,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `EmbeddingJobs`. */
export const embeddingJobsContract = {
  'enqueued jobs are in the outbox, and their entries in the log': async (stores) => {
    const effects = someEffects();
    await stores.embeddingJobs.enqueue(effects);
    await assertWritten(stores, effects);
  },

  'no second job is enqueued for a collection while its job is due, leased or postponed': async (stores) => {
    const [due, leased, postponed] = [aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(due, leased, postponed));
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(postponed.id, endOfTime, 'busy');
    const entry = anEntry();
    const fresh = aJob();
    await stores.embeddingJobs.enqueue({
      ...noEffects,
      entries: [entry],
      jobs: [...[due, leased, postponed].map(({ task }) => aJob({ task })), fresh],
    });
    await assertWritten(stores, { ...noEffects, entries: [entry], jobs: [due, leased, postponed, fresh] });
  },

  'a dead letter or a finished job does not prevent another from being enqueued': async (stores) => {
    const [failed, done] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(failed, done));
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await stores.outbox.done(done.id);
    const retries = [failed, done].map(({ task }) => aJob({ task }));
    await stores.embeddingJobs.enqueue(jobsOnly(...retries));
    await assertWritten(stores, jobsOnly(...retries));
  },

  'an enqueue that fails adds nothing, and does not affect earlier and later ones': async (stores) => {
    const [before, missing] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(before));
    const failing = { ...noEffects, entries: [anEntry()], jobs: [missing, aJob({ id: before.id })] };
    await assertFails(stores.embeddingJobs.enqueue(failing));
    await assertWritten(stores, jobsOnly(before));
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ task: before.task }), missing));
    await assertWritten(stores, jobsOnly(before, missing));
  },

  'a collection is pending while its job is due, leased or postponed, but not once it is given up or done': async (
    stores,
  ) => {
    const [due, leased, postponed, failed, done] = [aJob(), aJob(), aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(due, leased, postponed, failed, done, aMailJob(nextId())));
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(postponed.id, endOfTime, 'busy');
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await stores.outbox.done(done.id);
    const expected = [due, leased, postponed].flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : []));
    deepStrictEqual(await stores.embeddingJobs.pending('embed'), new Set(expected));
  },

  'a collection counts as dead-lettered until its dead letter is requeued or discarded': async (stores) => {
    const [waiting, failed, requeued, discarded] = [aJob(), aJob(), aJob(), aJob()];
    const mail = aMailJob(nextId());
    await stores.embeddingJobs.enqueue(jobsOnly(waiting, failed, requeued, discarded, mail));
    for (const { id } of [failed, requeued, discarded, mail]) await stores.outbox.deadLetter(id, start, 'no use');
    await stores.deadLetters.requeue(requeued.id, start, noEffects);
    await stores.deadLetters.discard(discarded.id, noEffects);
    const expected = failed.task.kind === 'embed' ? [failed.task.collectionId] : [];
    deepStrictEqual(await stores.embeddingJobs.deadLettered('embed'), new Set(expected));
  },

  'an enqueued job replaces the dead letters of its collection, and no others': async (stores) => {
    const [first, other] = [aJob(), aJob()];
    const mail = aMailJob(nextId());
    await stores.embeddingJobs.enqueue(jobsOnly(first, other, mail));
    for (const { id } of [first, other, mail]) await stores.outbox.deadLetter(id, start, 'no use');
    const replacement = aJob({ task: first.task });
    await stores.embeddingJobs.enqueue(jobsOnly(replacement));
    const deadLetters = (await stores.deadLetters.list(9)).map(({ id }) => id);
    deepStrictEqual(new Set(deadLetters), new Set([other.id, mail.id]));
    await assertWritten(stores, jobsOnly(replacement));
  },

  'concurrent enqueues for the same collections add one job per collection': async (stores) => {
    const tasks = [aJob().task, aJob().task, aJob().task];
    await Promise.all(
      Array.from({ length: 10 }, () => stores.embeddingJobs.enqueue(jobsOnly(...tasks.map((task) => aJob({ task }))))),
    );
    strictEqual((await stores.outbox.state(start)).waiting, tasks.length);
  },

  'a run is planned from the ids of all collections': async (stores) => {
    const ids = [(await addCollection(stores)).id, (await addCollection(stores)).id];
    let seen: readonly CollectionId[] = [];
    await stores.embeddingJobs.startRun((collections) => aRun('r1', 0)((seen = collections)));
    deepStrictEqual([...seen].sort(), ids);
  },

  'a run is recorded with its jobs and entries, and returned': async (stores) => {
    const entry = anEntry({ source: 'system' });
    const plan = { ...aRun('r1', 2)(), entries: [entry] };
    deepStrictEqual(await stores.embeddingJobs.startRun(() => plan), plan.run);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...plan.run, waiting: 2, failed: 0 });
    await assertWritten(stores, plan);
  },

  'while jobs of the last run are waiting, no other run starts, and the last run is returned': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => first);
    const result = await stores.embeddingJobs.startRun(aRun('r2', 3, [anEntry()]));
    deepStrictEqual(result, first.run);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...first.run, waiting: 2, failed: 0 });
    await assertWritten(stores, first);
  },

  'a leased or postponed job of a run still counts as waiting': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => first);
    const [leased, postponed] = first.jobs ?? [];
    ok(leased && postponed);
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(postponed.id, endOfTime, 'busy');
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...first.run, waiting: 2, failed: 0 });
    deepStrictEqual(await stores.embeddingJobs.startRun(aRun('r2', 1)), first.run);
  },

  'jobs of the last run count as waiting until they are done, and as failed once given up': async (stores) => {
    const { run, jobs = [] } = aRun('r1', 3)();
    await stores.embeddingJobs.startRun(() => ({ run, ...jobsOnly(...jobs) }));
    await stores.embeddingJobs.enqueue(jobsOnly(aJob(), aJob({ group: 'r0' })));
    const [done, failed] = jobs;
    ok(done && failed);
    await stores.outbox.done(done.id);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...run, waiting: 2, failed: 0 });
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...run, waiting: 1, failed: 1 });
  },

  'a run can start once no job of the last run is waiting, and becomes the last run': async (stores) => {
    const { run, jobs = [] } = aRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => ({ run, ...jobsOnly(...jobs) }));
    const [done, failed] = jobs;
    ok(done && failed);
    await stores.outbox.done(done.id);
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    const second = aRun('r2', 1)();
    deepStrictEqual(await stores.embeddingJobs.startRun(() => second), second.run);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...second.run, waiting: 1, failed: 0 });
  },

  'a start of a run rethrows an error from the plan and records nothing': async (stores) => {
    await assertRejects(stores.embeddingJobs.startRun(failDecision), 'already_approved');
    strictEqual(await stores.embeddingJobs.lastRun(), null);
    await assertWritten(stores);
  },

  'of concurrent starts, exactly one records its run, and all return that run': async (stores) => {
    const plans = Array.from({ length: 20 }, (_, index) => aRun(`r${index}`, 1)());
    const results = await Promise.all(plans.map((plan) => stores.embeddingJobs.startRun(() => plan)));
    const [first] = results;
    const winner = plans.find(({ run }) => run.id === first?.id);
    ok(winner);
    deepStrictEqual(new Set(results.map(({ id }) => id)), new Set([winner.run.id]));
    await assertWritten(stores, winner);
  },

  'before the first run, there is no last run': async (stores) => {
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ group: 'r1' })));
    strictEqual(await stores.embeddingJobs.lastRun(), null);
  },
} satisfies Contract<Stores>;

const addCollection = async ({ collections }: Stores, facts: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(facts);
  await collections.add(collection, aContent(), noEffects);
  return collection;
};

/** Returns a function that plans a run with this many jobs. */
const aRun =
  (id: string, total: number, entries: Effects['entries'] = []) =>
  (_collections: readonly CollectionId[] = []): Effects & { readonly run: ReindexRun } => ({
    run: { id, total, startedAt: start },
    jobs: Array.from({ length: total }, () => aJob({ group: id })),
    entries,
    deadline: null,
  });
