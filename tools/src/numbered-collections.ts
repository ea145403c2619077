import type { CollectionId } from '@portico/domain';

/** Returns the id of the collection with this number, starting at 0. Ids are in the same order as the numbers. */
export const idAt = (number: number): CollectionId =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

export const numberOf = (id: CollectionId): number => Number(id.slice(-12));

/** Returns the ids of `count` collections that follow `after`, as a store's `listCollectionsAfter` does. */
export const listIdsAfter = (after: CollectionId | null, count: number, limit: number): readonly CollectionId[] => {
  const firstNumber = after === null ? 0 : numberOf(after) + 1;
  return Array.from({ length: Math.max(0, Math.min(limit, count - firstNumber)) }, (_, index) =>
    idAt(firstNumber + index),
  );
};
