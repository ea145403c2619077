import { aHybridVector, operationIndexContract, proofsOf } from '@portico/contracts';
import type { OperationIndexSubject, Sabotages } from '@portico/contracts';
import type { CollectionId, OperationIndex, OperationMatch, OperationMatches, OperationQuery } from '@portico/domain';
import { test } from 'vitest';
import { createSubject } from '../test/operation-index-subject.ts';

type Sabotage = (subject: OperationIndexSubject) => OperationIndexSubject;

/** Overrides methods of the index. */
const over =
  (change: (index: OperationIndex, subject: OperationIndexSubject) => Partial<OperationIndex>): Sabotage =>
  (subject) => ({ ...subject, index: { ...subject.index, ...change(subject.index, subject) } });

const onMatches = (
  change: (matches: readonly OperationMatch[], query: OperationQuery) => readonly OperationMatch[],
): Sabotage =>
  over((index) => ({
    search: async (query) => ({ matches: change((await index.search(query)).matches, query), isFallback: false }),
  }));

const onQuery = (change: (query: OperationQuery) => OperationQuery): Sabotage =>
  over((index) => ({ search: (query) => index.search(change(query)) }));

/** Ranks before it filters by what is not asked for then. */
const filteringLate = (
  widened: (query: OperationQuery, all: readonly CollectionId[]) => OperationQuery,
  isWanted: (match: OperationMatch, query: OperationQuery) => boolean,
): Sabotage =>
  over((index, { blocks }) => ({
    search: async (query) => {
      const all = (await blocks.changedSince(0, query.modelId, 99)).map(({ collectionId }) => collectionId);
      const { matches } = await index.search(widened(query, all));
      return { matches: matches.filter((match) => isWanted(match, query)), isFallback: false };
    },
  }));

/** Caches its first answer for an array of collections. */
const rememberingAnswers = (): Sabotage =>
  over((index) => {
    const found = new WeakMap<readonly CollectionId[], OperationMatches>();
    return {
      search: async (query) => {
        const answer = found.get(query.among) ?? (await index.search(query));
        found.set(query.among, answer);
        return answer;
      },
    };
  });

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
  'operations outside the given collections do not change an answer': over((index, { blocks }) => ({
    search: async (query) => {
      const { matches, isFallback } = await index.search(query);
      const total = (await blocks.changedSince(0, query.modelId, 99)).length;
      return { matches: matches.map((match) => ({ ...match, similarity: match.similarity / total })), isFallback };
    },
  })),
  'only operations with the method are returned, and they fill the limit': onQuery((query) => ({
    ...query,
    method: null,
  })),
  'a given collection without operations, or without a block, is left out': onMatches((matches, { among }) => [
    ...matches,
    ...among.flatMap((collectionId) => matches.slice(0, 1).map((match) => ({ ...match, collectionId }))),
  ]),
  'among no collections, nothing is found': over((index) => {
    return {
      search: async (query) => {
        const all = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}` as CollectionId);
        return index.search({ ...query, among: query.among.length > 0 ? query.among : all });
      },
    };
  }),
  'vectors of another model have no influence': over((index) => ({
    search: async (query) => {
      const answers = await Promise.all(['model-1', 'model-2'].map((modelId) => index.search({ ...query, modelId })));
      return { matches: answers.flatMap(({ matches }) => matches), isFallback: false };
    },
  })),
  'a stored block is found by the next search, even with the same array of collections': rememberingAnswers(),
  'a block replaces the earlier one, and nothing of that is found again': over((index) => {
    const seen = new Map<string, OperationMatch>();
    return {
      search: async (query) => {
        for (const match of (await index.search(query)).matches) seen.set(match.key, match);
        return { matches: [...seen.values()], isFallback: false };
      },
    };
  }),
  'each of many concurrent searches reflects the sequence that it names': over((index) => {
    let flight: Promise<OperationMatches> | undefined;
    return { search: (query) => (flight ??= index.search(query)) };
  }),
  'a query that is not finite is refused': onQuery((query) => ({ ...query, vector: aHybridVector([1]) })),
  'an answer from the index itself is no fallback': over((index) => ({
    search: async (query) => ({ ...(await index.search(query)), isFallback: true }),
  })),
  'while the index cannot answer, its check rejects, and so does a search that must catch up': over((index) => ({
    search: (query) => index.search(query).catch(() => ({ matches: [], isFallback: true })),
  })),
};

for (const [name, run] of proofsOf(operationIndexContract, sabotages, createSubject)) test(name, run);
