import assert from 'node:assert/strict';
import { embeddingDimension } from '@portico/domain';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import type { Contract } from './contract.ts';
import type { EmbeddingChanges } from './embedding-changes.ts';

/** An empty index, the store that it copies, and a switch that interrupts its dependencies. */
export interface VectorIndexSubject {
  readonly index: VectorIndex;
  readonly embeddings: EmbeddingChanges;
  /** Makes all dependencies of the index fail from now on. */
  interrupt(): void;
  /** Ends the interruption. */
  resume(): void;
}

/** Returns a unit vector whose first components are in this ratio. The others are 0. */
export const createVectorTowards = (...components: readonly number[]): Float32Array => {
  const length = Math.hypot(...components);
  return Float32Array.from({ length: embeddingDimension }, (_, i) => (components[i] ?? 0) / length);
};

const [a, b, c, d] = Array.from({ length: 4 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`) as [
  CollectionId,
  CollectionId,
  CollectionId,
  CollectionId,
];

const query = (changes: Partial<VectorQuery> = {}): VectorQuery => ({
  modelId: 'model-1',
  vector: createVectorTowards(1),
  candidateIds: [a, b, c, d],
  limit: 10,
  asOf: 0,
  ...changes,
});
const idsOf = (matches: readonly VectorMatch[]): readonly CollectionId[] => matches.map((match) => match.collectionId);
const sortIds = (ids: readonly CollectionId[]): readonly CollectionId[] => [...ids].sort();

const assertScores = (matches: readonly VectorMatch[], expected: Readonly<Record<string, number>>): void => {
  assert.deepEqual(sortIds(idsOf(matches)), Object.keys(expected).sort());
  for (const { collectionId, score } of matches) {
    const expectedScore = expected[collectionId] ?? Number.NaN;
    assert.ok(Math.abs(score - expectedScore) < 1e-6, `score ${score} of ${collectionId}, expected ${expectedScore}`);
  }
};

/**
 * Creates functions that write to the store and query the index. A query is as of the last write unless it has its own
 * `asOf`.
 */
const createDriver = ({ index, embeddings }: VectorIndexSubject) => {
  let asOf = 0;
  const find = async (changes: Partial<VectorQuery> = {}): Promise<readonly VectorMatch[]> =>
    (await index.search(query({ asOf, ...changes }))).matches;
  const put = (collectionId: CollectionId, vector: Float32Array, modelId = 'model-1'): number => {
    asOf = embeddings.put({ modelId, collectionId, vector });
    return asOf;
  };
  /** Stores one vector per collection, for a, b, c and d in this order. */
  const seedVectors = (...vectors: readonly Float32Array[]): void => {
    for (const [i, vector] of vectors.entries()) put([a, b, c, d][i] ?? a, vector);
  };
  const remove = async (collectionId: CollectionId): Promise<void> => {
    embeddings.remove(collectionId);
    await index.remove(collectionId);
  };
  return { find, put, seedVectors, remove };
};

const rankingCases = {
  'the best matches come first, by cosine similarity': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1, 1), createVectorTowards(1), createVectorTowards(3, 4));
    const matches = await find();
    assert.deepEqual(idsOf(matches), [b, a, c]);
    assertScores(matches, { [a]: Math.SQRT1_2, [b]: 1, [c]: 0.6 });
  },
  'all 768 dimensions affect the score': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    const lastAxisVector = Float32Array.from({ length: embeddingDimension }, (_, i) =>
      i === embeddingDimension - 1 ? 1 : 0,
    );
    seedVectors(lastAxisVector, createVectorTowards(1));
    assertScores(await find({ vector: lastAxisVector }), { [a]: 1, [b]: 0 });
  },
  'a score below 0 is clamped to 0': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(-1), createVectorTowards(0, 1), createVectorTowards(-1, 1));
    assert.deepEqual(new Set((await find()).map(({ score }) => score)), new Set([0]));
  },
  'the similarity does not depend on the length of a vector': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(
      createVectorTowards(3, 4).map((x) => x * 5),
      createVectorTowards(1),
    );
    assertScores(await find({ vector: createVectorTowards(1).map((x) => x / 4) }), { [a]: 0.6, [b]: 1 });
  },
  'a search does not exceed its limit if scores differ': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(
      createVectorTowards(1, 3),
      createVectorTowards(1, 2),
      createVectorTowards(1, 1),
      createVectorTowards(1),
    );
    assert.deepEqual(idsOf(await find({ limit: 2 })), [d, c]);
  },
  'matches with the same score as the last one within the limit are also returned': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(
      createVectorTowards(1, 1),
      createVectorTowards(1),
      createVectorTowards(1, 1),
      createVectorTowards(1, 2),
    );
    const matches = await find({ limit: 2 });
    assert.equal(matches[0]?.collectionId, b);
    assert.deepEqual(sortIds(idsOf(matches)), [a, b, c]);
    assert.equal(matches[1]?.score, matches[2]?.score);
  },
  'scores clamped to 0 are equal, so all of them are returned if the limit falls among them': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(-1), createVectorTowards(1), createVectorTowards(-1, 1), createVectorTowards(0, 1));
    assert.deepEqual(sortIds(idsOf(await find({ limit: 2 }))), [a, b, c, d]);
  },
  'a limit above the number of vectors returns all of them': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1), createVectorTowards(0, 1));
    assert.deepEqual(idsOf(await find({ limit: 1_000_000 })), [a, b]);
  },
} satisfies Contract<VectorIndexSubject>;

const filteringCases = {
  'only the given collections are returned, and only they count towards the limit': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(
      createVectorTowards(1),
      createVectorTowards(1, 0.1),
      createVectorTowards(1, 2),
      createVectorTowards(1, 1),
    );
    assert.deepEqual(idsOf(await find({ candidateIds: [c, d], limit: 2 })), [d, c]);
  },
  'vectors outside the given collections do not change a result': async (subject) => {
    const { seedVectors, find, put } = createDriver(subject);
    seedVectors(createVectorTowards(1, 1), createVectorTowards(1, 2));
    const candidateIds = [a, b];
    const before = await find({ candidateIds, limit: 1 });
    put(c, createVectorTowards(1));
    put(d, createVectorTowards(1, 1));
    assert.deepEqual(await find({ candidateIds, limit: 1 }), before);
  },
  'a given collection without a vector is left out': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1));
    assert.deepEqual(idsOf(await find({ candidateIds: [d, a] })), [a]);
  },
  'searching in no collections returns nothing': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1));
    assert.deepEqual(await find({ candidateIds: [] }), []);
  },
  'an empty index returns nothing': async (subject) => {
    assert.deepEqual(await createDriver(subject).find(), []);
  },
  'vectors from other models do not affect the result': async (subject) => {
    const { seedVectors, find, put } = createDriver(subject);
    seedVectors(createVectorTowards(1, 1));
    put(b, createVectorTowards(1), 'model-2');
    assert.deepEqual(idsOf(await find({ modelId: 'model-2' })), [b]);
    assert.deepEqual(idsOf(await find({ limit: 1 })), [a]);
  },
} satisfies Contract<VectorIndexSubject>;

const changeCases = {
  'the next search finds a stored embedding, even with the same array of collections': async (subject) => {
    const { seedVectors, find, put } = createDriver(subject);
    const candidateIds = [a, b];
    seedVectors(createVectorTowards(1, 1));
    await find({ candidateIds });
    put(b, createVectorTowards(1));
    assert.deepEqual(idsOf(await find({ candidateIds })), [b, a]);
  },
  'an embedding replaces the previous one': async (subject) => {
    const { seedVectors, find, put } = createDriver(subject);
    seedVectors(createVectorTowards(1), createVectorTowards(1, 1));
    await find();
    put(a, createVectorTowards(3, 4));
    assertScores(await find(), { [a]: 0.6, [b]: Math.SQRT1_2 });
  },
  'an embedding from a different model does not replace the existing one': async (subject) => {
    const { seedVectors, find, put } = createDriver(subject);
    seedVectors(createVectorTowards(1));
    const candidateIds = [a];
    await find({ candidateIds });
    put(a, createVectorTowards(3, 4), 'model-2');
    assertScores(await find({ candidateIds, modelId: 'model-2' }), { [a]: 0.6 });
    assertScores(await find({ candidateIds }), { [a]: 1 });
    put(a, createVectorTowards(4, 3), 'model-2');
    assertScores(await find({ candidateIds, modelId: 'model-2' }), { [a]: 0.8 });
    assertScores(await find({ candidateIds }), { [a]: 1 });
  },
  'a removed vector is no longer found, even with the same array of collections': async (subject) => {
    const { seedVectors, find, remove } = createDriver(subject);
    const candidateIds = [a, b];
    seedVectors(createVectorTowards(1), createVectorTowards(1, 1));
    await find({ candidateIds });
    await remove(a);
    assert.deepEqual(idsOf(await find({ candidateIds })), [b]);
  },
  'removing a collection removes its vectors for every model': async (subject) => {
    const { seedVectors, find, put, remove } = createDriver(subject);
    const candidateIds = [a, b];
    seedVectors(createVectorTowards(1), createVectorTowards(1, 1));
    for (const collectionId of candidateIds) put(collectionId, createVectorTowards(1), 'model-2');
    await find({ candidateIds });
    await find({ candidateIds, modelId: 'model-2' });
    await remove(a);
    assert.deepEqual(idsOf(await find({ candidateIds })), [b]);
    assert.deepEqual(idsOf(await find({ candidateIds, modelId: 'model-2' })), [b]);
  },
  'after a model is dropped, only its vectors are no longer found, and dropping an unknown model is not an error':
    async (subject) => {
      const { seedVectors, find, put } = createDriver(subject);
      seedVectors(createVectorTowards(1));
      put(a, createVectorTowards(3, 4), 'model-2');
      assertScores(await find(), { [a]: 1 });
      assertScores(await find({ modelId: 'model-2' }), { [a]: 0.6 });
      subject.embeddings.removeModel('model-1');
      await subject.index.dropModel('model-1');
      assert.deepEqual(await find(), []);
      assertScores(await find({ modelId: 'model-2' }), { [a]: 0.6 });
      await assert.doesNotReject(subject.index.dropModel('model-1'));
      await assert.doesNotReject(subject.index.dropModel('model-3'));
    },
  'a vector in the slot of a removed vector is not mistaken for the removed one': async (subject) => {
    const { seedVectors, find, put, remove } = createDriver(subject);
    const candidateIds = [a];
    seedVectors(createVectorTowards(1), createVectorTowards(1, 1));
    await find({ candidateIds });
    await remove(a);
    put(c, createVectorTowards(1));
    assert.deepEqual(await find({ candidateIds }), []);
    assert.deepEqual(idsOf(await find({ candidateIds: [b, c] })), [c, b]);
  },
  'removing a missing vector is not an error': async (subject) => {
    const { seedVectors, find, remove } = createDriver(subject);
    await assert.doesNotReject(remove(a));
    seedVectors(createVectorTowards(1));
    await find();
    await assert.doesNotReject(remove(a));
    await assert.doesNotReject(remove(a));
    assert.deepEqual(await find(), []);
  },
} satisfies Contract<VectorIndexSubject>;

const rejectionCases = {
  'a query vector without exactly 768 dimensions is rejected': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1));
    for (const length of [0, 1, 767, 769]) {
      await assert.rejects(find({ vector: new Float32Array(length).fill(1) }), RangeError);
    }
  },
  'a query vector that is not finite or has no direction is rejected': async (subject) => {
    const { seedVectors, find } = createDriver(subject);
    seedVectors(createVectorTowards(1));
    const invalidVectors = [Number.NaN, Infinity, -Infinity].map((x) => createVectorTowards(1).fill(x, 700, 701));
    for (const vector of [...invalidVectors, new Float32Array(embeddingDimension)]) {
      await assert.rejects(find({ vector }), RangeError);
    }
  },
} satisfies Contract<VectorIndexSubject>;

const freshnessCases = {
  'a result reflects every embedding up to the sequence number that the query specifies': async (subject) => {
    const { find, put } = createDriver(subject);
    const candidateIds = [a, b];
    put(a, createVectorTowards(1, 1));
    put(b, createVectorTowards(1));
    assert.deepEqual(idsOf(await find({ candidateIds })), [b, a]);
    put(b, createVectorTowards(3, 4));
    assertScores(await find({ candidateIds }), { [a]: Math.SQRT1_2, [b]: 0.6 });
  },
  'concurrent searches each reflect the sequence number that they specify': async (subject) => {
    const { find, put } = createDriver(subject);
    const searches: Promise<void>[] = [];
    for (const [i, collectionId] of [a, b, c, d].entries()) {
      const asOf = put(collectionId, createVectorTowards(1, i));
      searches.push(
        find({ asOf }).then((matches) => {
          assert.ok(idsOf(matches).includes(collectionId), `sequence ${asOf} is missing from the result`);
        }),
      );
      await Promise.resolve();
    }
    await Promise.all(searches);
  },
  'each model catches up separately': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, createVectorTowards(1));
    const asOf = put(b, createVectorTowards(3, 4), 'model-2');
    assert.deepEqual(idsOf(await find({ asOf })), [a]);
    assertScores(await find({ asOf, modelId: 'model-2' }), { [b]: 0.6 });
    assert.deepEqual(idsOf(await find({ asOf })), [a]);
  },
  'a result from the index is not a fallback': async (subject) => {
    const asOf = createDriver(subject).put(a, createVectorTowards(1));
    assert.equal((await subject.index.search(query({ asOf }))).isFallback, false);
  },
  'while the index is unavailable, its check fails, and so does a search that must catch up': async (subject) => {
    const { find, put } = createDriver(subject);
    await subject.index.check();
    subject.interrupt();
    put(a, createVectorTowards(1));
    await assert.rejects(subject.index.check());
    await assert.rejects(find());
    subject.resume();
    await subject.index.check();
    assert.deepEqual(idsOf(await find()), [a]);
  },
  'the index reports its kind': async ({ index }) => {
    assert.match(index.kind, /\S/);
  },
} satisfies Contract<VectorIndexSubject>;

export const vectorIndexContract = {
  ...rankingCases,
  ...filteringCases,
  ...changeCases,
  ...rejectionCases,
  ...freshnessCases,
} satisfies Contract<VectorIndexSubject>;
