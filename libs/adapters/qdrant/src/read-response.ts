import type { LiveProcess } from '@portico/dependencies';
import type { CollectionId, OperationKey, OperationMatch } from '@portico/domain';
import { QdrantFailure } from './qdrant-failure.ts';

/** A vector's similarity, clamped to 0..1: Qdrant returns negative scores, and its 32-bit floats can exceed 1. */
export interface Score {
  readonly collectionId: CollectionId;
  readonly score: number;
}

/**
 * The unchecked shape of a collection's vectors in Qdrant. Its properties are undefined if the vectors are named, or if
 * there are none.
 */
export interface Shape {
  readonly size: unknown;
  readonly distance: unknown;
}

const createUnusableError = (): QdrantFailure => new QdrantFailure('unavailable', 'it returned an unusable response');

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) throw createUnusableError();
  return value as Readonly<Record<string, unknown>>;
};
const listOf = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw createUnusableError();
  return value;
};
const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw createUnusableError();
  return value;
};

export const readVersion = (response: unknown): string => textOf(objectOf(response).version);

export const readAliases = (response: unknown): ReadonlyMap<string, string> =>
  new Map(
    listOf(objectOf(response).aliases)
      .map(objectOf)
      .map(({ alias_name, collection_name }) => [textOf(alias_name), textOf(collection_name)]),
  );

export const readNames = (response: unknown): readonly string[] =>
  listOf(objectOf(response).collections).map((collection) => textOf(objectOf(collection).name));

export const readShape = (response: unknown): Shape => {
  const { vectors } = objectOf(objectOf(objectOf(response).config).params);
  const { size, distance } = objectOf(vectors ?? {});
  return { size, distance };
};

export const readScores = (response: unknown): readonly Score[] =>
  listOf(objectOf(response).points).map((point) => {
    const { id, score } = objectOf(point);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw createUnusableError();
    return { collectionId: textOf(id) as CollectionId, score: Math.min(1, Math.max(0, score)) };
  });

export const readMatches = (response: unknown): readonly OperationMatch[] =>
  listOf(objectOf(response).points).map((point) => {
    const { score, payload } = objectOf(point);
    const { collection_id, key } = objectOf(payload);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw createUnusableError();
    return { collectionId: textOf(collection_id) as CollectionId, key: textOf(key) as OperationKey, similarity: score };
  });

/** Returns the number of points per value. */
export const readCounts = (response: unknown): ReadonlyMap<string, number> =>
  new Map(
    listOf(objectOf(response).hits)
      .map(objectOf)
      .map(({ value, count }) => [textOf(value), Number(count)]),
  );

export const readSequences = (response: unknown): ReadonlyMap<CollectionId, number> =>
  new Map(listOf(response).map(readSequence));

/** Reads a page of points. `next` is the offset of the next page; null for the last page. */
export const readPage = (response: unknown) => {
  const { points, next_page_offset: next } = objectOf(response);
  const isLast = next === null || next === undefined;
  return { sequences: listOf(points).map(readSequence), next: isLast ? null : (textOf(next) as CollectionId) };
};

/** Reads a point's id and sequence number. A point without a sequence number is not ours, and counts as older than any other. */
const readSequence = (point: unknown): readonly [CollectionId, number] => {
  const { id, payload } = objectOf(point);
  const { sequence } = objectOf(payload ?? {});
  return [textOf(id) as CollectionId, typeof sequence === 'number' ? sequence : -1];
};

export const readLiveProcesses = (response: unknown): readonly LiveProcess[] =>
  listOf(objectOf(response).points).map((point) => {
    const { id, payload } = objectOf(point);
    const { installation, at } = objectOf(payload);
    return { installation: textOf(installation), process: textOf(id), at: Number(at) };
  });

/** Throws unless a write has the status `completed`: `wait_timeout` also has HTTP status 200. */
export const assertCompleted = (response: unknown): void => {
  const results = Array.isArray(response) ? response : [response];
  for (const result of results) {
    const { status } = objectOf(result);
    if (status !== 'completed') throw new QdrantFailure('unavailable', `a write was not completed: ${String(status)}`);
  }
};
