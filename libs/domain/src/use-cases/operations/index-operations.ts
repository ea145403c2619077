import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import type { CollectionId } from '../../ids.ts';
import { OperationPacking } from '../../operations/packed-operations.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';

type RequiredPorts = Pick<Ports, 'collections' | 'operations' | 'operationBlocks' | 'operationEmbedder' | 'documents'>;

/**
 * Brings a collection's operations and their vectors up to date with its document. A document that an earlier version
 * stored without its operations is read again. Drops a result for a document, a name or a description that has changed
 * in the meantime: the change queued its own job. Indexes are not notified: the next search passes the block's
 * sequence number, and the indexes read the block. If a checkpoint throws, rethrows the error, and nothing is stored.
 */
export const indexOperations = async (
  ports: RequiredPorts,
  id: CollectionId,
  checkpoint: Checkpoint,
): Promise<void> => {
  const collection = await ports.collections.find(id);
  if (!collection) return;
  if (!(await hasCurrentOperations(ports, collection))) return;
  const packing = new OperationPacking();
  let modelId = await ports.operationEmbedder.getModelId();
  for await (const batch of ports.operationEmbedder.embedOperations(collection, readBatches(ports, id), checkpoint)) {
    const { operations, vectors } = batch;
    ({ modelId } = batch);
    packing.add(
      operations.map(({ key, method }, i) => ({ key, method, vector: vectors[i] ?? throwMissingVector(method) })),
    );
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

/**
 * Stores the operations of the collection's document unless they are already stored; returns false if the document has
 * changed in the meantime.
 */
const hasCurrentOperations = async (ports: RequiredPorts, { id, documentDigest }: Collection): Promise<boolean> => {
  const { collections, operations, documents } = ports;
  if ((await operations.findDigest(id)) === documentDigest) return true;
  const document = await collections.findDocument(id);
  if (document?.digest !== documentDigest) return false;
  return operations.replace(id, documentDigest, await documents.readOperations(document.packed));
};

/**
 * The number of operations that one call reads: reading all of them would block other work. If the document changes in
 * the meantime, their vectors are not stored.
 */
const batchSize = 1_000;

async function* readBatches(
  { operations }: RequiredPorts,
  id: CollectionId,
): AsyncGenerator<readonly Operation[], void, void> {
  for (let from = 0; ; from += batchSize) {
    const batch = await operations.list(id, { tag: null, containing: null }, { from, limit: batchSize });
    yield batch;
    if (batch.length < batchSize) return;
  }
}

const throwMissingVector = (method: string): never => {
  throw new Error(`The embedder returned no vector for a ${method} operation`);
};
