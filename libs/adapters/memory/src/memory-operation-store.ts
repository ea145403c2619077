import type { CollectionId, OperationStore, PositionedOperation } from '@portico/domain';
import { copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryOperationStore = (database: MemoryDatabase): OperationStore => {
  const { collections, operations } = database;
  const listPositionedOperations = (id: CollectionId): readonly PositionedOperation[] =>
    (operations.get(id)?.operations ?? []).map((operation, position) => ({ ...operation, position }));

  return {
    async list(collectionId, { tag, containing }, page) {
      const searchText = containing === null ? null : toAsciiLowerCase(containing);
      return listPositionedOperations(collectionId)
        .filter(({ tags }) => tag === null || tags.includes(tag))
        .filter(
          ({ path, operationId, summary, excerpt }) =>
            searchText === null ||
            [path, operationId, summary ?? excerpt].some((text) => toAsciiLowerCase(text ?? '').includes(searchText)),
        )
        .filter(({ position }) => position >= (page?.from ?? 0))
        .slice(0, page?.limit);
    },

    async find(collectionId, key) {
      return operations.get(collectionId)?.operations.find((operation) => operation.key === key) ?? null;
    },

    async findMany(names) {
      return names.flatMap(({ collectionId, key }) => {
        const operation = operations.get(collectionId)?.operations.find((candidate) => candidate.key === key);
        const collection = collections.get(collectionId);
        return operation && collection ? [{ ...operation, collectionId, collectionName: collection.name }] : [];
      });
    },

    async areAllDeprecated(collectionId) {
      const storedOperations = operations.get(collectionId)?.operations ?? [];
      return storedOperations.length > 0 && storedOperations.every(({ deprecated }) => deprecated);
    },

    async findDigest(collectionId) {
      return operations.get(collectionId)?.digest ?? null;
    },

    async replace(collectionId, documentDigest, newOperations) {
      if (collections.get(collectionId)?.documentDigest !== documentDigest) return false;
      operations.set(collectionId, copyFrozen({ digest: documentDigest, operations: newOperations }));
      return true;
    },
  };
};

const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
