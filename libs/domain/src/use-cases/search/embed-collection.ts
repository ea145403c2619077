import type { CollectionId, JobId } from '../../ids.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

type Needs = Pick<Ports, 'collections' | 'embeddings' | 'embedder' | 'vectors'>;

/**
 * Brings the embedding in line with the collection: embeds it again if it exists; else removes it from the index, as
 * its row is already gone. Drops a result for a text that has changed meanwhile: the change queued its own job. Indexes
 * are not told about a new embedding: the next search names its sequence, and they read it.
 */
export const embedCollection = async (
  { collections, embeddings, embedder, vectors }: Needs,
  id: CollectionId,
): Promise<void> => {
  const collection = await collections.find(id);
  if (!collection) return vectors.remove(id);
  const { modelId, vectors: made } = await embedder.embed([embeddedText(collection)], 'document');
  const [vector] = made;
  if (!vector) throw new Error('The embedder returned no vector');
  await embeddings.put({ collectionId: id, modelId, contentRevision: collection.contentRevision, vector });
};

/** The text that is embedded for a collection: its name as the first line, then its description. */
const embeddedText = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  description ? `${name}\n${description}` : name;

/** A job that brings a collection's embedding in line with it. */
export const embedJob = (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  collectionId: CollectionId,
  group: string | null = null,
): NewJob => ({
  id: random.uuid() as JobId,
  task: { kind: 'embed', collectionId },
  group,
  dueAt: clock.now(),
});
