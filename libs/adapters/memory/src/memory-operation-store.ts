import type { CollectionId, OperationStore, PlacedOperation } from '@portico/domain';
import { kept, type MemoryDatabase } from './memory-database.ts';

export const createMemoryOperationStore = (database: MemoryDatabase): OperationStore => {
  const { collections, operations } = database;
  const placed = (id: CollectionId): readonly PlacedOperation[] =>
    (operations.get(id)?.operations ?? []).map((operation, position) => ({ ...operation, position }));

  return {
    async list(collectionId, { tag, containing }, page) {
      const wanted = containing === null ? null : lowered(containing);
      return placed(collectionId)
        .filter(({ tags }) => tag === null || tags.includes(tag))
        .filter(
          ({ path, operationId, summary }) =>
            wanted === null || [path, operationId, summary].some((text) => lowered(text ?? '').includes(wanted)),
        )
        .filter(({ position }) => position >= (page?.from ?? 0))
        .slice(0, page?.limit);
    },

    async find(collectionId, key) {
      return operations.get(collectionId)?.operations.find((operation) => operation.key === key) ?? null;
    },

    async found(names) {
      return names.flatMap(({ collectionId, key }) => {
        const operation = operations.get(collectionId)?.operations.find((one) => one.key === key);
        const collection = collections.get(collectionId);
        return operation && collection ? [{ ...operation, collectionId, collectionName: collection.name }] : [];
      });
    },

    async areAllDeprecated(collectionId) {
      const stored = operations.get(collectionId)?.operations ?? [];
      return stored.length > 0 && stored.every(({ deprecated }) => deprecated);
    },

    async digest(collectionId) {
      return operations.get(collectionId)?.digest ?? null;
    },

    async replace(collectionId, documentDigest, read) {
      if (collections.get(collectionId)?.documentDigest !== documentDigest) return false;
      operations.set(collectionId, kept({ digest: documentDigest, operations: read }));
      return true;
    },
  };
};

const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
