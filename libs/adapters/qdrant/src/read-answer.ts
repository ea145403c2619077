import type { LivingProcess } from '@portico/dependencies';
import type { CollectionId, OperationKey, OperationMatch } from '@portico/domain';
import { QdrantFailure } from './qdrant-failure.ts';

/** A vector and its similarity, clamped to 0 to 1: Qdrant returns negative scores, and its 32-bit floats can exceed 1. */
export interface Score {
  readonly collectionId: CollectionId;
  readonly score: number;
}

/** The shape of a collection's vectors as Qdrant reports it, unchecked; undefined if they are named, or there are none. */
export interface Shape {
  readonly size: unknown;
  readonly distance: unknown;
}

const unusable = (): QdrantFailure => new QdrantFailure('away', 'it returned something that cannot be used');

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) throw unusable();
  return value as Readonly<Record<string, unknown>>;
};
const listOf = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw unusable();
  return value;
};
const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw unusable();
  return value;
};

export const readVersion = (answer: unknown): string => textOf(objectOf(answer).version);

export const readAliases = (answer: unknown): ReadonlyMap<string, string> =>
  new Map(
    listOf(objectOf(answer).aliases)
      .map(objectOf)
      .map(({ alias_name, collection_name }) => [textOf(alias_name), textOf(collection_name)]),
  );

export const readNames = (answer: unknown): readonly string[] =>
  listOf(objectOf(answer).collections).map((collection) => textOf(objectOf(collection).name));

export const readShape = (answer: unknown): Shape => {
  const { vectors } = objectOf(objectOf(objectOf(answer).config).params);
  const { size, distance } = objectOf(vectors ?? {});
  return { size, distance };
};

export const readScores = (answer: unknown): readonly Score[] =>
  listOf(objectOf(answer).points).map((point) => {
    const { id, score } = objectOf(point);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw unusable();
    return { collectionId: textOf(id) as CollectionId, score: Math.min(1, Math.max(0, score)) };
  });

export const readMatches = (answer: unknown): readonly OperationMatch[] =>
  listOf(objectOf(answer).points).map((point) => {
    const { score, payload } = objectOf(point);
    const { collection_id, key } = objectOf(payload);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw unusable();
    return { collectionId: textOf(collection_id) as CollectionId, key: textOf(key) as OperationKey, similarity: score };
  });

/** How many points have each value. */
export const readCounts = (answer: unknown): ReadonlyMap<string, number> =>
  new Map(
    listOf(objectOf(answer).hits)
      .map(objectOf)
      .map(({ value, count }) => [textOf(value), Number(count)]),
  );

export const readSequences = (answer: unknown): ReadonlyMap<CollectionId, number> =>
  new Map(listOf(answer).map(readSequence));

/** `next` is the offset of the next page; null if this is the last. */
export const readPage = (answer: unknown) => {
  const { points, next_page_offset: next } = objectOf(answer);
  const isLast = next === null || next === undefined;
  return { sequences: listOf(points).map(readSequence), next: isLast ? null : (textOf(next) as CollectionId) };
};

/** A point without a sequence is not ours, and counts as older than everything. */
const readSequence = (point: unknown): readonly [CollectionId, number] => {
  const { id, payload } = objectOf(point);
  const { sequence } = objectOf(payload ?? {});
  return [textOf(id) as CollectionId, typeof sequence === 'number' ? sequence : -1];
};

export const readLiving = (answer: unknown): readonly LivingProcess[] =>
  listOf(objectOf(answer).points).map((point) => {
    const { id, payload } = objectOf(point);
    const { installation, at } = objectOf(payload);
    return { installation: textOf(installation), process: textOf(id), at: Number(at) };
  });

/** A write is done only if `completed`: `wait_timeout` has status 200 too. */
export const readDone = (answer: unknown): void => {
  const results = Array.isArray(answer) ? answer : [answer];
  for (const result of results) {
    const { status } = objectOf(result);
    if (status !== 'completed') throw new QdrantFailure('away', `a write was not completed: ${String(status)}`);
  }
};
