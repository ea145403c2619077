import { proofsOf, vectorIndexContract, vectorTowards } from '@portico/contracts';
import type { Sabotages, VectorIndexSubject } from '@portico/contracts';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { test } from 'vitest';
import { breachesOfSearch } from '../test/breaking-search.ts';
import { createSubject } from '../test/vector-index-subject.ts';

type Sabotage = (subject: VectorIndexSubject) => VectorIndexSubject;

const {
  searching: replaceSearch,
  onQuery: mapQuery,
  onMatches: mapMatches,
  remembering: cacheResults,
  inOneFlight: shareFirstResult,
  ofTwoModels: mixTwoModels,
  asFallback: markAsFallback,
  findingNothing: swallowErrors,
} = breachesOfSearch<VectorIndexSubject, VectorQuery, VectorMatch>();

/** Overrides methods of the index. */
const overrideMethods =
  (change: (index: VectorIndex) => Partial<VectorIndex>): Sabotage =>
  (subject) => ({ ...subject, index: { ...subject.index, ...change(subject.index) } });

/** Returns all of a model's collections in the store, as an index without a filter would see them. */
const storedIds = async ({ embeddings }: VectorIndexSubject, modelId: string): Promise<readonly CollectionId[]> =>
  (await embeddings.changedSince(0, modelId, 99)).map(({ collectionId }) => collectionId);

/** Changes an invalid query into a valid one instead of rejecting it. */
const acceptInvalid = (isWrong: (vector: Float32Array) => boolean): Sabotage =>
  mapQuery((query) => ({ ...query, vector: isWrong(query.vector) ? vectorTowards(0, 1) : query.vector }));

/** Ranks the matches before filtering them. */
const filterLate = replaceSearch(async (query, search, subject) => {
  const inside = new Set(query.among);
  const all = [...new Set([...query.among, ...(await storedIds(subject, query.modelId))])];
  const { matches, isFallback } = await search({ ...query, among: all });
  return { matches: matches.filter(({ collectionId }) => inside.has(collectionId)), isFallback };
});

/** Stores only a collection's first vector. */
const keepFirstVector = () => {
  const first = new Map<CollectionId, VectorMatch>();
  return mapMatches((matches) => {
    const firstMatches = matches.map((match) => first.get(match.collectionId) ?? match);
    for (const match of firstMatches) first.set(match.collectionId, match);
    return firstMatches;
  });
};

const sabotages: Sabotages<typeof vectorIndexContract, VectorIndexSubject> = {
  'the best matches come first, by cosine similarity': mapMatches((matches) => matches.toReversed()),
  'all 768 dimensions count': mapQuery((query) => ({
    ...query,
    vector: query.vector.map((x, i) => (i < 767 ? x : 0.5)).fill(1, 0, 1),
  })),
  'a score below 0 is raised to 0': mapMatches((matches) => matches.map((match) => ({ ...match, score: -1 }))),
  'the similarity does not depend on the length of a vector': replaceSearch(async (query, search, { embeddings }) => {
    const stored = await embeddings.changedSince(0, query.modelId, 99);
    const lengths = new Map(stored.map(({ collectionId, vector }) => [collectionId, Math.hypot(...vector)]));
    const { matches, isFallback } = await search(query);
    const scaled = matches.map(({ collectionId, score }) => ({
      collectionId,
      score: score * (lengths.get(collectionId) ?? 1),
    }));
    return { matches: scaled, isFallback };
  }),
  'a search does not exceed its limit if scores differ': mapQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'matches that equal the last score within the limit are returned too': mapMatches((matches, { limit }) =>
    matches.slice(0, limit),
  ),
  'scores raised to 0 are equal, so a limit reached among them returns them all': mapMatches((matches, { limit }) =>
    matches.filter(({ score }, i) => score > 0 || i < limit),
  ),
  'a limit above the number of vectors returns them all': mapQuery((query) => ({
    ...query,
    limit: query.limit > 1000 ? 1 : query.limit,
  })),
  'only the given collections are returned, and they fill the limit': filterLate,
  'vectors outside the given collections do not change a result': filterLate,
  'a given collection without a vector is left out': mapMatches((matches, { among }) => [
    ...matches,
    ...among
      .filter((id) => !matches.some(({ collectionId }) => collectionId === id))
      .map((collectionId) => ({ collectionId, score: 0 })),
  ]),
  'a search among no collections finds nothing': replaceSearch(async (query, search, subject) =>
    search({ ...query, among: query.among.length ? query.among : await storedIds(subject, query.modelId) }),
  ),
  'an empty index returns nothing': mapMatches((matches, { among }) =>
    matches.length ? matches : among.map((collectionId) => ({ collectionId, score: 0 })),
  ),
  'vectors of another model have no influence': mixTwoModels,
  'a stored embedding is found by the next search, even with the same array of collections': cacheResults(),
  'an embedding replaces the earlier one': keepFirstVector(),
  'an embedding of another model does not replace the earlier one': cacheResults(),
  'a removal removes the vectors of every model': mapMatches((matches, { modelId }) => [
    ...matches,
    ...(modelId === 'model-2' && matches.length === 1 ? [{ collectionId: 'a' as CollectionId, score: 1 }] : []),
  ]),
  'a dropped model is no longer found, and the others are; dropping an unknown model is not an error': overrideMethods(
    () => ({
      dropModel: async () => undefined,
    }),
  ),
  'a removed vector is no longer found, even with the same array of collections': cacheResults(),
  'a vector in the slot of a removed one is not mistaken for it': overrideMethods((index) => {
    let removed: CollectionId | undefined;
    return {
      remove: async (id) => {
        removed = id;
        await index.remove(id);
      },
      search: async (query) => {
        if (!removed || !query.among.includes(removed)) return index.search(query);
        const another = '00000000-0000-4000-8000-000000000002' as CollectionId;
        const collectionId = removed;
        const { matches, isFallback } = await index.search({ ...query, among: [another] });
        return { matches: matches.map((match) => ({ ...match, collectionId })), isFallback };
      },
    };
  }),
  'removing an absent vector is not an error': overrideMethods((index) => {
    const known = new Set<CollectionId>();
    return {
      search: async (query) => {
        const result = await index.search(query);
        for (const { collectionId } of result.matches) known.add(collectionId);
        return result;
      },
      remove: async (id) => {
        if (!known.delete(id)) throw new Error('absent');
        await index.remove(id);
      },
    };
  }),
  'a query vector without exactly 768 dimensions is rejected': acceptInvalid(({ length }) => length !== 768),
  'a query vector that is not finite or has no direction is rejected': acceptInvalid(
    (vector) => !vector.every(Number.isFinite) || vector.every((x) => x === 0),
  ),
  'a result reflects every embedding up to the sequence that the query names': keepFirstVector(),
  'each of many concurrent searches reflects the sequence that it names': shareFirstResult(),
  'each model is caught up separately': overrideMethods((index) => {
    let caughtUp = 0;
    return {
      search: async (query) => {
        const isNew = query.asOf > caughtUp;
        caughtUp = query.asOf;
        return isNew ? index.search(query) : { matches: [], isFallback: false };
      },
    };
  }),
  'a result from the index itself is not a fallback': markAsFallback,
  'while the index is unavailable, its check rejects, and so does a search that must catch up': swallowErrors,
  'it names its kind': overrideMethods(() => ({ kind: '' })),
};

for (const [name, run] of proofsOf(vectorIndexContract, sabotages, createSubject)) test(name, run);
