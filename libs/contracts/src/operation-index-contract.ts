import assert from 'node:assert/strict';
import type {
  CollectionId,
  IndexedOperation,
  OperationIndex,
  OperationKey,
  OperationMatch,
  OperationQuery,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import type { OperationBlockChanges } from './operation-block-changes.ts';

/** An empty index, the store that it copies, and a switch that interrupts its dependencies. */
export interface OperationIndexSubject {
  readonly index: OperationIndex;
  readonly blocks: OperationBlockChanges;
  /** Makes all dependencies of the index fail from now on. */
  interrupt(): void;
  /** Ends the interruption. */
  resume(): void;
}

/**
 * Returns an operation whose dense vector of 16 dimensions starts with `dense`, and whose sparse vector has these weights
 * by feature.
 */
export const anIndexedOperation = (
  name: string,
  dense: readonly number[],
  features: Readonly<Record<number, number>> = {},
  method = 'GET',
): IndexedOperation => ({ key: keyOf(name), method, vector: aHybridVector(dense, features) });

export const aHybridVector = (dense: readonly number[], features: Readonly<Record<number, number>> = {}) => {
  // The integer keys of an object are in ascending order.
  const indices = Uint32Array.from(Object.keys(features), Number);
  const weights = Float32Array.from(Object.values(features));
  return { dense: Float32Array.from({ length: 16 }, (_, i) => dense[i] ?? 0), sparse: { indices, weights } };
};

const keyOf = (name: string): OperationKey => name.padEnd(16, 'a') as OperationKey;
const [a, b, c] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}` as CollectionId) as [
  CollectionId,
  CollectionId,
  CollectionId,
];

const query = (changes: Partial<OperationQuery> = {}): OperationQuery => ({
  modelId: 'model-1',
  vector: aHybridVector([1]),
  candidateIds: [a, b, c],
  method: null,
  limit: 10,
  asOf: 0,
  ...changes,
});

/** Returns the names of the operations, which are their keys without the padding. */
const namesOf = (matches: readonly OperationMatch[]): readonly string[] => matches.map(({ key }) => key.slice(0, 1));

const assertSimilarities = (matches: readonly OperationMatch[], expected: Readonly<Record<string, number>>): void => {
  assert.deepEqual([...namesOf(matches)].sort(), Object.keys(expected).sort());
  for (const { key, similarity } of matches) {
    const expectedSimilarity = expected[key.slice(0, 1)] ?? Number.NaN;
    // The tolerance allows for the precision of 8-bit numbers.
    assert.ok(
      Math.abs(similarity - expectedSimilarity) < 0.005,
      `similarity ${similarity} of ${key}, expected ${expectedSimilarity}`,
    );
  }
};

/**
 * Creates functions that write to the store and query the index. By default, the `asOf` of a query is
 * the last write.
 */
const createDriver = ({ index, blocks }: OperationIndexSubject) => {
  let asOf = 0;
  const find = async (changes: Partial<OperationQuery> = {}): Promise<readonly OperationMatch[]> =>
    (await index.search(query({ asOf, ...changes }))).matches;
  const put = (collectionId: CollectionId, operations: readonly IndexedOperation[], modelId?: string): number =>
    (asOf = blocks.put(collectionId, operations, modelId));
  return { find, put };
};

const rankingCases = {
  'the similarity is the dot product of the dense vectors plus that of the sparse ones': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5, 0.25], { 7: 2, 9: 1 }), anIndexedOperation('l', [-0.5], { 9: 3 })]);
    put(b, [anIndexedOperation('m', [0.25], { 4_294_967_295: 1 }), anIndexedOperation('n', [0.125])]);
    const vector = aHybridVector([1, 1], { 7: 0.25, 8: 100, 9: -0.5, 4_294_967_295: 2 });
    assertSimilarities(await find({ vector }), { k: 0.75, l: -2, m: 2.25, n: 0.125 });
  },
  'the best matches come first': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5]), anIndexedOperation('l', [0.7])]);
    put(b, [anIndexedOperation('m', [0.6]), anIndexedOperation('n', [], { 3: 1 })]);
    assert.deepEqual(namesOf(await find({ vector: aHybridVector([1], { 3: 0.65 }) })), ['l', 'n', 'm', 'k']);
  },
  'a search does not exceed its limit, even if matches tie': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5]), anIndexedOperation('l', [0.5])]);
    put(b, [anIndexedOperation('m', [0.5]), anIndexedOperation('n', [1])]);
    const names = namesOf(await find({ limit: 3 }));
    assert.equal(names.length, 3);
    assert.equal(names[0], 'n');
  },
  'a limit above the number of operations returns all of them': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5]), anIndexedOperation('l', [-0.5])]);
    assert.deepEqual(namesOf(await find({ limit: 100 })), ['k', 'l']);
  },
  'an operation is identified by its collection and its key, and other collections may have the same key': async (
    subject,
  ) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5])]);
    put(b, [anIndexedOperation('k', [0.75])]);
    assert.deepEqual(
      (await find()).map(({ collectionId, key }) => [collectionId, key]),
      [
        [b, keyOf('k')],
        [a, keyOf('k')],
      ],
    );
  },
} satisfies Contract<OperationIndexSubject>;

const filteringCases = {
  'only operations of the given collections are returned, and only they count towards the limit': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1]), anIndexedOperation('l', [0.9])]);
    put(b, [anIndexedOperation('m', [0.5]), anIndexedOperation('n', [0.4])]);
    assert.deepEqual(namesOf(await find({ candidateIds: [b], limit: 2 })), ['m', 'n']);
  },
  'operations outside the given collections do not change a result': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5], { 5: 1 }), anIndexedOperation('l', [0.4])]);
    const searchQuery = { candidateIds: [a], limit: 1, vector: aHybridVector([1], { 5: 1 }) };
    const before = await find(searchQuery);
    put(b, [anIndexedOperation('m', [1], { 5: 9 }), anIndexedOperation('n', [1])]);
    assert.deepEqual(await find(searchQuery), before);
  },
  'only operations with the method are returned, and only they count towards the limit': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1]), anIndexedOperation('l', [0.2], {}, 'POST')]);
    put(b, [anIndexedOperation('m', [0.3], {}, 'POST'), anIndexedOperation('n', [0.9], {}, 'OPTIONS')]);
    assert.deepEqual(namesOf(await find({ method: 'POST', limit: 2 })), ['m', 'l']);
    assert.deepEqual(namesOf(await find({ method: 'OPTIONS' })), ['n']);
    assert.deepEqual(await find({ method: 'PATCH' }), []);
  },
  'a given collection without operations or without a block is left out': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1])]);
    put(b, []);
    assert.deepEqual(namesOf(await find({ candidateIds: [c, b, a] })), ['k']);
  },
  'searching in no collections returns nothing': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1])]);
    assert.deepEqual(await find({ candidateIds: [] }), []);
  },
  'vectors from other models do not affect the result': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [0.5])]);
    put(a, [anIndexedOperation('l', [1])], 'model-2');
    assert.deepEqual(namesOf(await find()), ['k']);
    assert.deepEqual(namesOf(await find({ modelId: 'model-2' })), ['l']);
  },
} satisfies Contract<OperationIndexSubject>;

const changeCases = {
  'the next search finds a stored block, even with the same array of collections': async (subject) => {
    const { find, put } = createDriver(subject);
    const candidateIds = [a, b];
    put(a, [anIndexedOperation('k', [0.5])]);
    await find({ candidateIds });
    put(b, [anIndexedOperation('l', [1])]);
    assert.deepEqual(namesOf(await find({ candidateIds })), ['l', 'k']);
  },
  'a block replaces the previous one, whose operations are no longer found': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1]), anIndexedOperation('l', [0.9])]);
    await find();
    put(a, [anIndexedOperation('l', [0.25]), anIndexedOperation('m', [0.5])]);
    assertSimilarities(await find(), { l: 0.25, m: 0.5 });
    put(a, []);
    assert.deepEqual(await find(), []);
  },
  'concurrent searches each reflect the sequence number that they specify': async (subject) => {
    const { find, put } = createDriver(subject);
    const searches = [a, b, c].map((collectionId, i) => {
      const asOf = put(collectionId, [anIndexedOperation('klm'.charAt(i), [1, i])]);
      return find({ asOf }).then((matches) => {
        assert.ok(namesOf(matches).includes('klm'.charAt(i)), `sequence ${asOf} is missing from the result`);
      });
    });
    await Promise.all(searches);
  },
} satisfies Contract<OperationIndexSubject>;

const responseCases = {
  'a query vector with a non-finite value is rejected': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, [anIndexedOperation('k', [1], { 1: 1 })]);
    for (const invalidValue of [Number.NaN, Infinity, -Infinity]) {
      await assert.rejects(find({ vector: aHybridVector([invalidValue]) }), RangeError);
      await assert.rejects(find({ vector: aHybridVector([1], { 1: invalidValue }) }), RangeError);
    }
  },
  'a result from the index is not a fallback': async (subject) => {
    const asOf = createDriver(subject).put(a, [anIndexedOperation('k', [1])]);
    assert.equal((await subject.index.search(query({ asOf }))).isFallback, false);
  },
  'while the index is unavailable, its check fails, and so does a search that must catch up': async (subject) => {
    const { find, put } = createDriver(subject);
    await subject.index.check();
    subject.interrupt();
    put(a, [anIndexedOperation('k', [1])]);
    await assert.rejects(subject.index.check());
    await assert.rejects(find());
    subject.resume();
    await subject.index.check();
    assert.deepEqual(namesOf(await find()), ['k']);
  },
} satisfies Contract<OperationIndexSubject>;

/** The contract of `OperationIndex`. */
export const operationIndexContract = {
  ...rankingCases,
  ...filteringCases,
  ...changeCases,
  ...responseCases,
} satisfies Contract<OperationIndexSubject>;
