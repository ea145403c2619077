import { aHybridVector, operationIndexContract, proofsOf } from '@portico/contracts';
import type { OperationIndexSubject, Sabotages } from '@portico/contracts';
import type { CollectionId, OperationMatch, OperationQuery } from '@portico/domain';
import { test } from 'vitest';
import { createSearchSabotages } from '../test/search-sabotages.ts';
import { createSubject } from '../test/operation-index-subject.ts';

const {
  replaceSearch,
  mapQuery,
  mapMatches,
  cacheResults,
  shareFirstResult,
  mixTwoModels,
  markAsFallback,
  swallowErrors,
} = createSearchSabotages<OperationIndexSubject, OperationQuery, OperationMatch>();

/** Ranks the matches of a broader query, and filters them afterwards. */
const filterLate = (
  widen: (query: OperationQuery, allIds: readonly CollectionId[]) => OperationQuery,
  isMatch: (match: OperationMatch, query: OperationQuery) => boolean,
) =>
  replaceSearch(async (query, search, { blocks }) => {
    const allIds = (await blocks.listChangedSince(0, query.modelId, 99)).map(({ collectionId }) => collectionId);
    const { matches } = await search(widen(query, allIds));
    return { matches: matches.filter((match) => isMatch(match, query)), isFallback: false };
  });

const accumulateMatches = () => {
  const matchesByKey = new Map<string, OperationMatch>();
  return (matches: readonly OperationMatch[]) => {
    for (const match of matches) matchesByKey.set(match.key, match);
    return [...matchesByKey.values()];
  };
};

const sabotages: Sabotages<typeof operationIndexContract, OperationIndexSubject> = {
  'the similarity is the dot product of the dense vectors plus that of the sparse ones': mapQuery((query) => ({
    ...query,
    vector: { ...query.vector, sparse: aHybridVector([]).sparse },
  })),
  'the best matches come first': mapMatches((matches) => matches.toReversed()),
  'a search does not exceed its limit, even if matches tie': mapQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'a limit above the number of operations returns all of them': mapQuery((query) => ({ ...query, limit: 1 })),
  'an operation is identified by its collection and its key, and other collections may have the same key': mapMatches(
    (matches) => [...new Map(matches.map((match) => [match.key, match])).values()],
  ),
  'only operations of the given collections are returned, and only they count towards the limit': filterLate(
    (query, allIds) => ({ ...query, candidateIds: allIds }),
    ({ collectionId }, { candidateIds }) => candidateIds.includes(collectionId),
  ),
  'operations outside the given collections do not change a result': replaceSearch(
    async (query, search, { blocks }) => {
      const { matches, isFallback } = await search(query);
      const total = (await blocks.listChangedSince(0, query.modelId, 99)).length;
      return { matches: matches.map((match) => ({ ...match, similarity: match.similarity / total })), isFallback };
    },
  ),
  'only operations with the method are returned, and only they count towards the limit': mapQuery((query) => ({
    ...query,
    method: null,
  })),
  'a given collection without operations or without a block is left out': mapMatches((matches, { candidateIds }) => [
    ...matches,
    ...candidateIds.flatMap((collectionId) => matches.slice(0, 1).map((match) => ({ ...match, collectionId }))),
  ]),
  'searching in no collections returns nothing': mapQuery((query) => {
    const allIds = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}` as CollectionId);
    return { ...query, candidateIds: query.candidateIds.length > 0 ? query.candidateIds : allIds };
  }),
  'vectors from other models do not affect the result': mixTwoModels,
  'the next search finds a stored block, even with the same array of collections': cacheResults(),
  'a block replaces the previous one, whose operations are no longer found': mapMatches(accumulateMatches()),
  'concurrent searches each reflect the sequence number that they specify': shareFirstResult(),
  'a query vector with a non-finite value is rejected': mapQuery((query) => ({ ...query, vector: aHybridVector([1]) })),
  'a result from the index is not a fallback': markAsFallback,
  'while the index is unavailable, its check fails, and so does a search that must catch up': swallowErrors,
};

for (const [name, run] of proofsOf(operationIndexContract, sabotages, createSubject)) test(name, run);
