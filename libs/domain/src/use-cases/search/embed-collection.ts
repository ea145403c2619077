import type { CollectionId } from '../../ids.ts';
import type { Embedder, Ports } from '../../ports/index.ts';
import { TextRefusedError } from '../../search/embedding.ts';
import { nullIfUnavailable } from './serving-embedder.ts';

type Needs = Pick<Ports, 'collections' | 'embeddings' | 'models' | 'embedder' | 'earlierEmbedders' | 'vectors'>;

/**
 * Brings a collection's embeddings up to date: embeds the collection again if it exists; otherwise removes it from the
 * index, since its rows no longer exist. Drops a result for a text that has changed in the meantime: the change queued
 * its own job. Indexes are not notified of a new embedding: the next search passes the embedding's sequence, and the
 * indexes read it. Earlier models come first, because searches may still use one of them and the current one may take a
 * long time; if one fails, the others are stored nevertheless.
 */
export const embedCollection = async (ports: Needs, id: CollectionId): Promise<void> => {
  const collection = await ports.collections.find(id);
  if (!collection) return ports.vectors.remove(id);
  const store = async (embedder: Embedder): Promise<void> => {
    const { modelId, vectors } = await embedder.embed([embeddedText(collection)], 'document');
    const [vector] = vectors;
    if (!vector) throw new Error('The embedder returned no vector');
    await ports.embeddings.put({ collectionId: id, modelId, contentRevision: collection.contentRevision, vector });
  };
  const failures: unknown[] = [];
  for (const embedder of await outdatedEarlier(ports, id)) {
    // A text that an earlier model rejects has no vector from that model, and needs none.
    await store(embedder).catch((error: unknown) => error instanceof TextRefusedError || failures.push(error));
  }
  await store(ports.embedder);
  if (failures.length > 0) throw failures[0];
};

/**
 * Returns the embedders of earlier models that are still recorded, and whose embedding of this collection is not up to
 * date. An embedder whose server is unavailable is skipped for now: the current model is on the same server, so the job
 * will run again.
 */
const outdatedEarlier = async (
  { models, embeddings, earlierEmbedders }: Needs,
  collectionId: CollectionId,
): Promise<readonly Embedder[]> => {
  if (earlierEmbedders.length === 0) return [];
  const [{ announced }, upToDate] = await Promise.all([models.state(), embeddings.upToDate(collectionId)]);
  const isNeeded = (id: string) => !upToDate.includes(id) && announced.some(({ modelId }) => modelId === id);
  const ids = await Promise.all(earlierEmbedders.map((embedder) => embedder.modelId().catch(nullIfUnavailable)));
  return earlierEmbedders.filter((_, i) => isNeeded(ids[i] ?? ''));
};

/** Returns the text that is embedded for a collection: its name as the first line, then its description. */
const embeddedText = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  description ? `${name}\n${description}` : name;
