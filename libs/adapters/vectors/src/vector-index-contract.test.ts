import { proofsOf, vectorIndexContract, createVectorTowards } from '@portico/contracts';
import type { Sabotages, VectorIndexSubject } from '@portico/contracts';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { test } from 'vitest';
import { createSearchSabotages } from '../test/search-sabotages.ts';
import { createSubject } from '../test/vector-index-subject.ts';

type Sabotage = (subject: VectorIndexSubject) => VectorIndexSubject;

const {
  replaceSearch,
  mapQuery,
  mapMatches,
  cacheResults,
  shareFirstResult,
  mixTwoModels,
  markAsFallback,
  swallowErrors,
} = createSearchSabotages<VectorIndexSubject, VectorQuery, VectorMatch>();

/** Overrides methods of the index. */
const overrideMethods =
  (change: (index: VectorIndex) => Partial<VectorIndex>): Sabotage =>
  (subject) => ({ ...subject, index: { ...subject.index, ...change(subject.index) } });

/** Returns all of a model's collections in the store, as an index without a filter would see them. */
const listStoredIds = async ({ embeddings }: VectorIndexSubject, modelId: string): Promise<readonly CollectionId[]> =>
  (await embeddings.listChangedSince(0, modelId, 99)).map(({ collectionId }) => collectionId);

/** Changes an invalid query into a valid one instead of rejecting it. */
const acceptInvalid = (isInvalid: (vector: Float32Array) => boolean): Sabotage =>
  mapQuery((query) => ({ ...query, vector: isInvalid(query.vector) ? createVectorTowards(0, 1) : query.vector }));

/** Ranks the matches before filtering them. */
const filterLate = replaceSearch(async (query, search, subject) => {
  const requestedIds = new Set(query.candidateIds);
  const allIds = [...new Set([...query.candidateIds, ...(await listStoredIds(subject, query.modelId))])];
  const { matches, isFallback } = await search({ ...query, candidateIds: allIds });
  return { matches: matches.filter(({ collectionId }) => requestedIds.has(collectionId)), isFallback };
});

/** Stores only a collection's first vector. */
const keepFirstVector = () => {
  const firstById = new Map<CollectionId, VectorMatch>();
  return mapMatches((matches) => {
    const firstMatches = matches.map((match) => firstById.get(match.collectionId) ?? match);
    for (const match of firstMatches) firstById.set(match.collectionId, match);
    return firstMatches;
  });
};

const sabotages: Sabotages<typeof vectorIndexContract, VectorIndexSubject> = {
  'the best matches come first, by cosine similarity': mapMatches((matches) => matches.toReversed()),
  'all 768 dimensions affect the score': mapQuery((query) => ({
    ...query,
    vector: query.vector.map((x, i) => (i < 767 ? x : 0.5)).fill(1, 0, 1),
  })),
  'a score below 0 is clamped to 0': mapMatches((matches) => matches.map((match) => ({ ...match, score: -1 }))),
  'the similarity does not depend on the length of a vector': replaceSearch(async (query, search, { embeddings }) => {
    const storedEmbeddings = await embeddings.listChangedSince(0, query.modelId, 99);
    const lengths = new Map(storedEmbeddings.map(({ collectionId, vector }) => [collectionId, Math.hypot(...vector)]));
    const { matches, isFallback } = await search(query);
    const scaledMatches = matches.map(({ collectionId, score }) => ({
      collectionId,
      score: score * (lengths.get(collectionId) ?? 1),
    }));
    return { matches: scaledMatches, isFallback };
  }),
  'a search does not exceed its limit if scores differ': mapQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'matches with the same score as the last one within the limit are also returned': mapMatches((matches, { limit }) =>
    matches.slice(0, limit),
  ),
  'scores clamped to 0 are equal, so all of them are returned if the limit falls among them': mapMatches(
    (matches, { limit }) => matches.filter(({ score }, i) => score > 0 || i < limit),
  ),
  'a limit above the number of vectors returns all of them': mapQuery((query) => ({
    ...query,
    limit: query.limit > 1000 ? 1 : query.limit,
  })),
  'only the given collections are returned, and only they count towards the limit': filterLate,
  'vectors outside the given collections do not change a result': filterLate,
  'a given collection without a vector is left out': mapMatches((matches, { candidateIds }) => [
    ...matches,
    ...candidateIds
      .filter((id) => !matches.some(({ collectionId }) => collectionId === id))
      .map((collectionId) => ({ collectionId, score: 0 })),
  ]),
  'searching in no collections returns nothing': replaceSearch(async (query, search, subject) =>
    search({
      ...query,
      candidateIds: query.candidateIds.length ? query.candidateIds : await listStoredIds(subject, query.modelId),
    }),
  ),
  'an empty index returns nothing': mapMatches((matches, { candidateIds }) =>
    matches.length ? matches : candidateIds.map((collectionId) => ({ collectionId, score: 0 })),
  ),
  'vectors from other models do not affect the result': mixTwoModels,
  'the next search finds a stored embedding, even with the same array of collections': cacheResults(),
  'an embedding replaces the previous one': keepFirstVector(),
  'an embedding from a different model does not replace the existing one': cacheResults(),
  'removing a collection removes its vectors for every model': mapMatches((matches, { modelId }) => [
    ...matches,
    ...(modelId === 'model-2' && matches.length === 1 ? [{ collectionId: 'a' as CollectionId, score: 1 }] : []),
  ]),
  'after a model is dropped, only its vectors are no longer found, and dropping an unknown model is not an error':
    overrideMethods(() => ({
      dropModel: async () => undefined,
    })),
  'a removed vector is no longer found, even with the same array of collections': cacheResults(),
  'a vector in the slot of a removed vector is not mistaken for the removed one': overrideMethods((index) => {
    let removedId: CollectionId | undefined;
    return {
      remove: async (id) => {
        removedId = id;
        await index.remove(id);
      },
      search: async (query) => {
        if (!removedId || !query.candidateIds.includes(removedId)) return index.search(query);
        const otherId = '00000000-0000-4000-8000-000000000002' as CollectionId;
        const collectionId = removedId;
        const { matches, isFallback } = await index.search({ ...query, candidateIds: [otherId] });
        return { matches: matches.map((match) => ({ ...match, collectionId })), isFallback };
      },
    };
  }),
  'removing a missing vector is not an error': overrideMethods((index) => {
    const knownIds = new Set<CollectionId>();
    return {
      search: async (query) => {
        const result = await index.search(query);
        for (const { collectionId } of result.matches) knownIds.add(collectionId);
        return result;
      },
      remove: async (id) => {
        if (!knownIds.delete(id)) throw new Error('absent');
        await index.remove(id);
      },
    };
  }),
  'a query vector without exactly 768 dimensions is rejected': acceptInvalid(({ length }) => length !== 768),
  'a query vector that is not finite or has no direction is rejected': acceptInvalid(
    (vector) => !vector.every(Number.isFinite) || vector.every((x) => x === 0),
  ),
  'a result reflects every embedding up to the sequence number that the query specifies': keepFirstVector(),
  'concurrent searches each reflect the sequence number that they specify': shareFirstResult(),
  'each model catches up separately': overrideMethods((index) => {
    let latestAsOf = 0;
    return {
      search: async (query) => {
        const isNew = query.asOf > latestAsOf;
        latestAsOf = query.asOf;
        return isNew ? index.search(query) : { matches: [], isFallback: false };
      },
    };
  }),
  'a result from the index is not a fallback': markAsFallback,
  'while the index is unavailable, its check fails, and so does a search that must catch up': swallowErrors,
  'the index reports its kind': overrideMethods(() => ({ kind: '' })),
};

for (const [name, run] of proofsOf(vectorIndexContract, sabotages, createSubject)) test(name, run);
