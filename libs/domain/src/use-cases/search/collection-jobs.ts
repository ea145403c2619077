import type { CollectionId, JobId } from '../../ids.ts';
import { type CollectionJobKind, missingEmbeddings, type NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** Creates a job that brings a collection's embedding, or its operations, up to date. */
export const createCollectionJob = (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  kind: CollectionJobKind,
  collectionId: CollectionId,
  group: string | null = null,
): NewJob => ({ id: random.uuid() as JobId, task: { kind, collectionId }, group, dueAt: clock.now() });

/** The number of jobs that one transaction adds: few enough to delay other changes by less than a second. */
const batchSize = 2_000;

/**
 * Creates a function that ensures that each outdated collection has a job of that kind, and returns the number of
 * outdated collections. A collection whose job is a dead letter gets one new job: on the first call, and again when the
 * model changes. `state` must identify everything that `listOutdated` depends on: nothing is read while it is still the
 * state in which nothing was outdated.
 */
export const queueOutdated = (
  { embeddingJobs, ...ports }: Pick<Ports, 'clock' | 'random' | 'embeddingJobs'>,
  kind: CollectionJobKind,
  listOutdated: (modelId: string) => Promise<readonly CollectionId[]>,
) => {
  let upToDateState: string | null = null;
  let retriedModel: string | null = null;
  return async (modelId: string, state: string): Promise<number> => {
    if (upToDateState === `${state}/${modelId}`) return 0;
    const outdatedIds = await listOutdated(modelId);
    upToDateState = outdatedIds.length === 0 ? `${state}/${modelId}` : null;
    if (outdatedIds.length === 0) return 0;
    const pending = await embeddingJobs.listPending(kind);
    const deadLettered = modelId === retriedModel ? await embeddingJobs.listDeadLettered(kind) : new Set();
    const idsToQueue = outdatedIds.filter((collection) => !pending.has(collection) && !deadLettered.has(collection));
    for (let start = 0; start < idsToQueue.length; start += batchSize) {
      const batch = idsToQueue.slice(start, start + batchSize);
      const jobs = batch.map((collection) => createCollectionJob(ports, kind, collection, missingEmbeddings));
      await embeddingJobs.enqueue({ jobs, deadline: null });
    }
    retriedModel = modelId;
    return outdatedIds.length;
  };
};
