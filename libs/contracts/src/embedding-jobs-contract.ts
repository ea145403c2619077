import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, Effects, ReindexRun } from '@portico/domain';
import { assertFails, assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
  aJob,
  aMailJob,
  anEntry,
  endOfTime,
  jobEffectsOf,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `EmbeddingJobs`. */
export const embeddingJobsContract = {
  'enqueueing jobs adds them to the outbox and their entries to the log': async (stores) => {
    const effects = someEffects();
    await stores.embeddingJobs.enqueue(effects);
    await assertWritten(stores, effects);
  },

  'while the job of a collection is due, leased or postponed, a second job is not enqueued': async (stores) => {
    const [dueJob, leasedJob, postponedJob] = [aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobEffectsOf(dueJob, leasedJob, postponedJob));
    await stores.outbox.claim(leasedJob.id, start, endOfTime);
    await stores.outbox.retry(postponedJob.id, endOfTime, 'busy');
    const entry = anEntry();
    const newJob = aJob();
    await stores.embeddingJobs.enqueue({
      ...noEffects,
      entries: [entry],
      jobs: [...[dueJob, leasedJob, postponedJob].map(({ task }) => aJob({ task })), newJob],
    });
    await assertWritten(stores, { ...noEffects, entries: [entry], jobs: [dueJob, leasedJob, postponedJob, newJob] });
  },

  'a dead letter or a finished job does not prevent a new job from being enqueued': async (stores) => {
    const [failedJob, doneJob] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobEffectsOf(failedJob, doneJob));
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    await stores.outbox.complete(doneJob.id);
    const retryJobs = [failedJob, doneJob].map(({ task }) => aJob({ task }));
    await stores.embeddingJobs.enqueue(jobEffectsOf(...retryJobs));
    await assertWritten(stores, jobEffectsOf(...retryJobs));
  },

  'enqueueing that fails adds nothing, and does not affect earlier or later calls': async (stores) => {
    const [earlierJob, unaddedJob] = [aJob(), aJob()];
    await stores.embeddingJobs.enqueue(jobEffectsOf(earlierJob));
    const failingEffects = { ...noEffects, entries: [anEntry()], jobs: [unaddedJob, aJob({ id: earlierJob.id })] };
    await assertFails(stores.embeddingJobs.enqueue(failingEffects));
    await assertWritten(stores, jobEffectsOf(earlierJob));
    await stores.embeddingJobs.enqueue(jobEffectsOf(aJob({ task: earlierJob.task }), unaddedJob));
    await assertWritten(stores, jobEffectsOf(earlierJob, unaddedJob));
  },

  'a collection is pending while its job is due, leased or postponed, but not once the job is given up or done': async (
    stores,
  ) => {
    const [dueJob, leasedJob, postponedJob, failedJob, doneJob] = [aJob(), aJob(), aJob(), aJob(), aJob()];
    await stores.embeddingJobs.enqueue(
      jobEffectsOf(dueJob, leasedJob, postponedJob, failedJob, doneJob, aMailJob(nextId())),
    );
    await stores.outbox.claim(leasedJob.id, start, endOfTime);
    await stores.outbox.retry(postponedJob.id, endOfTime, 'busy');
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    await stores.outbox.complete(doneJob.id);
    const expected = [dueJob, leasedJob, postponedJob].flatMap(({ task }) =>
      task.kind === 'embed' ? [task.collectionId] : [],
    );
    deepStrictEqual(await stores.embeddingJobs.listPending('embed'), new Set(expected));
  },

  'a collection counts as dead-lettered until its dead letter is requeued or discarded': async (stores) => {
    const [waitingJob, failedJob, requeuedJob, discardedJob] = [aJob(), aJob(), aJob(), aJob()];
    const mailJob = aMailJob(nextId());
    await stores.embeddingJobs.enqueue(jobEffectsOf(waitingJob, failedJob, requeuedJob, discardedJob, mailJob));
    for (const { id } of [failedJob, requeuedJob, discardedJob, mailJob])
      await stores.outbox.deadLetter(id, start, 'no use');
    await stores.deadLetters.requeue(requeuedJob.id, start, noEffects);
    await stores.deadLetters.discard(discardedJob.id, noEffects);
    const expected = failedJob.task.kind === 'embed' ? [failedJob.task.collectionId] : [];
    deepStrictEqual(await stores.embeddingJobs.listDeadLettered('embed'), new Set(expected));
  },

  'an enqueued job replaces only the dead letters of its collection': async (stores) => {
    const [firstJob, otherJob] = [aJob(), aJob()];
    const mailJob = aMailJob(nextId());
    await stores.embeddingJobs.enqueue(jobEffectsOf(firstJob, otherJob, mailJob));
    for (const { id } of [firstJob, otherJob, mailJob]) await stores.outbox.deadLetter(id, start, 'no use');
    const replacementJob = aJob({ task: firstJob.task });
    await stores.embeddingJobs.enqueue(jobEffectsOf(replacementJob));
    const deadLetters = (await stores.deadLetters.list(9)).map(({ id }) => id);
    deepStrictEqual(new Set(deadLetters), new Set([otherJob.id, mailJob.id]));
    await assertWritten(stores, jobEffectsOf(replacementJob));
  },

  'enqueueing jobs for the same collections concurrently adds one job per collection': async (stores) => {
    const tasks = [aJob().task, aJob().task, aJob().task];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        stores.embeddingJobs.enqueue(jobEffectsOf(...tasks.map((task) => aJob({ task })))),
      ),
    );
    strictEqual((await stores.outbox.readState(start)).waiting, tasks.length);
  },

  'a run is planned from the ids of all collections': async (stores) => {
    const ids = [(await addCollection(stores)).id, (await addCollection(stores)).id];
    let capturedIds: readonly CollectionId[] = [];
    await stores.embeddingJobs.startRun((collections) => planRun('r1', 0)((capturedIds = collections)));
    deepStrictEqual([...capturedIds].sort(), ids);
  },

  'a run is recorded with its jobs and entries, and returned': async (stores) => {
    const entry = anEntry({ source: 'system' });
    const plan = { ...planRun('r1', 2)(), entries: [entry] };
    deepStrictEqual(await stores.embeddingJobs.startRun(() => plan), plan.run);
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...plan.run, waiting: 2, failed: 0 });
    await assertWritten(stores, plan);
  },

  'while jobs of the last run are waiting, starting a run returns the last run instead': async (stores) => {
    const firstPlan = planRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => firstPlan);
    const result = await stores.embeddingJobs.startRun(planRun('r2', 3, [anEntry()]));
    deepStrictEqual(result, firstPlan.run);
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...firstPlan.run, waiting: 2, failed: 0 });
    await assertWritten(stores, firstPlan);
  },

  'a leased or postponed job of a run still counts as waiting': async (stores) => {
    const firstPlan = planRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => firstPlan);
    const [leasedJob, postponedJob] = firstPlan.jobs ?? [];
    ok(leasedJob && postponedJob);
    await stores.outbox.claim(leasedJob.id, start, endOfTime);
    await stores.outbox.retry(postponedJob.id, endOfTime, 'busy');
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...firstPlan.run, waiting: 2, failed: 0 });
    deepStrictEqual(await stores.embeddingJobs.startRun(planRun('r2', 1)), firstPlan.run);
  },

  'jobs of the last run count as waiting until they are done, and as failed once they are given up': async (stores) => {
    const { run, jobs = [] } = planRun('r1', 3)();
    await stores.embeddingJobs.startRun(() => ({ run, ...jobEffectsOf(...jobs) }));
    await stores.embeddingJobs.enqueue(jobEffectsOf(aJob(), aJob({ group: 'r0' })));
    const [doneJob, failedJob] = jobs;
    ok(doneJob && failedJob);
    await stores.outbox.complete(doneJob.id);
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...run, waiting: 2, failed: 0 });
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...run, waiting: 1, failed: 1 });
  },

  'a run can start when no job of the last run is waiting, and becomes the last run': async (stores) => {
    const { run, jobs = [] } = planRun('r1', 2)();
    await stores.embeddingJobs.startRun(() => ({ run, ...jobEffectsOf(...jobs) }));
    const [doneJob, failedJob] = jobs;
    ok(doneJob && failedJob);
    await stores.outbox.complete(doneJob.id);
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    const secondPlan = planRun('r2', 1)();
    deepStrictEqual(await stores.embeddingJobs.startRun(() => secondPlan), secondPlan.run);
    deepStrictEqual(await stores.embeddingJobs.findLastRun(), { ...secondPlan.run, waiting: 1, failed: 0 });
  },

  'starting a run rethrows an error from the plan and records nothing': async (stores) => {
    await assertRejects(stores.embeddingJobs.startRun(failDecision), 'already_approved');
    strictEqual(await stores.embeddingJobs.findLastRun(), null);
    await assertWritten(stores);
  },

  'when runs are started concurrently, only one is recorded, and all calls return it': async (stores) => {
    const plans = Array.from({ length: 20 }, (_, index) => planRun(`r${index}`, 1)());
    const results = await Promise.all(plans.map((plan) => stores.embeddingJobs.startRun(() => plan)));
    const [firstResult] = results;
    const winningPlan = plans.find(({ run }) => run.id === firstResult?.id);
    ok(winningPlan);
    deepStrictEqual(new Set(results.map(({ id }) => id)), new Set([winningPlan.run.id]));
    await assertWritten(stores, winningPlan);
  },

  'there is no last run before the first run': async (stores) => {
    await stores.embeddingJobs.enqueue(jobEffectsOf(aJob({ group: 'r1' })));
    strictEqual(await stores.embeddingJobs.findLastRun(), null);
  },
} satisfies Contract<Stores>;

const addCollection = async ({ collections }: Stores, fields: Partial<Collection> = {}): Promise<Collection> => {
  const collection = aCollection(fields);
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

/** Returns a function that plans a run with this many jobs. */
const planRun =
  (id: string, total: number, entries: Effects['entries'] = []) =>
  (_collections: readonly CollectionId[] = []): Effects & { readonly run: ReindexRun } => ({
    run: { id, total, startedAt: start },
    jobs: Array.from({ length: total }, () => aJob({ group: id })),
    entries,
    deadline: null,
  });
