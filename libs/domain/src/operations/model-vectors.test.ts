import { expect, test } from 'vitest';
import { operationVector, queryVector } from './model-vectors.ts';
import { packOperations, unpackOperations } from './packed-operations.ts';
import { similarityOf } from './ranking.ts';
import type { OperationKey } from '../ids.ts';

const sparse = (...entries: readonly (readonly [number, number])[]) => ({
  indices: Uint32Array.from(entries, ([index]) => index),
  weights: Float32Array.from(entries, ([, weight]) => weight),
});
const words = sparse([3, 0.5], [7, 1]);
const none = sparse();
const at = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2), 0);
const axis = Float32Array.of(1, 0, 0);

test.each([
  [0.45, 0.15],
  [0.72, 0.56],
])('a cosine of %d is equivalent to %d of the built-in embedder', (cosine, similarity) => {
  expect(similarityOf(operationVector(at(cosine), at(cosine), none), queryVector(axis, none))).toBeCloseTo(similarity);
});

test('the contribution of words to a similarity is unchanged', () => {
  const operation = operationVector(at(0.5), at(0.5), words);
  const difference =
    similarityOf(operation, queryVector(axis, sparse([7, 0.25]))) - similarityOf(operation, queryVector(axis, none));
  expect(difference).toBeCloseTo(0.25);
});

test('the vector of an operation is one quarter that of its collection, and has length 1', () => {
  const { dense } = operationVector(Float32Array.of(0, 1, 0), axis, none);
  expect((dense[0] ?? 0) / (dense[1] ?? 0)).toBeCloseTo(1 / 3);
  expect(Math.hypot(...dense)).toBeCloseTo(1);
});

test('an operation with a zero vector gets the vector of its collection, or none', () => {
  const nothing = new Float32Array(3);
  expect([...operationVector(nothing, axis, none).dense]).toEqual([1, 0, 0]);
  expect([...operationVector(nothing, nothing, none).dense]).toEqual([0, 0, 0]);
});

test('the constant is the last feature, once, for any words', () => {
  const { sparse: features } = operationVector(axis, axis, sparse([3, 0.5], [0xffff_ffff, 9]));
  expect([[...features.indices], [...features.weights]]).toEqual([
    [3, 0xffff_ffff],
    [0.5, 1],
  ]);
});

test('the vectors can be packed', () => {
  const meaning = Float32Array.from({ length: 16 }, (_, i) => (i === 0 ? 1 : 0));
  const vector = operationVector(meaning, meaning, words);
  const [unpacked] = unpackOperations(packOperations([{ key: 'a'.repeat(16) as OperationKey, method: 'GET', vector }]));
  expect([...(unpacked?.vector.sparse.indices ?? [])]).toEqual([3, 7, 0xffff_ffff]);
});
