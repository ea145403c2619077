import { aHybridVector, operationIndexContract, proofsOf } from '@portico/contracts';
import type { OperationIndexSubject, Sabotages } from '@portico/contracts';
import type { CollectionId, OperationMatch, OperationQuery } from '@portico/domain';
import { test } from 'vitest';
import { breachesOfSearch } from '../test/breaking-search.ts';
import { createSubject } from '../test/operation-index-subject.ts';

const { searching, onQuery, onMatches, remembering, inOneFlight, ofTwoModels, asFallback, findingNothing } =
  breachesOfSearch<OperationIndexSubject, OperationQuery, OperationMatch>();

/** Ranks before it filters by what is not asked for then. */
const filteringLate = (
  widened: (query: OperationQuery, all: readonly CollectionId[]) => OperationQuery,
  isWanted: (match: OperationMatch, query: OperationQuery) => boolean,
) =>
  searching(async (query, search, { blocks }) => {
    const all = (await blocks.changedSince(0, query.modelId, 99)).map(({ collectionId }) => collectionId);
    const { matches } = await search(widened(query, all));
    return { matches: matches.filter((match) => isWanted(match, query)), isFallback: false };
  });

const keepingAll = () => {
  const seen = new Map<string, OperationMatch>();
  return (matches: readonly OperationMatch[]) => {
    for (const match of matches) seen.set(match.key, match);
    return [...seen.values()];
  };
};

const sabotages: Sabotages<typeof operationIndexContract, OperationIndexSubject> = {
  'the similarity is the dot product of the dense vectors plus that of the sparse ones': onQuery((query) => ({
    ...query,
    vector: { ...query.vector, sparse: aHybridVector([]).sparse },
  })),
  'the best come first': onMatches((matches) => matches.toReversed()),
  'at most the limit is returned, also of equals': onQuery((query) => ({ ...query, limit: query.limit + 1 })),
  'a limit above the number of operations returns them all': onQuery((query) => ({ ...query, limit: 1 })),
  'an operation is named by its collection and its key, which other collections may have too': onMatches((matches) => [
    ...new Map(matches.map((match) => [match.key, match])).values(),
  ]),
  'only operations of the given collections are returned, and they fill the limit': filteringLate(
    (query, all) => ({ ...query, among: all }),
    ({ collectionId }, { among }) => among.includes(collectionId),
  ),
  'operations outside the given collections do not change an answer': searching(async (query, search, { blocks }) => {
    const { matches, isFallback } = await search(query);
    const total = (await blocks.changedSince(0, query.modelId, 99)).length;
    return { matches: matches.map((match) => ({ ...match, similarity: match.similarity / total })), isFallback };
  }),
  'only operations with the method are returned, and they fill the limit': onQuery((query) => ({
    ...query,
    method: null,
  })),
  'a given collection without operations, or without a block, is left out': onMatches((matches, { among }) => [
    ...matches,
    ...among.flatMap((collectionId) => matches.slice(0, 1).map((match) => ({ ...match, collectionId }))),
  ]),
  'among no collections, nothing is found': onQuery((query) => {
    const all = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}` as CollectionId);
    return { ...query, among: query.among.length > 0 ? query.among : all };
  }),
  'vectors of another model have no influence': ofTwoModels,
  'a stored block is found by the next search, even with the same array of collections': remembering(),
  'a block replaces the earlier one, and nothing of that is found again': onMatches(keepingAll()),
  'each of many concurrent searches reflects the sequence that it names': inOneFlight(),
  'a query that is not finite is refused': onQuery((query) => ({ ...query, vector: aHybridVector([1]) })),
  'an answer from the index itself is no fallback': asFallback,
  'while the index cannot answer, its check rejects, and so does a search that must catch up': findingNothing,
};

for (const [name, run] of proofsOf(operationIndexContract, sabotages, createSubject)) test(name, run);
