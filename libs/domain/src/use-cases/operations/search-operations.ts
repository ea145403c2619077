import type { Principal } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import { operationResults, type OperationResult } from '../../operations/operation-result.ts';
import type { EmbeddedQuestion, Ports } from '../../ports/index.ts';
import type { Counting } from '../../usage/usage-counter.ts';
import { createRememberedQueries } from '../search/remembered-queries.ts';
import type { Seeing } from '../search/visible-sets.ts';

export interface OperationSearch {
  readonly query: string;
  readonly limit: number;
  /** Searches this collection alone; null for all that the caller may see. */
  readonly collectionId: CollectionId | null;
  /** In capitals; null for all. */
  readonly method: string | null;
}

export interface OperationAnswer {
  readonly results: readonly OperationResult[];
  /** Whether the index was away, so that the vectors of the database were compared instead. */
  readonly isFallback: boolean;
}

/** How many more are looked for, in place of those that a document no longer has. */
const spare = 50;

type Needs = Seeing & Pick<Ports, 'operations' | 'operationEmbedder' | 'operationIndex'>;

/**
 * Returns the operations that do what was asked, best first, of the collections that the caller may see; none if
 * nothing fits. Hidden collections influence neither results nor scores, because they are left out before anything is
 * ranked. What is shown is read from the database: an operation that the index still has and a document no longer is
 * never shown.
 */
export const searchOperations = (ports: Needs & Counting) => {
  const searchAmong = createSearch(ports);
  return async (principal: Principal, search: OperationSearch): Promise<OperationAnswer> => {
    const visible = await ports.visibleSets(principal);
    const among =
      search.collectionId === null ? visible : visible.includes(search.collectionId) ? [search.collectionId] : [];
    const answer = await searchAmong(among, principal.epochs.operations, search);
    // A collection that may not be seen may not exist either.
    ports.uses.count(principal, 'search', among.length > 0 ? search.collectionId : null);
    return answer;
  };
};

const createSearch = ({ operationEmbedder, operationIndex, operations }: Needs) => {
  const remembered = createRememberedQueries<EmbeddedQuestion>(
    ({ vector: { dense, sparse } }) => dense.byteLength + sparse.indices.byteLength + sparse.weights.byteLength,
  );
  return async (
    among: readonly CollectionId[],
    asOf: number,
    { query, limit, method }: OperationSearch,
  ): Promise<OperationAnswer> => {
    if (among.length === 0) return { results: [], isFallback: false };
    const current = await operationEmbedder.modelId();
    const { modelId, vector } = await remembered(current, query, () => operationEmbedder.embedQuestion(query));
    const wanted = { modelId, vector, among, method, limit: limit + spare, asOf };
    const { matches, isFallback } = await operationIndex.search(wanted);
    return { results: operationResults(matches, await operations.found(matches)).slice(0, limit), isFallback };
  };
};
