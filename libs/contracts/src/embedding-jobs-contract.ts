import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, Effects, ReindexRun } from '@portico/domain';
import { assertFails, assertRefused, assertWritten, refuse } from './assertions.ts';
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

/** What `EmbeddingJobs` promises. */
export const embeddingJobsContract = {
  'enqueued jobs are in the outbox, and their entries in the log': async (stores) => {
    const effects = someEffects();
    await stores.embeddingJobs.enqueue(effects);
    await assertWritten(stores, effects);
  },

  'no second job is enqueued for a collection while its job is due, leased or postponed': async (stores) => {
    const [due, leased, putOff] = [aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(due, leased, putOff));
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(putOff.id, endOfTime, 'busy');
    const entry = anEntry();
    const fresh = aJob();
    await stores.embeddingJobs.enqueue({
      ...noEffects,
      entries: [entry],
      jobs: [...[due, leased, putOff].map(({ task }) => aJob({ task })), fresh],
    });
    await assertWritten(stores, { ...noEffects, entries: [entry], jobs: [due, leased, putOff, fresh] });
  },

  'a dead letter or a finished job does not keep another from being enqueued': async (stores) => {
    const [failed, done] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(failed, done));
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    await stores.outbox.done(done.id);
    const again = [failed, done].map(({ task }) => aJob({ task }));
    await stores.embeddingJobs.enqueue(jobsOnly(...again));
    await assertWritten(stores, jobsOnly(...again));
  },

  'an enqueue that fails adds nothing, and leaves earlier and later ones alone': async (stores) => {
    const [before, missing] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(before));
    const failing = { ...noEffects, entries: [anEntry()], jobs: [missing, aJob({ id: before.id })] };
    await assertFails(stores.embeddingJobs.enqueue(failing));
    await assertWritten(stores, jobsOnly(before));
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ task: before.task }), missing));
    await assertWritten(stores, jobsOnly(before, missing));
  },

  'a collection is awaited while its job is due, leased or postponed, and no longer once that is given up or done':
    async (stores) => {
      const [due, leased, putOff, failed, done] = [aJob(), aJob(), aJob(), aJob(), aJob()];
      await stores.embeddingJobs.enqueue(jobsOnly(due, leased, putOff, failed, done, aMailJob(nextId())));
      await stores.outbox.claim(leased.id, start, endOfTime);
      await stores.outbox.retry(putOff.id, endOfTime, 'busy');
      await stores.outbox.deadLetter(failed.id, start, 'no use');
      await stores.outbox.done(done.id);
      const expected = [due, leased, putOff].flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : []));
      deepStrictEqual(await stores.embeddingJobs.awaited('embed'), new Set(expected));
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
    const again = aJob({ task: first.task });
    await stores.embeddingJobs.enqueue(jobsOnly(again));
    const givenUp = (await stores.deadLetters.list(9)).map(({ id }) => id);
    deepStrictEqual(new Set(givenUp), new Set([other.id, mail.id]));
    await assertWritten(stores, jobsOnly(again));
  },

  'concurrent enqueues for the same collections add one job per collection': async (stores) => {
    const tasks = [aJob().task, aJob().task, aJob().task];
    await Promise.all(
      Array.from({ length: 10 }, () => stores.embeddingJobs.enqueue(jobsOnly(...tasks.map((task) => aJob({ task }))))),
    );
    strictEqual((await stores.outbox.state(start)).waiting, tasks.length);
  },

  'a run is planned from the ids of all collections': async (stores) => {
    const ids = [(await added(stores)).id, (await added(stores)).id];
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

  'while jobs of the last run wait, no other run starts, and the last one is returned': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => first);
    const answer = await stores.embeddingJobs.startRun(aRun('r2', 3, [anEntry()]));
    deepStrictEqual(answer, first.run);
    deepStrictEqual(await stores.embeddingJobs.lastRun(), { ...first.run, waiting: 2, failed: 0 });
    await assertWritten(stores, first);
  },

  'a leased or postponed job of a run still counts as waiting': async (stores) => {
    const first = aRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => first);
    const [leased, putOff] = first.jobs ?? [];
    ok(leased && putOff);
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(putOff.id, endOfTime, 'busy');
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

  'a run can start once no job of the last one waits, and then is the last one': async (stores) => {
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

  'a start of a run rethrows what its plan throws, and records nothing': async (stores) => {
    await assertRefused(stores.embeddingJobs.startRun(refuse), 'already_approved');
    strictEqual(await stores.embeddingJobs.lastRun(), null);
    await assertWritten(stores);
  },

  'of concurrent starts, exactly one records its run, and all return that run': async (stores) => {
    const plans = Array.from({ length: 20 }, (_, index) => aRun(`r${index}`, 1)());
    const answers = await Promise.all(plans.map((plan) => stores.embeddingJobs.startRun(() => plan)));
    const [first] = answers;
    const winner = plans.find(({ run }) => run.id === first?.id);
    ok(winner);
    deepStrictEqual(new Set(answers.map(({ id }) => id)), new Set([winner.run.id]));
    await assertWritten(stores, winner);
  },

  'before the first run there is no last one': async (stores) => {
    await stores.embeddingJobs.enqueue(jobsOnly(aJob({ group: 'r1' })));
    strictEqual(await stores.embeddingJobs.lastRun(), null);
  },
} satisfies Contract<Stores>;

const added = async ({ collections }: Stores, facts: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(facts);
  await collections.add(collection, aContent(), noEffects);
  return collection;
};

/** Plans a run with this many jobs. */
const aRun =
  (id: string, total: number, entries: Effects['entries'] = []) =>
  (_collections: readonly CollectionId[] = []): Effects & { readonly run: ReindexRun } => ({
    run: { id, total, startedAt: start },
    jobs: Array.from({ length: total }, () => aJob({ group: id })),
    entries,
    deadline: null,
  });
