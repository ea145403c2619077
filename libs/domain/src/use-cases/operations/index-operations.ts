import type { Collection } from '../../collections/collection.ts';
import type { Operation } from '../../documents/operation.ts';
import type { CollectionId } from '../../ids.ts';
import type { IndexedOperation } from '../../operations/operation-block.ts';
import { packingOperations } from '../../operations/packed-operations.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';

type Needs = Pick<
  Ports,
  'clock' | 'collections' | 'operations' | 'operationBlocks' | 'operationEmbedder' | 'documents'
>;

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
    packed: await packed(
      ports,
      operations.map(({ key, method }, i) => ({ key, method, vector: vectors[i] ?? missing(method) })),
    ),
  });
};

const packed = async ({ clock }: Needs, operations: readonly IndexedOperation[]): Promise<Uint8Array> => {
  const packing = packingOperations(operations);
  for (;;) {
    const { done, value } = packing.next();
    if (done) return value;
    await clock.turn();
  }
};

/** Those of the collection's document; null if the document has changed meanwhile. */
const currentOperations = async (
  ports: Needs,
  { id, documentDigest }: Collection,
): Promise<readonly Operation[] | null> => {
  const { collections, operations, documents } = ports;
  if ((await operations.digest(id)) !== documentDigest) {
    const document = await collections.document(id);
    if (document?.digest !== documentDigest) return null;
    const read = await documents.readOperations(document.packed);
    if (!(await operations.replace(id, documentDigest, read))) return null;
  }
  return allOperations(ports, id);
};

/** In one read they would hold up everybody. If the document changes meanwhile, their vectors are not stored. */
const operationsAtOnce = 1_000;

const allOperations = async ({ clock, operations }: Needs, id: CollectionId): Promise<readonly Operation[]> => {
  const all: Operation[] = [];
  for (;;) {
    const page = { from: all.length, limit: operationsAtOnce };
    const read = await operations.list(id, { tag: null, containing: null }, page);
    all.push(...read);
    if (read.length < operationsAtOnce) return all;
    await clock.turn();
  }
};

const missing = (method: string): never => {
  throw new Error(`The embedder returned no vector for a ${method} operation`);
};
