import type { CollectionId } from '../ids.ts';

/** The maximum length of a query, in characters (Unicode code points), after trimming (specification, section 1). */
export const searchQueryMax = 2_000;

export interface VectorMatch {
  readonly collectionId: CollectionId;
  /** The cosine similarity; negative values become 0. */
  readonly score: number;
}

export interface SearchResult {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  /** Whether the collection is deprecated. */
  readonly deprecated: boolean;
  /** The score, 0 to 1, with six decimals. */
  readonly score: number;
}

export interface SearchResults {
  readonly results: readonly SearchResult[];
  /** Whether the index was unavailable, so that the vectors in the database were compared instead. */
  readonly isFallback: boolean;
}

/**
 * Sorts by descending score, then those that are not deprecated first, then by name and id; drops matches whose
 * collection no longer exists.
 */
export const rank = (
  matches: readonly VectorMatch[],
  names: ReadonlyMap<CollectionId, string>,
  deprecatedIds: ReadonlySet<CollectionId> = new Set(),
): SearchResult[] =>
  matches
    .flatMap(({ collectionId, score }) => {
      const collectionName = names.get(collectionId);
      if (collectionName === undefined) return [];
      const deprecated = deprecatedIds.has(collectionId);
      return [{ collectionId, collectionName, deprecated, score: roundScore(score) }];
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        Number(a.deprecated) - Number(b.deprecated) ||
        compareText(a.collectionName, b.collectionName) ||
        compareText(a.collectionId, b.collectionId),
    );

const roundScore = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 1e6) / 1e6;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
