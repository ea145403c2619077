import type { CollectionId } from '@portico/domain';

/** The id of the collection with that number, from 0; ids are in the order of numbers. */
export const idAt = (number: number): CollectionId =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

export const numberOf = (id: CollectionId): number => Number(id.slice(-12));

/** The ids after `after` of `count` collections, as a store's `collectionsAfter` returns them. */
export const idsAfter = (after: CollectionId | null, count: number, limit: number): readonly CollectionId[] => {
  const first = after === null ? 0 : numberOf(after) + 1;
  return Array.from({ length: Math.max(0, Math.min(limit, count - first)) }, (_, at) => idAt(first + at));
};
