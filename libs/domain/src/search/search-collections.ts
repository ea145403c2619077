import { createVisibleSets } from './visible-sets.ts';
import type { Access } from '../access/access.ts';
import { PorticoError } from '../errors.ts';
import type { CollectionId } from '../ids.ts';
import type { Ports, VectorMatch } from '../ports/index.ts';

export interface SearchResult {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  /** 0 to 1, with six decimals. */
  readonly score: number;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  /** Whether the index was away, so that the vectors of the database were compared instead. */
  readonly isFallback: boolean;
}

type Needs = Pick<Ports, 'collections' | 'embedder' | 'vectors'>;

/**
 * The nearest collections of those that the caller may see, best first. What it may not see influences neither results
 * nor scores, for it is left out before anything is ranked.
 */
export const searchCollections = (ports: Needs) => {
  const visibleSets = createVisibleSets(ports);
  return async (access: Access, query: string, limit: number): Promise<SearchAnswer> => {
    const among = await visibleSets(access);
    if (among.length === 0) return { results: [], isFallback: false };
    const { modelId, vectors } = await ports.embedder.embed([query], 'query');
    const [vector] = vectors;
    if (!vector) throw new PorticoError('embedding_unavailable');
    const asOf = access.epochs.embeddings;
    const { matches, isFallback } = await ports.vectors.search({ modelId, vector, among, limit, asOf });
    const names = await ports.collections.names(matches.map((match) => match.collectionId));
    return { results: rank(matches, names).slice(0, limit), isFallback };
  };
};

/** By descending score, ties by name, then by id; a match whose collection is gone by now is dropped. */
export const rank = (matches: readonly VectorMatch[], names: ReadonlyMap<CollectionId, string>): SearchResult[] =>
  matches
    .flatMap(({ collectionId, score }) => {
      const collectionName = names.get(collectionId);
      return collectionName === undefined ? [] : [{ collectionId, collectionName, score: rounded(score) }];
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        compareText(a.collectionName, b.collectionName) ||
        compareText(a.collectionId, b.collectionId),
    );

const rounded = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 1e6) / 1e6;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
