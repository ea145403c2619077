import type { CollectionId } from '../../ids.ts';
import type { Embedder, Ports } from '../../ports/index.ts';
import { TextRejectedError } from '../../search/embedding.ts';
import { returnNullIfUnavailable } from './find-serving-embedder.ts';

type RequiredPorts = Pick<Ports, 'collections' | 'embeddings' | 'models' | 'embedder' | 'earlierEmbedders' | 'vectors'>;

/**
 * Brings a collection's embeddings up to date: embeds the collection again if it exists; otherwise removes it from the
 * index, since its rows no longer exist. Drops a result for a text that has changed in the meantime: the change queued
 * its own job. Indexes are not notified of a new embedding: the next search passes the embedding's sequence number, and the
 * indexes read it. Earlier models come first, because searches may still use one of them and the current one may take a
 * long time; if one fails, the others are stored nevertheless.
 */
export const embedCollection = async (ports: RequiredPorts, id: CollectionId): Promise<void> => {
  const collection = await ports.collections.find(id);
  if (!collection) return ports.vectors.remove(id);
  const storeEmbedding = async (embedder: Embedder): Promise<void> => {
    const { modelId, vectors } = await embedder.embed([embeddedTextOf(collection)], 'document');
    const [vector] = vectors;
    if (!vector) throw new Error('The embedder returned no vector');
    await ports.embeddings.put({ collectionId: id, modelId, contentRevision: collection.contentRevision, vector });
  };
  const failures: unknown[] = [];
  for (const embedder of await findOutdatedEmbedders(ports, id)) {
    // A text that an earlier model rejects has no vector from that model, and needs none.
    await storeEmbedding(embedder).catch(
      (error: unknown) => error instanceof TextRejectedError || failures.push(error),
    );
  }
  await storeEmbedding(ports.embedder);
  if (failures.length > 0) throw failures[0];
};

/**
 * Returns the embedders of earlier models that are still recorded, and whose embedding of this collection is not up to
 * date. An embedder whose server is unavailable is skipped for now: the current model is on the same server, so the job
 * will run again.
 */
const findOutdatedEmbedders = async (
  { models, embeddings, earlierEmbedders }: RequiredPorts,
  collectionId: CollectionId,
): Promise<readonly Embedder[]> => {
  if (earlierEmbedders.length === 0) return [];
  const [{ announcedModels }, upToDateModels] = await Promise.all([
    models.readState(),
    embeddings.listUpToDateModels(collectionId),
  ]);
  const isNeeded = (id: string) =>
    !upToDateModels.includes(id) && announcedModels.some(({ modelId }) => modelId === id);
  const ids = await Promise.all(
    earlierEmbedders.map((embedder) => embedder.getModelId().catch(returnNullIfUnavailable)),
  );
  return earlierEmbedders.filter((_, i) => isNeeded(ids[i] ?? ''));
};

/** Returns the text that is embedded for a collection: its name as the first line, then its description. */
const embeddedTextOf = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  description ? `${name}\n${description}` : name;
