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

/** Returns a vector of length 1 whose first components are in this ratio. The others are 0. */
export const vectorTowards = (...components: readonly number[]): Float32Array => {
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
  vector: vectorTowards(1),
  among: [a, b, c, d],
  limit: 10,
  asOf: 0,
  ...changes,
});
const idsOf = (matches: readonly VectorMatch[]): readonly CollectionId[] => matches.map((match) => match.collectionId);
const sorted = (ids: readonly CollectionId[]): readonly CollectionId[] => [...ids].sort();

const assertScores = (matches: readonly VectorMatch[], expected: Readonly<Record<string, number>>): void => {
  assert.deepEqual(sorted(idsOf(matches)), Object.keys(expected).sort());
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
  const fill = (...vectors: readonly Float32Array[]): void => {
    for (const [i, vector] of vectors.entries()) put([a, b, c, d][i] ?? a, vector);
  };
  const remove = async (collectionId: CollectionId): Promise<void> => {
    embeddings.remove(collectionId);
    await index.remove(collectionId);
  };
  return { find, put, fill, remove };
};

const ranking = {
  'the best matches come first, by cosine similarity': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1, 1), vectorTowards(1), vectorTowards(3, 4));
    const matches = await find();
    assert.deepEqual(idsOf(matches), [b, a, c]);
    assertScores(matches, { [a]: Math.SQRT1_2, [b]: 1, [c]: 0.6 });
  },
  'all 768 dimensions count': async (subject) => {
    const { fill, find } = createDriver(subject);
    const last = Float32Array.from({ length: embeddingDimension }, (_, i) => (i === embeddingDimension - 1 ? 1 : 0));
    fill(last, vectorTowards(1));
    assertScores(await find({ vector: last }), { [a]: 1, [b]: 0 });
  },
  'a score below 0 is raised to 0': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(-1), vectorTowards(0, 1), vectorTowards(-1, 1));
    assert.deepEqual(new Set((await find()).map(({ score }) => score)), new Set([0]));
  },
  'the similarity does not depend on the length of a vector': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(
      vectorTowards(3, 4).map((x) => x * 5),
      vectorTowards(1),
    );
    assertScores(await find({ vector: vectorTowards(1).map((x) => x / 4) }), { [a]: 0.6, [b]: 1 });
  },
  'a search does not exceed its limit if scores differ': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1, 3), vectorTowards(1, 2), vectorTowards(1, 1), vectorTowards(1));
    assert.deepEqual(idsOf(await find({ limit: 2 })), [d, c]);
  },
  'matches that equal the last score within the limit are returned too': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1, 1), vectorTowards(1), vectorTowards(1, 1), vectorTowards(1, 2));
    const matches = await find({ limit: 2 });
    assert.equal(matches[0]?.collectionId, b);
    assert.deepEqual(sorted(idsOf(matches)), [a, b, c]);
    assert.equal(matches[1]?.score, matches[2]?.score);
  },
  'scores raised to 0 are equal, so a limit reached among them returns them all': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(-1), vectorTowards(1), vectorTowards(-1, 1), vectorTowards(0, 1));
    assert.deepEqual(sorted(idsOf(await find({ limit: 2 }))), [a, b, c, d]);
  },
  'a limit above the number of vectors returns them all': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1), vectorTowards(0, 1));
    assert.deepEqual(idsOf(await find({ limit: 1_000_000 })), [a, b]);
  },
} satisfies Contract<VectorIndexSubject>;

const filtering = {
  'only the given collections are returned, and they fill the limit': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1), vectorTowards(1, 0.1), vectorTowards(1, 2), vectorTowards(1, 1));
    assert.deepEqual(idsOf(await find({ among: [c, d], limit: 2 })), [d, c]);
  },
  'vectors outside the given collections do not change a result': async (subject) => {
    const { fill, find, put } = createDriver(subject);
    fill(vectorTowards(1, 1), vectorTowards(1, 2));
    const among = [a, b];
    const before = await find({ among, limit: 1 });
    put(c, vectorTowards(1));
    put(d, vectorTowards(1, 1));
    assert.deepEqual(await find({ among, limit: 1 }), before);
  },
  'a given collection without a vector is left out': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1));
    assert.deepEqual(idsOf(await find({ among: [d, a] })), [a]);
  },
  'a search among no collections finds nothing': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1));
    assert.deepEqual(await find({ among: [] }), []);
  },
  'an empty index returns nothing': async (subject) => {
    assert.deepEqual(await createDriver(subject).find(), []);
  },
  'vectors of another model have no influence': async (subject) => {
    const { fill, find, put } = createDriver(subject);
    fill(vectorTowards(1, 1));
    put(b, vectorTowards(1), 'model-2');
    assert.deepEqual(idsOf(await find({ modelId: 'model-2' })), [b]);
    assert.deepEqual(idsOf(await find({ limit: 1 })), [a]);
  },
} satisfies Contract<VectorIndexSubject>;

const changing = {
  'a stored embedding is found by the next search, even with the same array of collections': async (subject) => {
    const { fill, find, put } = createDriver(subject);
    const among = [a, b];
    fill(vectorTowards(1, 1));
    await find({ among });
    put(b, vectorTowards(1));
    assert.deepEqual(idsOf(await find({ among })), [b, a]);
  },
  'an embedding replaces the earlier one': async (subject) => {
    const { fill, find, put } = createDriver(subject);
    fill(vectorTowards(1), vectorTowards(1, 1));
    await find();
    put(a, vectorTowards(3, 4));
    assertScores(await find(), { [a]: 0.6, [b]: Math.SQRT1_2 });
  },
  'an embedding of another model does not replace the earlier one': async (subject) => {
    const { fill, find, put } = createDriver(subject);
    fill(vectorTowards(1));
    const among = [a];
    await find({ among });
    put(a, vectorTowards(3, 4), 'model-2');
    assertScores(await find({ among, modelId: 'model-2' }), { [a]: 0.6 });
    assertScores(await find({ among }), { [a]: 1 });
    put(a, vectorTowards(4, 3), 'model-2');
    assertScores(await find({ among, modelId: 'model-2' }), { [a]: 0.8 });
    assertScores(await find({ among }), { [a]: 1 });
  },
  'a removed vector is no longer found, even with the same array of collections': async (subject) => {
    const { fill, find, remove } = createDriver(subject);
    const among = [a, b];
    fill(vectorTowards(1), vectorTowards(1, 1));
    await find({ among });
    await remove(a);
    assert.deepEqual(idsOf(await find({ among })), [b]);
  },
  'a removal removes the vectors of every model': async (subject) => {
    const { fill, find, put, remove } = createDriver(subject);
    const among = [a, b];
    fill(vectorTowards(1), vectorTowards(1, 1));
    for (const collectionId of among) put(collectionId, vectorTowards(1), 'model-2');
    await find({ among });
    await find({ among, modelId: 'model-2' });
    await remove(a);
    assert.deepEqual(idsOf(await find({ among })), [b]);
    assert.deepEqual(idsOf(await find({ among, modelId: 'model-2' })), [b]);
  },
  'a dropped model is no longer found, and the others are; dropping an unknown model is not an error': async (
    subject,
  ) => {
    const { fill, find, put } = createDriver(subject);
    fill(vectorTowards(1));
    put(a, vectorTowards(3, 4), 'model-2');
    assertScores(await find(), { [a]: 1 });
    assertScores(await find({ modelId: 'model-2' }), { [a]: 0.6 });
    subject.embeddings.removeModel('model-1');
    await subject.index.dropModel('model-1');
    assert.deepEqual(await find(), []);
    assertScores(await find({ modelId: 'model-2' }), { [a]: 0.6 });
    await assert.doesNotReject(subject.index.dropModel('model-1'));
    await assert.doesNotReject(subject.index.dropModel('model-3'));
  },
  'a vector in the slot of a removed one is not mistaken for it': async (subject) => {
    const { fill, find, put, remove } = createDriver(subject);
    const among = [a];
    fill(vectorTowards(1), vectorTowards(1, 1));
    await find({ among });
    await remove(a);
    put(c, vectorTowards(1));
    assert.deepEqual(await find({ among }), []);
    assert.deepEqual(idsOf(await find({ among: [b, c] })), [c, b]);
  },
  'removing an absent vector is not an error': async (subject) => {
    const { fill, find, remove } = createDriver(subject);
    await assert.doesNotReject(remove(a));
    fill(vectorTowards(1));
    await find();
    await assert.doesNotReject(remove(a));
    await assert.doesNotReject(remove(a));
    assert.deepEqual(await find(), []);
  },
} satisfies Contract<VectorIndexSubject>;

const rejecting = {
  'a query vector without exactly 768 dimensions is rejected': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1));
    for (const length of [0, 1, 767, 769]) {
      await assert.rejects(find({ vector: new Float32Array(length).fill(1) }), RangeError);
    }
  },
  'a query vector that is not finite or has no direction is rejected': async (subject) => {
    const { fill, find } = createDriver(subject);
    fill(vectorTowards(1));
    const wrong = [Number.NaN, Infinity, -Infinity].map((x) => vectorTowards(1).fill(x, 700, 701));
    for (const vector of [...wrong, new Float32Array(embeddingDimension)]) {
      await assert.rejects(find({ vector }), RangeError);
    }
  },
} satisfies Contract<VectorIndexSubject>;

const reflecting = {
  'a result reflects every embedding up to the sequence that the query names': async (subject) => {
    const { find, put } = createDriver(subject);
    const among = [a, b];
    put(a, vectorTowards(1, 1));
    put(b, vectorTowards(1));
    assert.deepEqual(idsOf(await find({ among })), [b, a]);
    put(b, vectorTowards(3, 4));
    assertScores(await find({ among }), { [a]: Math.SQRT1_2, [b]: 0.6 });
  },
  'each of many concurrent searches reflects the sequence that it names': async (subject) => {
    const { find, put } = createDriver(subject);
    const searches: Promise<void>[] = [];
    for (const [i, collectionId] of [a, b, c, d].entries()) {
      const asOf = put(collectionId, vectorTowards(1, i));
      searches.push(
        find({ asOf }).then((matches) => {
          assert.ok(idsOf(matches).includes(collectionId), `sequence ${asOf} is missing from the result`);
        }),
      );
      await Promise.resolve();
    }
    await Promise.all(searches);
  },
  'each model is caught up separately': async (subject) => {
    const { find, put } = createDriver(subject);
    put(a, vectorTowards(1));
    const asOf = put(b, vectorTowards(3, 4), 'model-2');
    assert.deepEqual(idsOf(await find({ asOf })), [a]);
    assertScores(await find({ asOf, modelId: 'model-2' }), { [b]: 0.6 });
    assert.deepEqual(idsOf(await find({ asOf })), [a]);
  },
  'a result from the index itself is not a fallback': async (subject) => {
    const asOf = createDriver(subject).put(a, vectorTowards(1));
    assert.equal((await subject.index.search(query({ asOf }))).isFallback, false);
  },
  'while the index is unavailable, its check rejects, and so does a search that must catch up': async (subject) => {
    const { find, put } = createDriver(subject);
    await subject.index.check();
    subject.interrupt();
    put(a, vectorTowards(1));
    await assert.rejects(subject.index.check());
    await assert.rejects(find());
    subject.resume();
    await subject.index.check();
    assert.deepEqual(idsOf(await find()), [a]);
  },
  'it names its kind': async ({ index }) => {
    assert.match(index.kind, /\S/);
  },
} satisfies Contract<VectorIndexSubject>;

export const vectorIndexContract = {
  ...ranking,
  ...filtering,
  ...changing,
  ...rejecting,
  ...reflecting,
} satisfies Contract<VectorIndexSubject>;
