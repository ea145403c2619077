import { compileRules, type WithPermission } from '../../access/operation-rule.ts';
import { isAdmin, type Principal, rulesOf } from '../../access/principal.ts';
import { withSummary } from '../../documents/read-operations.ts';
import type { CollectionId } from '../../ids.ts';
import { toOperationResults, type OperationResult } from '../../operations/operation-result.ts';
import type { EmbeddedQuery, Ports } from '../../ports/index.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import { createQueryCache } from '../search/query-cache.ts';
import type { VisibleSet, WithVisibleSets } from '../search/visible-sets.ts';

export interface OperationSearch {
  readonly query: string;
  readonly limit: number;
  /** Searches this collection alone; null for all collections that the caller may see. */
  readonly collectionId: CollectionId | null;
  /** Only operations with this method, in upper case; null for all. */
  readonly method: string | null;
}

export interface OperationSearchResults {
  readonly results: readonly (OperationResult & WithPermission)[];
  /** Whether the index was unavailable, so the vectors in the database were compared instead. */
  readonly isFallback: boolean;
}

/** The number of additional matches to request, to replace those that a document no longer has. */
const extraMatches = 50;

type RequiredPorts = WithVisibleSets & Pick<Ports, 'operations' | 'operationEmbedder' | 'operationIndex'>;

/**
 * Returns the operations that match the query, best first, from the collections that the caller may see; none if
 * nothing matches, and none of retired collections. Hidden collections influence neither results nor scores, because they are excluded before ranking.
 * Displayed data is read from the database: an operation that is still in the index but no longer in a document is
 * never shown. Each has a summary for display (`withSummary`), and whether the caller may call it. Rules for calls
 * influence neither results nor scores.
 */
export const searchOperations = (ports: RequiredPorts & WithUsageCounter & Pick<Ports, 'grants'>) => {
  const runSearch = createSearch(ports);
  return async (principal: Principal, search: OperationSearch): Promise<OperationSearchResults> => {
    const { ids, deprecatedIds } = await ports.visibleSets(principal);
    const candidateIds =
      search.collectionId === null ? ids : ids.includes(search.collectionId) ? [search.collectionId] : [];
    const candidates = { ids: candidateIds, deprecatedIds };
    const { results, isFallback } = await runSearch(candidates, principal.epochs.operations, search);
    // A collection that the caller may not see might not even exist.
    ports.uses.count(principal, 'search', candidateIds.length > 0 ? search.collectionId : null);
    return { results: await addPermissions(ports, principal, results), isFallback };
  };
};

/** Adds whether the caller may call each operation; reads the rules of all their collections at once. */
const addPermissions = async (
  { grants }: Pick<Ports, 'grants'>,
  principal: Principal,
  results: readonly OperationResult[],
): Promise<OperationSearchResults['results']> => {
  const { profile, readAt } = principal;
  if (results.length === 0) return [];
  if (isAdmin(profile)) return results.map((result) => ({ ...result, call: 'allowed' }));
  const ids = [...new Set(results.map(({ collectionId }) => collectionId))];
  const rulesById = await grants.listRules(profile.id, ids, readAt);
  const permissions = new Map(
    ids.map((id) => [id, compileRules(rulesOf({ profile, rules: rulesById.get(id) ?? [] }))] as const),
  );
  return results.map((result) => ({ ...result, call: permissions.get(result.collectionId)?.(result) ?? 'denied' }));
};

const createSearch = ({ operationEmbedder, operationIndex, operations }: RequiredPorts) => {
  const embedCached = createQueryCache<EmbeddedQuery>(
    ({ vector: { dense, sparse } }) => dense.byteLength + sparse.indices.byteLength + sparse.weights.byteLength,
  );
  return async (
    { ids: candidateIds, deprecatedIds }: VisibleSet,
    asOf: number,
    { query, limit, method }: OperationSearch,
  ): Promise<{ readonly results: readonly OperationResult[]; readonly isFallback: boolean }> => {
    if (candidateIds.length === 0) return { results: [], isFallback: false };
    const currentModelId = await operationEmbedder.getModelId();
    const { modelId, vector } = await embedCached(currentModelId, query, () => operationEmbedder.embedQuery(query));
    const indexQuery = { modelId, vector, candidateIds, method, limit: limit + extraMatches, asOf };
    const { matches, isFallback } = await operationIndex.search(indexQuery);
    const results = toOperationResults(matches, await operations.findMany(matches), deprecatedIds);
    return { results: results.slice(0, limit).map(withSummary), isFallback };
  };
};
