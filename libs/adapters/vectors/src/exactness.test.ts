import { createOperationBlockChanges } from '@portico/contracts';
import { type CollectionId, readPackedLayout, unpackOperations } from '@portico/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullScore, fullSimilarity, unit } from '../test/full-comparison.ts';
import { idOf, keyOf } from '../test/random-operations.ts';
import { type Random, randomNumbers, sets } from '../test/random-vectors.ts';
import { createSubject } from '../test/vector-index-subject.ts';
import { createEmbeddedOperationIndex } from './embedded-operation-index.ts';

interface Match {
  readonly collectionId: CollectionId;
  readonly score: number;
}

/** Orders matches by score, then by id, because ties have no defined order. */
const byScoreAndId = (x: Match, y: Match): number =>
  y.score - x.score || Number(x.collectionId > y.collectionId) - Number(x.collectionId < y.collectionId);

/** Returns the best of these unit vectors, including all that tie with the last one, by comparing each vector. */
const best = (
  stored: ReadonlyMap<CollectionId, Float32Array>,
  query: Float32Array,
  among: readonly CollectionId[],
  limit: number,
): readonly Match[] => {
  const all = among
    .flatMap((collectionId) => {
      const vector = stored.get(collectionId);
      return vector ? [{ collectionId, score: fullScore(query, vector) }] : [];
    })
    .sort(byScoreAndId);
  const last = all[Math.min(limit, all.length) - 1]?.score ?? 0;
  return all.filter(({ score }) => score >= last);
};

test.each(Object.keys(sets))(
  'results for vectors %s equal those of a full comparison after additions, replacements and removals',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 400 }), async (seed, size) => {
        const random = randomNumbers(seed);
        const next = sets[name]?.(random) ?? (() => new Float32Array());
        const { index, embeddings } = createSubject();
        const stored = new Map<CollectionId, Float32Array>();
        let asOf = 0;
        const put = (number: number): void => {
          const [collectionId, vector] = [idOf(number), next(false)];
          stored.set(collectionId, unit(vector));
          asOf = embeddings.put({ modelId: 'm', collectionId, vector });
        };
        const remove = async (number: number): Promise<void> => {
          stored.delete(idOf(number));
          embeddings.remove(idOf(number));
          await index.remove(idOf(number));
        };
        const compare = async (limit: number, share: number): Promise<void> => {
          const among = [...stored.keys()].filter(() => random() < share);
          const vector = next(true);
          const { matches } = await index.search({ modelId: 'm', vector, among, limit, asOf });
          expect([...matches].sort(byScoreAndId)).toEqual(best(stored, unit(vector), among, limit));
        };
        for (let i = 0; i < size; i += 1) put(i);
        for (const limit of [1, 10, 100]) for (const share of [0.1, 0.6, 1]) await compare(limit, share);
        const some = Array.from({ length: Math.ceil(size / 3) }, () => Math.floor(size * random()));
        for (const number of some.slice(0, some.length / 2)) await remove(number);
        for (const number of some.slice(some.length / 3)) put(number);
        for (let i = 0; i < 4; i += 1) await compare(10, 1);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  },
);

/** Generates features that many operations share, so that many operations differ in only one of them. */
const someFeatures = (random: Random, count: number) => {
  const indices = Uint32Array.from(
    new Set(Array.from({ length: count }, () => Math.floor(40 * random()) * 100_000_007)),
  ).sort();
  return { indices, weights: Float32Array.from(indices, () => Math.ceil(4 * random()) / 4) };
};

test.each(Object.keys(sets))(
  'results for operations with vectors %s equal those of a full comparison of the stored blocks',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 60 }), async (seed, size) => {
        const random = randomNumbers(seed);
        const next = sets[name]?.(random) ?? (() => new Float32Array());
        const dimension = 16 * Math.ceil(48 * random());
        const vector = (isQuery: boolean) => ({
          dense: next(isQuery).slice(0, dimension),
          sparse: someFeatures(random, 8),
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
        const compare = async (limit: number, method: string | null, among: readonly CollectionId[]) => {
          const query = vector(true);
          const { matches } = await index.search({ modelId: 'model-1', vector: query, among, method, limit, asOf });
          const all = (await store.changedSince(0, 'model-1', 99))
            .filter(({ collectionId }) => among.includes(collectionId))
            .flatMap(({ collectionId, packed }) =>
              storedOperations(packed)
                .filter((operation) => method === null || operation.method === method)
                .map(({ key, levels, scale, features }) => ({
                  collectionId,
                  key,
                  similarity: fullSimilarity(query, levels, scale, features),
                })),
            )
            .sort(
              (x, y) =>
                y.similarity - x.similarity ||
                `${x.collectionId} ${x.key}`.localeCompare(`${y.collectionId} ${y.key}`, 'en'),
            );
          expect(matches).toEqual(all.slice(0, limit));
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

const storedOperations = (packed: Uint8Array) => {
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

test('an operation whose dense numbers are all 0 has the similarity of its features', async () => {
  const store = createOperationBlockChanges();
  const index = createEmbeddedOperationIndex({ blocks: store });
  const vector = { dense: new Float32Array(32), sparse: { indices: Uint32Array.of(7), weights: Float32Array.of(0.5) } };
  const asOf = store.put(idOf(1), [{ key: keyOf(1), method: 'GET', vector }]);
  const query = { modelId: 'model-1', vector, among: [idOf(1)], method: null, limit: 1, asOf };
  expect((await index.search(query)).matches).toMatchObject([{ similarity: 0.25 }]);
});
