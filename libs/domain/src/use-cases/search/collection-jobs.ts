import type { CollectionId, JobId } from '../../ids.ts';
import { type CollectionJobKind, missingEmbeddings, type NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** Creates a job that brings a collection's embedding, or its operations, up to date. */
export const collectionJob = (
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
 * model changes. `state` must identify everything that `outdated` depends on: nothing is read while it is still the
 * state in which nothing was outdated.
 */
export const queueOutdated = (
  { embeddingJobs, ...ports }: Pick<Ports, 'clock' | 'random' | 'embeddingJobs'>,
  kind: CollectionJobKind,
  outdated: (modelId: string) => Promise<readonly CollectionId[]>,
) => {
  let upToDateState: string | null = null;
  let retriedModel: string | null = null;
  return async (modelId: string, state: string): Promise<number> => {
    if (upToDateState === `${state}/${modelId}`) return 0;
    const outdatedIds = await outdated(modelId);
    upToDateState = outdatedIds.length === 0 ? `${state}/${modelId}` : null;
    if (outdatedIds.length === 0) return 0;
    const pending = await embeddingJobs.pending(kind);
    const deadLettered = modelId === retriedModel ? await embeddingJobs.deadLettered(kind) : new Set();
    const missing = outdatedIds.filter((collection) => !pending.has(collection) && !deadLettered.has(collection));
    for (let start = 0; start < missing.length; start += batchSize) {
      const batch = missing.slice(start, start + batchSize);
      const jobs = batch.map((collection) => collectionJob(ports, kind, collection, missingEmbeddings));
      await embeddingJobs.enqueue({ jobs, deadline: null });
    }
    retriedModel = modelId;
    return outdatedIds.length;
  };
};
