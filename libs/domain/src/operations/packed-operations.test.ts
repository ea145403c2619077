import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperationKey } from '../ids.ts';
import type { IndexedOperation } from './operation-block.ts';
import { OperationPacking, packOperations, readPackedLayout, unpackOperations } from './packed-operations.ts';

const finiteNumber = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 });

const operationsOf = (dimension: number) =>
  fc.uniqueArray(
    fc.record({
      key: fc.stringMatching(/^[a-z2-7]{16}$/).map((key) => key as OperationKey),
      method: fc.constantFrom('GET', 'OPTIONS', 'DELETE'),
      dense: fc.array(finiteNumber, { minLength: dimension, maxLength: dimension }),
      sparse: fc.dictionary(fc.nat({ max: 0xffff_fffe }).map(String), finiteNumber, { maxKeys: 8 }),
    }),
    { selector: ({ key }) => key, maxLength: 20 },
  );

const toIndexed = ({
  key,
  method,
  dense,
  sparse,
}: {
  key: OperationKey;
  method: string;
  dense: number[];
  sparse: Record<string, number>;
}): IndexedOperation => {
  const entries = Object.entries(sparse).map(([feature, weight]) => [Number(feature), weight] as const);
  entries.sort(([a], [b]) => a - b);
  return {
    key,
    method,
    vector: {
      dense: Float32Array.from(dense),
      sparse: {
        indices: Uint32Array.from(entries, ([feature]) => feature),
        weights: Float32Array.from(entries, ([, weight]) => weight),
      },
    },
  };
};

test('unpacking returns the packed operations, by key, with each dimension accurate to half a level', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 16, 48).chain(operationsOf), (generated) => {
      const operations = generated.map(toIndexed);
      const unpackedOperations = unpackOperations(packOperations(operations));
      const sorted = [...operations].sort((a, b) => (a.key < b.key ? -1 : 1));
      expect(unpackedOperations.map(({ key, method }) => [key, method])).toEqual(
        sorted.map(({ key, method }) => [key, method]),
      );
      unpackedOperations.forEach(({ vector: { dense, sparse } }, row) => {
        const expectedVector = sorted[row]?.vector;
        expect(sparse).toEqual(expectedVector?.sparse);
        const level = Math.max(0, ...(expectedVector?.dense ?? []).map(Math.abs)) / 127;
        dense.forEach((x, i) =>
          expect(Math.abs(x - (expectedVector?.dense[i] ?? NaN))).toBeLessThanOrEqual(level * 0.501),
        );
      });
    }),
    { numRuns: 60 },
  );
});

const packBatches = (batches: readonly (readonly IndexedOperation[])[]): Uint8Array => {
  const packing = new OperationPacking();
  for (const batch of batches) packing.add(batch);
  return packing.pack();
};

test('operations that are added in batches, in any order, are packed as if they had been added in one batch', () => {
  fc.assert(
    fc.property(operationsOf(16), fc.nat(20), fc.nat(20), (generated, firstCut, secondCut) => {
      const operations = generated.map(toIndexed);
      const [from, to] = [Math.min(firstCut, secondCut), Math.max(firstCut, secondCut)];
      const batches = [operations.slice(to), operations.slice(0, from), operations.slice(from, to)];
      expect(packBatches(batches)).toEqual(packOperations(operations));
    }),
    { numRuns: 60 },
  );
});

test('a batch that does not fit is rejected, and earlier batches are packed', () => {
  const packing = new OperationPacking();
  packing.add([operation({})]);
  expect(() => packing.add([operation({ dimension: 32 })])).toThrow('differ in their dimension');
  expect(packing.count).toBe(1);
  packing.add(Array.from({ length: 65_535 }, (_, i) => operation({ key: i.toString(32).padStart(16, '0') })));
  expect(() => packing.add([operation({})])).toThrow('A block has at most 65536 operations');
  expect(packing.count).toBe(65_536);
});

test('packed operations may start at any byte', () => {
  const packed = packOperations([operation({})]);
  const shiftedBytes = new Uint8Array(packed.length + 1);
  shiftedBytes.set(packed, 1);
  expect(unpackOperations(shiftedBytes.subarray(1))).toEqual(unpackOperations(packed));
});

test('each part starts at an offset aligned for its numbers', () => {
  const layout = readPackedLayout(packOperations([operation({ indices: [1, 5, 9] })]));
  expect(layout).toMatchObject({ count: 1, dimension: 16, featureCount: 3, entryCount: 3 });
  const { scales, features, starts, weights, rows, names, end } = layout;
  for (const start of [scales, features, starts, weights, rows, names]) expect(start % 4).toBe(0);
  expect(end).toBe(names + 24);
});

test('bytes that were not packed are rejected', () => {
  const packed = packOperations([operation({})]);
  const otherVersion = packed.slice();
  otherVersion[0] = 2;
  for (const invalidBytes of [
    new Uint8Array(),
    packed.subarray(1),
    packed.subarray(0, -1),
    packed.subarray(0, 20),
    otherVersion,
  ]) {
    expect(() => unpackOperations(invalidBytes)).toThrow('A block of operations is unreadable');
  }
});

test('operations that no block can contain are rejected', () => {
  const expectRejected = (operations: readonly IndexedOperation[], message: string) =>
    expect(() => packOperations(operations)).toThrow(message);
  expectRejected([operation({ dimension: 24 })], 'The dimension 24 is not a multiple of 16');
  expectRejected([operation({}), operation({ dimension: 32 })], 'differ in their dimension');
  expectRejected([operation({ method: 'PROPFINDS' })], 'cannot be packed under the name PROPFINDS');
  expectRejected([operation({ key: 'short' })], 'cannot be packed under the name GET short');
  const emptyVectorOperation = operation({ dimension: 0 });
  expect(readPackedLayout(packOperations(Array.from({ length: 65_536 }, () => emptyVectorOperation))).count).toBe(
    65_536,
  );
  expectRejected(
    Array.from({ length: 65_537 }, () => emptyVectorOperation),
    'A block has at most 65536 operations',
  );
});

const operation = ({
  key = 'a'.repeat(16),
  method = 'GET',
  dimension = 16,
  indices = [] as number[],
}): IndexedOperation => ({
  key: key as OperationKey,
  method,
  vector: {
    dense: new Float32Array(dimension).fill(0.5),
    sparse: { indices: Uint32Array.from(indices), weights: Float32Array.from(indices) },
  },
});
