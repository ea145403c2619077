import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import type { CollectionId } from '../../ids.ts';
import { packOperations } from '../../operations/packed-operations.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';

type Needs = Pick<Ports, 'collections' | 'operations' | 'operationBlocks' | 'operationEmbedder' | 'documents'>;

/**
 * Brings the operations of a collection, and their vectors, in line with its document. A document that was stored
 * without its operations, by an earlier version, is read once more. Drops a result for a document, a name or a
 * description that has changed meanwhile: the change queued its own job. Indexes are not told: the next search names
 * the block's sequence, and they read it. What a checkpoint throws ends it, with nothing stored.
 */
export const indexOperations = async (ports: Needs, id: CollectionId, checkpoint: Checkpoint): Promise<void> => {
  const collection = await ports.collections.find(id);
  if (!collection) return;
  const operations = await currentOperations(ports, collection);
  if (!operations) return;
  const { modelId, vectors } = await ports.operationEmbedder.embedOperations(collection, operations, checkpoint);
  await ports.operationBlocks.put({
    collectionId: id,
    modelId,
    documentDigest: collection.documentDigest,
    contentRevision: collection.contentRevision,
    operations: operations.length,
    packed: packOperations(
      operations.map(({ key, method }, i) => ({ key, method, vector: vectors[i] ?? missing(method) })),
    ),
  });
};

/** Those of the collection's document; null if the document has changed meanwhile. */
const currentOperations = async (
  { collections, operations, documents }: Needs,
  { id, documentDigest }: Collection,
): Promise<readonly Operation[] | null> => {
  if ((await operations.digest(id)) !== documentDigest) {
    const document = await collections.document(id);
    if (document?.digest !== documentDigest) return null;
    const read = await documents.readOperations(document.packed);
    if (!(await operations.replace(id, documentDigest, read))) return null;
  }
  return operations.list(id, { tag: null, containing: null }, null);
};

const missing = (method: string): never => {
  throw new Error(`The embedder returned no vector for a ${method} operation`);
};
