import type { CollectionId, JobId } from '../../ids.ts';
import { type CollectionJobKind, missingEmbeddings, type NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** A job that brings a collection's embedding, or its operations, in line with it. */
export const collectionJob = (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  kind: CollectionJobKind,
  collectionId: CollectionId,
  group: string | null = null,
): NewJob => ({ id: random.uuid() as JobId, task: { kind, collectionId }, group, dueAt: clock.now() });

/** How many jobs one transaction adds, few enough to delay other changes by less than a second. */
const portionSize = 2_000;

/**
 * Ensures that each outdated collection has a job of that kind, and returns how many are outdated. A collection whose
 * job is a dead letter gets one new job: at the first call, and again when the model changes. Reads nothing while
 * `state`, which must name all that `outdated` depends on, is one in which nothing was outdated.
 */
export const queueOutdated = (
  { embeddingJobs, ...ports }: Pick<Ports, 'clock' | 'random' | 'embeddingJobs'>,
  kind: CollectionJobKind,
  outdated: (modelId: string) => Promise<readonly CollectionId[]>,
) => {
  let settled: string | null = null;
  let triedAgainFor: string | null = null;
  return async (modelId: string, state: string): Promise<number> => {
    if (settled === `${state}/${modelId}`) return 0;
    const behind = await outdated(modelId);
    settled = behind.length === 0 ? `${state}/${modelId}` : null;
    if (behind.length === 0) return 0;
    const awaited = await embeddingJobs.awaited(kind);
    const deadLettered = modelId === triedAgainFor ? await embeddingJobs.deadLettered(kind) : new Set();
    const missing = behind.filter((collection) => !awaited.has(collection) && !deadLettered.has(collection));
    for (let start = 0; start < missing.length; start += portionSize) {
      const portion = missing.slice(start, start + portionSize);
      const jobs = portion.map((collection) => collectionJob(ports, kind, collection, missingEmbeddings));
      await embeddingJobs.enqueue({ jobs, deadline: null });
    }
    triedAgainFor = modelId;
    return behind.length;
  };
};
