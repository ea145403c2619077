import { aHybridVector, operationIndexContract, proofsOf } from '@portico/contracts';
import type { OperationIndexSubject, Sabotages } from '@portico/contracts';
import type { CollectionId, OperationMatch, OperationQuery } from '@portico/domain';
import { test } from 'vitest';
import { breachesOfSearch } from '../test/breaking-search.ts';
import { createSubject } from '../test/operation-index-subject.ts';

const {
  searching: replaceSearch,
  onQuery: mapQuery,
  onMatches: mapMatches,
  remembering: cacheResults,
  inOneFlight: shareFirstResult,
  ofTwoModels: mixTwoModels,
  asFallback: markAsFallback,
  findingNothing: swallowErrors,
} = breachesOfSearch<OperationIndexSubject, OperationQuery, OperationMatch>();

/** Ranks the matches of a broader query, and filters them afterwards. */
const filterLate = (
  widen: (query: OperationQuery, all: readonly CollectionId[]) => OperationQuery,
  isMatch: (match: OperationMatch, query: OperationQuery) => boolean,
) =>
  replaceSearch(async (query, search, { blocks }) => {
    const all = (await blocks.changedSince(0, query.modelId, 99)).map(({ collectionId }) => collectionId);
    const { matches } = await search(widen(query, all));
    return { matches: matches.filter((match) => isMatch(match, query)), isFallback: false };
  });

const accumulateMatches = () => {
  const seen = new Map<string, OperationMatch>();
  return (matches: readonly OperationMatch[]) => {
    for (const match of matches) seen.set(match.key, match);
    return [...seen.values()];
  };
};

const sabotages: Sabotages<typeof operationIndexContract, OperationIndexSubject> = {
  'the similarity is the dot product of the dense vectors plus that of the sparse ones': mapQuery((query) => ({
    ...query,
    vector: { ...query.vector, sparse: aHybridVector([]).sparse },
  })),
  'the best matches come first': mapMatches((matches) => matches.toReversed()),
  'a search does not exceed its limit, even among equal matches': mapQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'a limit above the number of operations returns them all': mapQuery((query) => ({ ...query, limit: 1 })),
  'an operation is identified by its collection and its key, which other collections may have too': mapMatches(
    (matches) => [...new Map(matches.map((match) => [match.key, match])).values()],
  ),
  'only operations of the given collections are returned, and they fill the limit': filterLate(
    (query, all) => ({ ...query, among: all }),
    ({ collectionId }, { among }) => among.includes(collectionId),
  ),
  'operations outside the given collections do not change a result': replaceSearch(
    async (query, search, { blocks }) => {
      const { matches, isFallback } = await search(query);
      const total = (await blocks.changedSince(0, query.modelId, 99)).length;
      return { matches: matches.map((match) => ({ ...match, similarity: match.similarity / total })), isFallback };
    },
  ),
  'only operations with the method are returned, and they fill the limit': mapQuery((query) => ({
    ...query,
    method: null,
  })),
  'a given collection without operations, or without a block, is left out': mapMatches((matches, { among }) => [
    ...matches,
    ...among.flatMap((collectionId) => matches.slice(0, 1).map((match) => ({ ...match, collectionId }))),
  ]),
  'a search among no collections finds nothing': mapQuery((query) => {
    const all = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}` as CollectionId);
    return { ...query, among: query.among.length > 0 ? query.among : all };
  }),
  'vectors of another model have no influence': mixTwoModels,
  'a stored block is found by the next search, even with the same array of collections': cacheResults(),
  'a block replaces the earlier one, and none of its operations are found again': mapMatches(accumulateMatches()),
  'each of many concurrent searches reflects the sequence that it names': shareFirstResult(),
  'a query that is not finite is rejected': mapQuery((query) => ({ ...query, vector: aHybridVector([1]) })),
  'a result from the index itself is not a fallback': markAsFallback,
  'while the index is unavailable, its check rejects, and so does a search that must catch up': swallowErrors,
};

for (const [name, run] of proofsOf(operationIndexContract, sabotages, createSubject)) test(name, run);
