import { createOperationBlockChanges } from '@portico/contracts';
import { type CollectionId, readPackedLayout, unpackOperations } from '@portico/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeFullScore, computeFullSimilarity, toUnit } from '../test/full-comparison.ts';
import { idOf, keyOf } from '../test/random-operations.ts';
import { type Random, randomNumbers, vectorSets } from '../test/random-vectors.ts';
import { createSubject } from '../test/vector-index-subject.ts';
import { createEmbeddedOperationIndex } from './embedded-operation-index.ts';

interface Match {
  readonly collectionId: CollectionId;
  readonly score: number;
}

/** Orders matches by score, then by id, because ties have no defined order. */
const compareByScoreAndId = (x: Match, y: Match): number =>
  y.score - x.score || Number(x.collectionId > y.collectionId) - Number(x.collectionId < y.collectionId);

/** Returns the best of these unit vectors, including all that tie with the last one, by comparing each vector. */
const findBest = (
  storedVectors: ReadonlyMap<CollectionId, Float32Array>,
  query: Float32Array,
  candidateIds: readonly CollectionId[],
  limit: number,
): readonly Match[] => {
  const allMatches = candidateIds
    .flatMap((collectionId) => {
      const vector = storedVectors.get(collectionId);
      return vector ? [{ collectionId, score: computeFullScore(query, vector) }] : [];
    })
    .sort(compareByScoreAndId);
  const lastScore = allMatches[Math.min(limit, allMatches.length) - 1]?.score ?? 0;
  return allMatches.filter(({ score }) => score >= lastScore);
};

test.each(Object.keys(vectorSets))(
  'results for vectors %s equal those of a full comparison after additions, replacements and removals',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 400 }), async (seed, size) => {
        const random = randomNumbers(seed);
        const nextVector = vectorSets[name]?.(random) ?? (() => new Float32Array());
        const { index, embeddings } = createSubject();
        const storedVectors = new Map<CollectionId, Float32Array>();
        let asOf = 0;
        const put = (number: number): void => {
          const [collectionId, vector] = [idOf(number), nextVector(false)];
          storedVectors.set(collectionId, toUnit(vector));
          asOf = embeddings.put({ modelId: 'm', collectionId, vector });
        };
        const remove = async (number: number): Promise<void> => {
          storedVectors.delete(idOf(number));
          embeddings.remove(idOf(number));
          await index.remove(idOf(number));
        };
        const compare = async (limit: number, share: number): Promise<void> => {
          const candidateIds = [...storedVectors.keys()].filter(() => random() < share);
          const vector = nextVector(true);
          const { matches } = await index.search({ modelId: 'm', vector, candidateIds, limit, asOf });
          expect([...matches].sort(compareByScoreAndId)).toEqual(
            findBest(storedVectors, toUnit(vector), candidateIds, limit),
          );
        };
        for (let i = 0; i < size; i += 1) put(i);
        for (const limit of [1, 10, 100]) for (const share of [0.1, 0.6, 1]) await compare(limit, share);
        const someNumbers = Array.from({ length: Math.ceil(size / 3) }, () => Math.floor(size * random()));
        for (const number of someNumbers.slice(0, someNumbers.length / 2)) await remove(number);
        for (const number of someNumbers.slice(someNumbers.length / 3)) put(number);
        for (let i = 0; i < 4; i += 1) await compare(10, 1);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  },
);

/** Generates features that many operations share, so that many operations differ in only one of them. */
const createFeatures = (random: Random, count: number) => {
  const indices = Uint32Array.from(
    new Set(Array.from({ length: count }, () => Math.floor(40 * random()) * 100_000_007)),
  ).sort();
  return { indices, weights: Float32Array.from(indices, () => Math.ceil(4 * random()) / 4) };
};

test.each(Object.keys(vectorSets))(
  'results for operations with vectors %s equal those of a full comparison of the stored blocks',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 60 }), async (seed, size) => {
        const random = randomNumbers(seed);
        const nextVector = vectorSets[name]?.(random) ?? (() => new Float32Array());
        const dimension = 16 * Math.ceil(48 * random());
        const vector = (isQuery: boolean) => ({
          dense: nextVector(isQuery).slice(0, dimension),
          sparse: createFeatures(random, 8),
        });
        const store = createOperationBlockChanges();
        const index = createEmbeddedOperationIndex({ blocks: store });
        const ids = Array.from({ length: 9 }, (_, i) => idOf(i));
        const put = (id: CollectionId): number =>
          store.put(
            id,
            Array.from({ length: Math.floor(size * random()) }, (_, i) => ({
              key: keyOf(i),
              method: random() < 0.5 ? 'GET' : 'POST',
              vector: vector(false),
            })),
          );
        let asOf = 0;
        const compare = async (limit: number, method: string | null, candidateIds: readonly CollectionId[]) => {
          const query = vector(true);
          const { matches } = await index.search({
            modelId: 'model-1',
            vector: query,
            candidateIds,
            method,
            limit,
            asOf,
          });
          const allMatches = (await store.listChangedSince(0, 'model-1', 99))
            .filter(({ collectionId }) => candidateIds.includes(collectionId))
            .flatMap(({ collectionId, packed }) =>
              readStoredOperations(packed)
                .filter((operation) => method === null || operation.method === method)
                .map(({ key, levels, scale, features }) => ({
                  collectionId,
                  key,
                  similarity: computeFullSimilarity(query, levels, scale, features),
                })),
            )
            .sort(
              (x, y) =>
                y.similarity - x.similarity ||
                `${x.collectionId} ${x.key}`.localeCompare(`${y.collectionId} ${y.key}`, 'en'),
            );
          expect(matches).toEqual(allMatches.slice(0, limit));
        };
        for (const id of ids) asOf = put(id);
        for (const limit of [1, 10, 1000]) for (const method of [null, 'GET']) await compare(limit, method, ids);
        for (const id of ids.slice(3, 7)) asOf = put(id);
        await compare(20, null, ids);
        await compare(20, 'POST', ids.slice(2, 6));
        for (const id of ids) await compare(5, null, [id]);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  },
);

const readStoredOperations = (packed: Uint8Array) => {
  const { dimension, dense, scales } = readPackedLayout(packed);
  const bytes = packed.slice().buffer;
  return unpackOperations(packed).map(({ key, method, vector: { sparse } }, row) => ({
    key,
    method,
    levels: new Int8Array(bytes, dense + row * dimension, dimension),
    scale: new Float32Array(bytes, scales + 4 * row, 1)[0] ?? 0,
    features: new Map(Array.from(sparse.indices, (feature, i) => [feature, sparse.weights[i] ?? 0])),
  }));
};

test('an operation whose dense vector is zero has the similarity of its features', async () => {
  const store = createOperationBlockChanges();
  const index = createEmbeddedOperationIndex({ blocks: store });
  const vector = { dense: new Float32Array(32), sparse: { indices: Uint32Array.of(7), weights: Float32Array.of(0.5) } };
  const asOf = store.put(idOf(1), [{ key: keyOf(1), method: 'GET', vector }]);
  const query = { modelId: 'model-1', vector, candidateIds: [idOf(1)], method: null, limit: 1, asOf };
  expect((await index.search(query)).matches).toMatchObject([{ similarity: 0.25 }]);
});
