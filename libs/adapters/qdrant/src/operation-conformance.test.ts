import { createOperationBlockChanges, recordLog } from '@portico/contracts';
import type { CollectionId, HybridVector, IndexedOperation, OperationKey } from '@portico/domain';
import { unpackOperations } from '@portico/domain';
import { connectToQdrant, startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedOperationIndex } from '@portico/vectors';
import { afterAll, describe, expect, test } from 'vitest';
import { serverLimits, type Server } from '../test/server-limits.ts';
import { removeCollections } from '../test/operation-subject.ts';
import { idOf } from '../test/subject.ts';
import { createQdrantOperationIndex } from './qdrant-operation-index.ts';

const fake = await startFakeQdrant();
const realServer = await connectToQdrant();
afterAll(() => fake.close());

const [collectionCount, operationsPerCollection, dimension, featureCount] = [60, 50, 64, 400];
const candidateIds = Array.from({ length: collectionCount }, (_, i) => idOf(i));

/** Returns the same numbers from 0 to 1 in each run (a linear congruential generator). */
const randomNumbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/**
 * Returns a function that creates a vector: a dense part of length 0.7 at most, one feature that all vectors have, and
 * other features, a few of them with negative weights.
 */
const createVectorGenerator = (random: () => number) => (): HybridVector => {
  const dense = Float32Array.from({ length: dimension }, () => (0.7 * (2 * random() - 1)) / Math.sqrt(dimension / 3));
  const chosenFeatures = new Set([
    0,
    ...Array.from({ length: 20 }, () => 1 + Math.floor(random() ** 2 * featureCount)),
  ]);
  const indices = Uint32Array.from(chosenFeatures).sort();
  return { dense, sparse: { indices, weights: Float32Array.from(indices, () => 0.3 * (random() - 0.15)) } };
};

const computeSimilarity = (a: HybridVector, b: HybridVector): number => {
  const weights = new Map([...a.sparse.indices].map((index, i) => [index, a.sparse.weights[i] ?? 0]));
  let sum = 0;
  a.dense.forEach((number, i) => (sum += number * (b.dense[i] ?? 0)));
  b.sparse.indices.forEach((index, i) => (sum += (weights.get(index) ?? 0) * (b.sparse.weights[i] ?? 0)));
  return sum;
};

const assertConforms = async (server: Server) => {
  const blocks = createOperationBlockChanges();
  const nextVector = createVectorGenerator(randomNumbers(20_261_123));
  let asOf = 0;
  for (const collectionId of candidateIds) {
    const operations = Array.from({ length: operationsPerCollection }, (_, i): IndexedOperation => {
      const key = i.toString(2).padStart(16, '0').replaceAll('0', 'a').replaceAll('1', 'b') as OperationKey;
      return { key, method: i % 3 === 0 ? 'POST' : 'GET', vector: nextVector() };
    });
    asOf = blocks.put(collectionId, operations, 'm');
  }
  const operations = (await blocks.listChangedSince(0, 'm', collectionCount)).flatMap(({ collectionId, packed }) =>
    unpackOperations(packed).map((operation) => ({ collectionId, ...operation })),
  );
  const index = createQdrantOperationIndex({
    url: server.url,
    apiKey: server.apiKey ?? null,
    blocks,
    fallback: createEmbeddedOperationIndex({ blocks }),
    log: recordLog(),
    installation: 'operation-conformance',
    limits: serverLimits,
  });
  for (let i = 0; i < 40; i += 1) {
    const [vector, method] = [nextVector(), i % 4 === 0 ? 'POST' : null];
    const visibleIds = i % 2 === 0 ? candidateIds : candidateIds.slice(i, i + 20);
    const expected = operations
      .filter(
        (operation) => visibleIds.includes(operation.collectionId) && (method === null || operation.method === method),
      )
      .map((operation) => ({ name: nameOf(operation), similarity: computeSimilarity(vector, operation.vector) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 50);
    const query = { modelId: 'm', vector, candidateIds: visibleIds, method, limit: 50, asOf };
    const { matches, isFallback } = await index.search(query);
    expect(isFallback).toBe(false);
    expect(matches.map(nameOf)).toEqual(expected.map(({ name }) => name));
    matches.forEach((match, position) =>
      expect(match.similarity).toBeCloseTo(expected[position]?.similarity ?? NaN, 5),
    );
  }
  await index.close();
  await removeCollections(server, 'operation-conformance');
};

const nameOf = ({ collectionId, key }: { readonly collectionId: CollectionId; readonly key: OperationKey }): string =>
  `${collectionId} ${key}`;

describe('the most similar of three thousand operations', () => {
  test('fake Qdrant: are returned in the order of their exact similarity', () => assertConforms(fake));
  test.skipIf(!realServer)('Qdrant: are returned in the order of their exact similarity', () =>
    assertConforms(realServer ?? fake),
  );
});
