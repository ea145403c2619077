import { expect, test } from 'vitest';
import { buildOperationVector, buildQueryVector } from './model-vectors.ts';
import { packOperations, unpackOperations } from './packed-operations.ts';
import { similarityOf } from './ranking.ts';
import type { OperationKey } from '../ids.ts';

const sparse = (...entries: readonly (readonly [number, number])[]) => ({
  indices: Uint32Array.from(entries, ([index]) => index),
  weights: Float32Array.from(entries, ([, weight]) => weight),
});
const words = sparse([3, 0.5], [7, 1]);
const noWords = sparse();
const vectorAt = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2), 0);
const axis = Float32Array.of(1, 0, 0);

test.each([
  [0.45, 0.15],
  [0.72, 0.56],
])('a cosine of %d is equivalent to %d of the built-in embedder', (cosine, similarity) => {
  expect(
    similarityOf(buildOperationVector(vectorAt(cosine), vectorAt(cosine), noWords), buildQueryVector(axis, noWords)),
  ).toBeCloseTo(similarity);
});

test('the contribution of words to a similarity is unchanged', () => {
  const operation = buildOperationVector(vectorAt(0.5), vectorAt(0.5), words);
  const difference =
    similarityOf(operation, buildQueryVector(axis, sparse([7, 0.25]))) -
    similarityOf(operation, buildQueryVector(axis, noWords));
  expect(difference).toBeCloseTo(0.25);
});

test('the vector of its collection makes up one quarter of the vector of an operation, which is a unit vector', () => {
  const { dense } = buildOperationVector(Float32Array.of(0, 1, 0), axis, noWords);
  expect((dense[0] ?? 0) / (dense[1] ?? 0)).toBeCloseTo(1 / 3);
  expect(Math.hypot(...dense)).toBeCloseTo(1);
});

test('an operation with a zero vector gets the vector of its collection, or none', () => {
  const zeroVector = new Float32Array(3);
  expect([...buildOperationVector(zeroVector, axis, noWords).dense]).toEqual([1, 0, 0]);
  expect([...buildOperationVector(zeroVector, zeroVector, noWords).dense]).toEqual([0, 0, 0]);
});

test('the constant is the last feature and occurs once, regardless of the words', () => {
  const { sparse: features } = buildOperationVector(axis, axis, sparse([3, 0.5], [0xffff_ffff, 9]));
  expect([[...features.indices], [...features.weights]]).toEqual([
    [3, 0xffff_ffff],
    [0.5, 1],
  ]);
});

test('the vectors can be packed', () => {
  const textVector = Float32Array.from({ length: 16 }, (_, i) => (i === 0 ? 1 : 0));
  const vector = buildOperationVector(textVector, textVector, words);
  const [unpackedOperation] = unpackOperations(
    packOperations([{ key: 'a'.repeat(16) as OperationKey, method: 'GET', vector }]),
  );
  expect([...(unpackedOperation?.vector.sparse.indices ?? [])]).toEqual([3, 7, 0xffff_ffff]);
});
