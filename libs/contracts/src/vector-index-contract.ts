import assert from 'node:assert/strict';
import { embeddingDimension } from '@portico/domain';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import type { Contract } from './contract.ts';
import type { EmbeddingChanges } from './embedding-changes.ts';

/** An index, empty as yet, the store that it is a copy of, and a switch for what it depends on. */
export interface VectorIndexSubject {
  readonly index: VectorIndex;
  readonly embeddings: EmbeddingChanges;
  /** Makes all that the index depends on fail from now on. */
  interrupt(): void;
  /** Ends what `interrupt` began. */
  resume(): void;
}

/** A vector of length 1 whose first components are in this proportion, and whose others are 0. */
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
    const wanted = expected[collectionId] ?? Number.NaN;
    assert.ok(Math.abs(score - wanted) < 1e-6, `score ${score} of ${collectionId}, expected ${wanted}`);
  }
};

/** Upserts one vector a collection, in the order a, b, c, d. */
const fill = async (index: VectorIndex, ...vectors: readonly Float32Array[]): Promise<void> => {
  for (const [i, vector] of vectors.entries()) {
    await index.upsert('model-1', [a, b, c, d][i] ?? a, vector);
  }
};

const ranking = {
  'the best come first, by cosine similarity': async ({ index }) => {
    await fill(index, vectorTowards(1, 1), vectorTowards(1), vectorTowards(3, 4));
    const matches = await index.search(query());
    assert.deepEqual(idsOf(matches), [b, a, c]);
    assertScores(matches, { [a]: Math.SQRT1_2, [b]: 1, [c]: 0.6 });
  },
  'all 768 dimensions count': async ({ index }) => {
    const last = Float32Array.from({ length: embeddingDimension }, (_, i) => (i === embeddingDimension - 1 ? 1 : 0));
    await fill(index, last, vectorTowards(1));
    assertScores(await index.search(query({ vector: last })), { [a]: 1, [b]: 0 });
  },
  'a score below 0 is raised to 0': async ({ index }) => {
    await fill(index, vectorTowards(-1), vectorTowards(0, 1), vectorTowards(-1, 1));
    assert.deepEqual(new Set((await index.search(query())).map(({ score }) => score)), new Set([0]));
  },
  'the similarity does not depend on how long a vector is': async ({ index }) => {
    await fill(
      index,
      vectorTowards(3, 4).map((x) => x * 5),
      vectorTowards(1),
    );
    const vector = vectorTowards(1).map((x) => x / 4);
    assertScores(await index.search(query({ vector })), { [a]: 0.6, [b]: 1 });
  },
  'no more than the limit are answered where the scores differ': async ({ index }) => {
    await fill(index, vectorTowards(1, 3), vectorTowards(1, 2), vectorTowards(1, 1), vectorTowards(1));
    assert.deepEqual(idsOf(await index.search(query({ limit: 2 }))), [d, c]);
  },
  'all that equal the last score within the limit are answered too': async ({ index }) => {
    await fill(index, vectorTowards(1, 1), vectorTowards(1), vectorTowards(1, 1), vectorTowards(1, 2));
    const matches = await index.search(query({ limit: 2 }));
    assert.equal(matches[0]?.collectionId, b);
    assert.deepEqual(sorted(idsOf(matches)), [a, b, c]);
    assert.equal(matches[1]?.score, matches[2]?.score);
  },
  'scores raised to 0 are equal, so a limit that ends among them answers them all': async ({ index }) => {
    await fill(index, vectorTowards(-1), vectorTowards(1), vectorTowards(-1, 1), vectorTowards(0, 1));
    assert.deepEqual(sorted(idsOf(await index.search(query({ limit: 2 })))), [a, b, c, d]);
  },
  'a limit above what there is answers all there is': async ({ index }) => {
    await fill(index, vectorTowards(1), vectorTowards(0, 1));
    assert.deepEqual(idsOf(await index.search(query({ limit: 1_000_000 }))), [a, b]);
  },
} satisfies Contract<VectorIndexSubject>;

const filtering = {
  'only what is among the given collections is answered, and it fills the limit': async ({ index }) => {
    await fill(index, vectorTowards(1), vectorTowards(1, 0.1), vectorTowards(1, 2), vectorTowards(1, 1));
    assert.deepEqual(idsOf(await index.search(query({ among: [c, d], limit: 2 }))), [d, c]);
  },
  'nothing outside the given collections changes an answer': async ({ index }) => {
    await fill(index, vectorTowards(1, 1), vectorTowards(1, 2));
    const among = [a, b];
    const before = await index.search(query({ among, limit: 1 }));
    await index.upsert('model-1', c, vectorTowards(1));
    await index.upsert('model-1', d, vectorTowards(1, 1));
    assert.deepEqual(await index.search(query({ among, limit: 1 })), before);
  },
  'a collection among the given ones that has no vector is left out': async ({ index }) => {
    await fill(index, vectorTowards(1));
    assert.deepEqual(idsOf(await index.search(query({ among: [d, a] }))), [a]);
  },
  'among no collections nothing is found': async ({ index }) => {
    await fill(index, vectorTowards(1));
    assert.deepEqual(await index.search(query({ among: [] })), []);
  },
  'an empty index answers nothing': async ({ index }) => {
    assert.deepEqual(await index.search(query()), []);
  },
  'the vectors of another model influence nothing': async ({ index }) => {
    await fill(index, vectorTowards(1, 1));
    await index.upsert('model-2', b, vectorTowards(1));
    assert.deepEqual(idsOf(await index.search(query({ limit: 1 }))), [a]);
    assert.deepEqual(idsOf(await index.search(query({ modelId: 'model-2' }))), [b]);
  },
} satisfies Contract<VectorIndexSubject>;

const changing = {
  'an upserted vector is found by the next search, with the same array of collections too': async ({ index }) => {
    const among = [a, b];
    await fill(index, vectorTowards(1, 1));
    await index.search(query({ among }));
    await index.upsert('model-1', b, vectorTowards(1));
    assert.deepEqual(idsOf(await index.search(query({ among }))), [b, a]);
  },
  'an upsert takes the place of the earlier vector': async ({ index }) => {
    await fill(index, vectorTowards(1), vectorTowards(1, 1));
    await index.upsert('model-1', a, vectorTowards(3, 4));
    assertScores(await index.search(query()), { [a]: 0.6, [b]: Math.SQRT1_2 });
  },
  'an upsert takes the place of a vector of another model': async ({ index }) => {
    await fill(index, vectorTowards(1));
    const among = [a];
    await index.search(query({ among }));
    await index.upsert('model-2', a, vectorTowards(3, 4));
    assert.deepEqual(await index.search(query({ among })), []);
    assertScores(await index.search(query({ among, modelId: 'model-2' })), { [a]: 0.6 });
  },
  'what the caller does to an array after an upsert changes nothing': async ({ index }) => {
    const vector = vectorTowards(1);
    await fill(index, vector);
    vector.fill(-1);
    assertScores(await index.search(query()), { [a]: 1 });
  },
  'a removed vector is found no more, with the same array of collections too': async ({ index }) => {
    const among = [a, b];
    await fill(index, vectorTowards(1), vectorTowards(1, 1));
    await index.search(query({ among }));
    await index.remove(a);
    assert.deepEqual(idsOf(await index.search(query({ among }))), [b]);
  },
  'what takes the place of a removed vector is not taken for it': async ({ index }) => {
    const among = [a];
    await fill(index, vectorTowards(1), vectorTowards(1, 1));
    await index.search(query({ among }));
    await index.remove(a);
    await index.upsert('model-1', c, vectorTowards(1));
    assert.deepEqual(await index.search(query({ among })), []);
    assert.deepEqual(idsOf(await index.search(query({ among: [b, c] }))), [c, b]);
  },
  'removing what is absent is no error': async ({ index }) => {
    await index.remove(a);
    await fill(index, vectorTowards(1));
    await index.remove(a);
    await index.remove(a);
    assert.deepEqual(await index.search(query()), []);
  },
  'a vector that has not 768 dimensions is refused, and the earlier one stays': async ({ index }) => {
    await fill(index, vectorTowards(1));
    for (const length of [0, 1, 767, 769]) {
      await assert.rejects(index.upsert('model-1', a, new Float32Array(length).fill(1)), RangeError);
      await assert.rejects(index.search(query({ vector: new Float32Array(length).fill(1) })), RangeError);
    }
    assertScores(await index.search(query()), { [a]: 1 });
  },
  'a vector that is not finite, or has no direction, is refused, and the earlier one stays': async ({ index }) => {
    await fill(index, vectorTowards(1));
    const wrong = [Number.NaN, Infinity, -Infinity].map((x) => vectorTowards(1).fill(x, 700, 701));
    for (const vector of [...wrong, new Float32Array(embeddingDimension)]) {
      await assert.rejects(index.upsert('model-1', a, vector), RangeError);
      await assert.rejects(index.search(query({ vector })), RangeError);
    }
    assertScores(await index.search(query()), { [a]: 1 });
  },
} satisfies Contract<VectorIndexSubject>;

const reflecting = {
  'an answer reflects every embedding up to the sequence that the query names': async ({ index, embeddings }) => {
    const among = [a, b];
    embeddings.put({ modelId: 'model-1', collectionId: a, vector: vectorTowards(1, 1) });
    const first = embeddings.put({ modelId: 'model-1', collectionId: b, vector: vectorTowards(1) });
    assert.deepEqual(idsOf(await index.search(query({ among, asOf: first }))), [b, a]);
    const second = embeddings.put({ modelId: 'model-1', collectionId: b, vector: vectorTowards(3, 4) });
    assertScores(await index.search(query({ among, asOf: second })), { [a]: Math.SQRT1_2, [b]: 0.6 });
  },
  'every one of many concurrent searches reflects the sequence that it names': async ({ index, embeddings }) => {
    const searches: Promise<void>[] = [];
    for (const [i, collectionId] of [a, b, c, d].entries()) {
      const asOf = embeddings.put({ modelId: 'model-1', collectionId, vector: vectorTowards(1, i) });
      searches.push(
        index.search(query({ asOf })).then((matches) => {
          assert.ok(idsOf(matches).includes(collectionId), `sequence ${asOf} is missing from the answer`);
        }),
      );
      await Promise.resolve();
    }
    await Promise.all(searches);
  },
  'an upsert that comes late does not hide a later embedding': async ({ index, embeddings }) => {
    const put = (vector: Float32Array) => embeddings.put({ modelId: 'model-1', collectionId: a, vector });
    put(vectorTowards(1));
    const asOf = put(vectorTowards(3, 4));
    assertScores(await index.search(query({ asOf })), { [a]: 0.6 });
    await index.upsert('model-1', a, vectorTowards(1));
    assertScores(await index.search(query({ asOf })), { [a]: 0.6 });
  },
  'each model is caught up by itself': async ({ index, embeddings }) => {
    embeddings.put({ modelId: 'model-1', collectionId: a, vector: vectorTowards(1) });
    const asOf = embeddings.put({ modelId: 'model-2', collectionId: b, vector: vectorTowards(3, 4) });
    assert.deepEqual(idsOf(await index.search(query({ asOf }))), [a]);
    assertScores(await index.search(query({ asOf, modelId: 'model-2' })), { [b]: 0.6 });
    assert.deepEqual(idsOf(await index.search(query({ asOf }))), [a]);
  },
  'while the index cannot answer its check rejects, and a search that needs to catch up does too': async (subject) => {
    const { index, embeddings } = subject;
    await index.check();
    subject.interrupt();
    const asOf = embeddings.put({ modelId: 'model-1', collectionId: a, vector: vectorTowards(1) });
    await assert.rejects(index.check());
    await assert.rejects(index.search(query({ asOf })));
    subject.resume();
    await index.check();
    assert.deepEqual(idsOf(await index.search(query({ asOf }))), [a]);
  },
  'it says what it is': async ({ index }) => {
    assert.match(index.kind, /\S/);
  },
} satisfies Contract<VectorIndexSubject>;

export const vectorIndexContract = {
  ...ranking,
  ...filtering,
  ...changing,
  ...reflecting,
} satisfies Contract<VectorIndexSubject>;
