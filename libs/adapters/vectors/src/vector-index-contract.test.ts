import { proofsOf, vectorIndexContract, vectorTowards } from '@portico/contracts';
import type { Sabotages, VectorIndexSubject } from '@portico/contracts';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { test } from 'vitest';
import { breachesOfSearch } from '../test/breaking-search.ts';
import { createSubject } from '../test/vector-index-subject.ts';

type Sabotage = (subject: VectorIndexSubject) => VectorIndexSubject;

const { searching, onQuery, onMatches, remembering, inOneFlight, ofTwoModels, asFallback, findingNothing } =
  breachesOfSearch<VectorIndexSubject, VectorQuery, VectorMatch>();

/** Overrides methods of the index. */
const over =
  (change: (index: VectorIndex) => Partial<VectorIndex>): Sabotage =>
  (subject) => ({ ...subject, index: { ...subject.index, ...change(subject.index) } });

/** All that the store has of a model, as an index without a filter would see it. */
const storedIds = async ({ embeddings }: VectorIndexSubject, modelId: string): Promise<readonly CollectionId[]> =>
  (await embeddings.changedSince(0, modelId, 99)).map(({ collectionId }) => collectionId);

/** An index that changes the query instead of refusing it. */
const accepting = (isWrong: (vector: Float32Array) => boolean): Sabotage =>
  onQuery((query) => ({ ...query, vector: isWrong(query.vector) ? vectorTowards(0, 1) : query.vector }));

/** An index that ranks before it filters. */
const everywhere = searching(async (query, search, subject) => {
  const inside = new Set(query.among);
  const all = [...new Set([...query.among, ...(await storedIds(subject, query.modelId))])];
  const { matches, isFallback } = await search({ ...query, among: all });
  return { matches: matches.filter(({ collectionId }) => inside.has(collectionId)), isFallback };
});

/** An index that keeps only the first vector of a collection. */
const keepingTheFirst = () => {
  const first = new Map<CollectionId, VectorMatch>();
  return onMatches((matches) => {
    const kept = matches.map((match) => first.get(match.collectionId) ?? match);
    for (const match of kept) first.set(match.collectionId, match);
    return kept;
  });
};

const sabotages: Sabotages<typeof vectorIndexContract, VectorIndexSubject> = {
  'the best come first, by cosine similarity': onMatches((matches) => matches.toReversed()),
  'all 768 dimensions count': onQuery((query) => ({
    ...query,
    vector: query.vector.map((x, i) => (i < 767 ? x : 0.5)).fill(1, 0, 1),
  })),
  'a score below 0 is raised to 0': onMatches((matches) => matches.map((match) => ({ ...match, score: -1 }))),
  'the similarity does not depend on the length of a vector': searching(async (query, search, { embeddings }) => {
    const stored = await embeddings.changedSince(0, query.modelId, 99);
    const lengths = new Map(stored.map(({ collectionId, vector }) => [collectionId, Math.hypot(...vector)]));
    const { matches, isFallback } = await search(query);
    const scaled = matches.map(({ collectionId, score }) => ({
      collectionId,
      score: score * (lengths.get(collectionId) ?? 1),
    }));
    return { matches: scaled, isFallback };
  }),
  'at most the limit is returned if scores differ': onQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'matches that equal the last score within the limit are returned too': onMatches((matches, { limit }) =>
    matches.slice(0, limit),
  ),
  'scores raised to 0 are equal, so a limit that ends among them returns them all': onMatches((matches, { limit }) =>
    matches.filter(({ score }, i) => score > 0 || i < limit),
  ),
  'a limit above the number of vectors returns them all': onQuery((query) => ({
    ...query,
    limit: query.limit > 1000 ? 1 : query.limit,
  })),
  'only the given collections are returned, and they fill the limit': everywhere,
  'vectors outside the given collections do not change an answer': everywhere,
  'a given collection without a vector is left out': onMatches((matches, { among }) => [
    ...matches,
    ...among
      .filter((id) => !matches.some(({ collectionId }) => collectionId === id))
      .map((collectionId) => ({ collectionId, score: 0 })),
  ]),
  'among no collections, nothing is found': searching(async (query, search, subject) =>
    search({ ...query, among: query.among.length ? query.among : await storedIds(subject, query.modelId) }),
  ),
  'an empty index returns nothing': onMatches((matches, { among }) =>
    matches.length ? matches : among.map((collectionId) => ({ collectionId, score: 0 })),
  ),
  'vectors of another model have no influence': ofTwoModels,
  'a stored embedding is found by the next search, even with the same array of collections': remembering(),
  'an embedding replaces the earlier one': keepingTheFirst(),
  'an embedding of another model leaves the earlier one in place': remembering(),
  'a removal reaches the vectors of every model': onMatches((matches, { modelId }) => [
    ...matches,
    ...(modelId === 'model-2' && matches.length === 1 ? [{ collectionId: 'a' as CollectionId, score: 1 }] : []),
  ]),
  'a forgotten model is no longer found, and the others are; forgetting an absent one is no error': over(() => ({
    forget: async () => undefined,
  })),
  'a removed vector is no longer found, even with the same array of collections': remembering(),
  'a vector in the slot of a removed one is not mistaken for it': over((index) => {
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
  'removing an absent vector is no error': over((index) => {
    const known = new Set<CollectionId>();
    return {
      search: async (query) => {
        const answer = await index.search(query);
        for (const { collectionId } of answer.matches) known.add(collectionId);
        return answer;
      },
      remove: async (id) => {
        if (!known.delete(id)) throw new Error('absent');
        await index.remove(id);
      },
    };
  }),
  'a query vector without exactly 768 dimensions is refused': accepting(({ length }) => length !== 768),
  'a query vector that is not finite or has no direction is refused': accepting(
    (vector) => !vector.every(Number.isFinite) || vector.every((x) => x === 0),
  ),
  'an answer reflects every embedding up to the sequence that the query names': keepingTheFirst(),
  'each of many concurrent searches reflects the sequence that it names': inOneFlight(),
  'each model is caught up by itself': over((index) => {
    let caughtUp = 0;
    return {
      search: async (query) => {
        const isNew = query.asOf > caughtUp;
        caughtUp = query.asOf;
        return isNew ? index.search(query) : { matches: [], isFallback: false };
      },
    };
  }),
  'an answer from the index itself is no fallback': asFallback,
  'while the index cannot answer, its check rejects, and so does a search that must catch up': findingNothing,
  'it names its kind': over(() => ({ kind: '' })),
};

for (const [name, run] of proofsOf(vectorIndexContract, sabotages, createSubject)) test(name, run);
