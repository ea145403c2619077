import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import type { CollectionId } from '../../ids.ts';
import { OperationPacking } from '../../operations/packed-operations.ts';
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
  if (!(await hasCurrentOperations(ports, collection))) return;
  const packing = new OperationPacking();
  let modelId = await ports.operationEmbedder.modelId();
  for await (const portion of ports.operationEmbedder.embedOperations(collection, portions(ports, id), checkpoint)) {
    const { operations, vectors } = portion;
    ({ modelId } = portion);
    packing.add(operations.map(({ key, method }, i) => ({ key, method, vector: vectors[i] ?? missing(method) })));
  }
  await ports.operationBlocks.put({
    collectionId: id,
    modelId,
    documentDigest: collection.documentDigest,
    contentRevision: collection.contentRevision,
    operations: packing.count,
    packed: packing.pack(),
  });
};

/** Whether those that are stored are of the collection's document, or are now; false if it has changed meanwhile. */
const hasCurrentOperations = async (ports: Needs, { id, documentDigest }: Collection): Promise<boolean> => {
  const { collections, operations, documents } = ports;
  if ((await operations.digest(id)) === documentDigest) return true;
  const document = await collections.document(id);
  if (document?.digest !== documentDigest) return false;
  return operations.replace(id, documentDigest, await documents.readOperations(document.packed));
};

/** In one read they would hold up everybody. If the document changes meanwhile, their vectors are not stored. */
const operationsAtOnce = 1_000;

async function* portions({ operations }: Needs, id: CollectionId): AsyncGenerator<readonly Operation[], void, void> {
  for (let from = 0; ; from += operationsAtOnce) {
    const read = await operations.list(id, { tag: null, containing: null }, { from, limit: operationsAtOnce });
    yield read;
    if (read.length < operationsAtOnce) return;
  }
}

const missing = (method: string): never => {
  throw new Error(`The embedder returned no vector for a ${method} operation`);
};
