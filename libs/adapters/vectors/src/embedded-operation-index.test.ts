import { createOperationBlockChanges } from '@portico/contracts';
import type { CollectionId, HybridVector, IndexedOperation, OperationBlockChange } from '@portico/domain';
import { packedOperationsMax, readPackedLayout, unpackOperations } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { createSubject } from '../test/operation-index-subject.ts';
import { createGenerator, idOf, keyOf } from '../test/random-operations.ts';
import { Blocks } from './blocks.ts';
import { CatchUp } from './catch-up.ts';
import { createEmbeddedOperationIndex } from './embedded-operation-index.ts';

const scaleDense = ({ dense, sparse }: HybridVector, factor: number): HybridVector => ({
  dense: dense.map((x) => factor * x),
  sparse,
});

const computeSimilarity = (query: HybridVector, { dense, sparse }: HybridVector): number => {
  const weights = new Map(Array.from(sparse.indices, (feature, i) => [feature, sparse.weights[i] ?? 0]));
  const words = query.sparse.indices.reduce(
    (sum, feature, i) => sum + (query.sparse.weights[i] ?? 0) * (weights.get(feature) ?? 0),
    0,
  );
  return query.dense.reduce((sum, x, i) => sum + x * (dense[i] ?? 0), words);
};

/** Compares every stored operation in plain JavaScript. */
const findBest = async (
  blocks: ReturnType<typeof createOperationBlockChanges>,
  query: HybridVector,
  {
    candidateIds,
    method,
    limit,
  }: { readonly candidateIds: readonly CollectionId[]; readonly method: string | null; readonly limit: number },
  modelId = 'model-1',
) =>
  (await blocks.listChangedSince(0, modelId, 9999))
    .filter(({ collectionId }) => candidateIds.includes(collectionId))
    .flatMap(({ collectionId, packed }) =>
      unpackOperations(packed)
        .filter((operation) => method === null || operation.method === method)
        .map(({ key, vector }) => ({ collectionId, key, similarity: computeSimilarity(query, vector) })),
    )
    .sort((x, y) => y.similarity - x.similarity)
    .slice(0, limit);

describe.each([16, 256, 768])('at %i dimensions, compared with a plain comparison of every operation', (dimension) => {
  test('the same operations have the same similarities, with filters, replacements and removals', async () => {
    const { index, blocks } = createSubject();
    const { operations, vector } = createGenerator(dimension, dimension);
    const candidateIds = Array.from({ length: 40 }, (_, i) => idOf(i));
    const expectAgreement = async (asOf: number) => {
      for (const [i, method] of [null, 'POST', null].entries()) {
        const query = {
          candidateIds: i === 2 ? candidateIds.filter((_, n) => n % 3 === 1) : candidateIds,
          method,
          limit: 25,
        };
        const queryVector = vector(12);
        const { matches } = await index.search({ ...query, modelId: 'model-1', vector: queryVector, asOf });
        const expected = await findBest(blocks, queryVector, query);
        expect(matches.map(({ collectionId, key }) => `${collectionId} ${key}`)).toEqual(
          expected.map(({ collectionId, key }) => `${collectionId} ${key}`),
        );
        matches.forEach((match, n) => expect(match.similarity).toBeCloseTo(expected[n]?.similarity ?? NaN, 3));
      }
    };
    let asOf = 0;
    for (let i = 0; i < 40; i += 1) asOf = blocks.put(idOf(i), operations((i * 7) % 61));
    await expectAgreement(asOf);
    for (let i = 0; i < 40; i += 4) asOf = blocks.put(idOf(i), operations((i * 5) % 71));
    await expectAgreement(asOf);
  });
});

test.each([1, 20, 60])('the %i best of equal blocks are those with the lowest ids', async (limit) => {
  const { index, blocks } = createSubject();
  const { operations, vector } = createGenerator(768, 768);
  const candidateIds = Array.from({ length: 8 }, (_, i) => idOf(i));
  let asOf = 0;
  // The second half of the blocks repeats the first.
  for (let i = 0; i < 4; i += 1) {
    const batch = operations(1_001);
    blocks.put(idOf(i), batch);
    asOf = blocks.put(idOf(i + 4), batch);
  }
  for (const method of [null, 'DELETE']) {
    const query = { candidateIds, method, limit };
    const queryVector = vector(12);
    const { matches } = await index.search({ ...query, modelId: 'model-1', vector: queryVector, asOf });
    const expected = await findBest(blocks, queryVector, query);
    expect(matches.map(({ collectionId, key }) => `${collectionId} ${key}`)).toEqual(
      expected.map(({ collectionId, key }) => `${collectionId} ${key}`),
    );
  }
});

test.each([packedOperationsMax - 1, packedOperationsMax])('a block may have %i operations', async (count) => {
  const { index, blocks } = createSubject();
  const { operations, vector } = createGenerator(5, 16);
  const baseOperations = operations(1_000);
  // The last operations are the most similar, and only the very last one has a different method.
  const queryVector = vector(12);
  const allOperations = Array.from({ length: count }, (_, i): IndexedOperation => {
    const { dense } = baseOperations[i % 1_000]?.vector ?? queryVector;
    return i < count - 5
      ? { key: keyOf(i), method: 'GET', vector: { dense, sparse: queryVector.sparse } }
      : { key: keyOf(i), method: i === count - 1 ? 'PUT' : 'GET', vector: scaleDense(queryVector, 9 + i - count) };
  });
  const asOf = blocks.put(idOf(1), allOperations);
  const query = { modelId: 'model-1', vector: queryVector, candidateIds: [idOf(1)], limit: 3, asOf };
  const keysOf = async (method: string | null) =>
    (await index.search({ ...query, method })).matches.map(({ key }) => Number(key) - count);
  expect(await keysOf(null)).toEqual([-1, -2, -3]);
  expect(await keysOf('GET')).toEqual([-2, -3, -4]);
  expect(await keysOf('PUT')).toEqual([-1]);
});

test('equal matches are ordered by collection id, then by key, before the limit applies', async () => {
  const { index, blocks } = createSubject();
  const { vector } = createGenerator(1, 16);
  const sharedVector = vector(3);
  const operations = [2, 0, 1].map((number) => ({ key: keyOf(number), method: 'GET', vector: sharedVector }));
  let asOf = 0;
  for (const number of [3, 1, 2]) asOf = blocks.put(idOf(number), operations);
  const candidateIds = [idOf(2), idOf(3), idOf(1)];
  const { matches } = await index.search({
    modelId: 'model-1',
    vector: sharedVector,
    candidateIds,
    method: null,
    limit: 5,
    asOf,
  });
  expect(matches.map(({ collectionId, key }) => [collectionId, key])).toEqual([
    [idOf(1), keyOf(0)],
    [idOf(1), keyOf(1)],
    [idOf(1), keyOf(2)],
    [idOf(2), keyOf(0)],
    [idOf(2), keyOf(1)],
  ]);
});

test('sums do not overflow 32 bits, even if every component has the maximum value', async () => {
  const { index, blocks } = createSubject();
  const dense = new Float32Array(4096).fill(1);
  const vector = { dense, sparse: { indices: new Uint32Array(), weights: new Float32Array() } };
  const asOf = blocks.put(idOf(1), [{ key: keyOf(1), method: 'GET', vector }]);
  const query = { modelId: 'model-1', vector, candidateIds: [idOf(1)], method: null, limit: 1, asOf };
  expect((await index.search(query)).matches[0]?.similarity).toBeCloseTo(4096, 1);
});

/** A power of two, and one more. */
test.each([8_192, 8_193])('a question may have %i features', async (count) => {
  const { index, blocks } = createSubject();
  const sparse = {
    indices: Uint32Array.from({ length: count }, (_, i) => 7 * i),
    weights: new Float32Array(count).fill(0.5),
  };
  const operations = ['GET', 'PUT'].map((method, i) => ({
    key: keyOf(i),
    method,
    vector: { dense: new Float32Array(16).fill(i), sparse },
  }));
  const asOf = blocks.put(idOf(1), operations);
  const vector = { dense: new Float32Array(16).fill(1), sparse };
  const query = { modelId: 'model-1', vector, candidateIds: [idOf(1)], method: null, limit: 2, asOf };
  const { matches } = await index.search(query);
  expect(matches.map(({ similarity }) => similarity)).toEqual([count / 4 + 16, count / 4]);
});

test('a query with a different dimension than the model is rejected', async () => {
  const { index, blocks } = createSubject();
  const asOf = blocks.put(idOf(1), createGenerator(1, 16).operations(1));
  const query = {
    modelId: 'model-1',
    vector: createGenerator(1, 32).vector(1),
    candidateIds: [idOf(1)],
    method: null,
    limit: 1,
  };
  await expect(index.search({ ...query, asOf })).rejects.toThrow('A vector has 16 dimensions, not 32');
});

test('blocks are still found after they are moved', async () => {
  const store = createOperationBlockChanges();
  const index = createEmbeddedOperationIndex({ blocks: store });
  const { operations, vector } = createGenerator(4, 256);
  const candidateIds = Array.from({ length: 10 }, (_, i) => idOf(i));
  let asOf = 0;
  for (let round = 0; round < 6; round += 1) {
    for (let i = 0; i < 10; i += 1 + round) asOf = store.put(idOf(i), operations(700 + 50 * i));
    const query = { candidateIds, method: null, limit: 20 };
    const queryVector = vector(12);
    const { matches } = await index.search({ ...query, modelId: 'model-1', vector: queryVector, asOf });
    const expected = await findBest(store, queryVector, query);
    expect(matches.map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
  }
});

test('more operations than fit in one call are found, even if they take up few bytes', async () => {
  const { index, blocks } = createSubject();
  const candidateIds = [idOf(1), idOf(2)];
  const { vector } = createGenerator(6, 16);
  const [otherVector, lastVector] = [vector(3), vector(3)];
  const operations = Array.from({ length: 40_000 }, (_, i) => ({ key: keyOf(i), method: 'GET', vector: otherVector }));
  blocks.put(idOf(1), operations);
  const asOf = blocks.put(idOf(2), [...operations, { key: keyOf(40_000), method: 'GET', vector: lastVector }]);
  const query = { modelId: 'model-1', vector: lastVector, candidateIds, method: null, limit: 1, asOf };
  const { matches } = await index.search(query);
  expect(matches).toMatchObject([{ collectionId: idOf(2), key: keyOf(40_000) }]);
  expect(matches[0]?.similarity).toBeCloseTo(computeSimilarity(lastVector, lastVector), 2);
});

test('blocks of deleted collections are removed once the blocks have doubled in size', async () => {
  const store = createOperationBlockChanges();
  const blocks = new Blocks(({ packed }: OperationBlockChange) => ({ bytes: packed, shape: readPackedLayout(packed) }));
  const catchUp = new CatchUp(store, 4, 'model-1', blocks);
  const manyOperations = createGenerator(6, 256).operations(1000);
  const put = (from: number, to: number): number => {
    let asOf = 0;
    for (let number = from; number < to; number += 1) asOf = store.put(idOf(number), manyOperations);
    return asOf;
  };
  await catchUp.read(put(0, 10));
  for (let number = 0; number < 9; number += 1) store.remove(idOf(number));
  await catchUp.read(put(10, 19));
  expect(blocks.listCollections()).toHaveLength(19);
  await catchUp.read(put(19, 20));
  expect(blocks.listCollections()).toEqual(Array.from({ length: 11 }, (_, i) => idOf(9 + i)));
});
