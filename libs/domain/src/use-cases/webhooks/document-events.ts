import type { Initiator } from '../../access/principal.ts';
import type { Comparison } from '../../changes/change.ts';
import type { NewJob } from '../../jobs/job.ts';
import { prepareEvent, type EventPorts } from './create-event-jobs.ts';
import { type ChangedCollection, collectionBreakingDataOf, collectionChangedDataOf } from './event-data.ts';

/** Returns the jobs that deliver the events of a change to a collection. */
export type CreateDocumentEventJobs = (
  collection: ChangedCollection,
  fields: readonly string[],
  initiator: Initiator,
) => readonly NewJob[];

/**
 * Finds the webhooks that receive the events of a change: `collection.changed`, and `collection.breaking` if the comparison
 * has breaking changes. It is null if the document stays the same, or its changes are unknown.
 */
export const prepareDocumentEvents = async (
  ports: EventPorts,
  comparison: Comparison | null,
): Promise<CreateDocumentEventJobs> => {
  const createChangedJobs = await prepareEvent(ports, 'collection.changed');
  const createBreakingJobs =
    comparison && comparison.counts.breaking > 0 ? await prepareEvent(ports, 'collection.breaking') : null;
  return (collection, fields, initiator) => [
    ...createChangedJobs(collectionChangedDataOf(collection, fields, initiator, comparison?.counts ?? null)),
    ...(createBreakingJobs && comparison
      ? createBreakingJobs(collectionBreakingDataOf(collection, initiator, comparison))
      : []),
  ];
};
