import { createEmbeddingChanges, vectorTowards } from '@portico/contracts';
import type { CollectionId, VectorIndex } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { createSubject } from '../test/vector-index-subject.ts';
import { createEmbeddedVectorIndex } from './embedded-vector-index.ts';

/** Generates numbers between -0.5 and 0.5, which are the same in each run (a linear congruential generator). */
const randomNumbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32 - 0.5;
};

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

const cosine = (x: Float32Array, y: Float32Array): number => {
  const dot = (one: Float32Array, other: Float32Array) =>
    one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
};

describe('compared with a plain JavaScript comparison of every vector', () => {
  const random = randomNumbers(20_260_101);
  const randomVector = () => Float32Array.from({ length: 768 }, random);

  const assertAgrees = async (
    { index, asOf }: { readonly index: VectorIndex; readonly asOf: number },
    truth: ReadonlyMap<CollectionId, Float32Array>,
    among: readonly CollectionId[],
    limit: number,
  ): Promise<void> => {
    const vector = randomVector();
    const { matches } = await index.search({ modelId: 'm', vector, among, limit, asOf });
    const all = among
      .flatMap((id) => {
        const stored = truth.get(id);
        return stored ? [{ id, score: Math.max(0, cosine(vector, stored)) }] : [];
      })
      .sort((x, y) => y.score - x.score);
    const last = all[Math.min(limit, all.length) - 1]?.score ?? Infinity;
    const expected = new Map(all.filter(({ score }) => score >= last).map(({ id, score }) => [id, score]));
    expect(new Set(matches.map(({ collectionId }) => collectionId))).toEqual(new Set(expected.keys()));
    matches.forEach(({ collectionId, score }, i) => {
      expect(Math.abs(score - (expected.get(collectionId) ?? Number.NaN))).toBeLessThan(1e-6);
      expect(score).toBeLessThanOrEqual(matches[i - 1]?.score ?? 1);
    });
  };

  test.each([1, 2, 3, 1023, 1024, 1025, 2049])(
    '%i vectors, whole and filtered, with changes and removals',
    async (size) => {
      const { index, embeddings } = createSubject();
      const truth = new Map<CollectionId, Float32Array>();
      let asOf = 0;
      const put = (number: number) => {
        const vector = randomVector();
        truth.set(idOf(number), vector);
        asOf = embeddings.put({ modelId: 'm', collectionId: idOf(number), vector });
      };
      for (let i = 0; i < size; i += 1) {
        put(i);
      }
      const everything = Array.from({ length: size + 50 }, (_, i) => idOf(i));
      const some = everything.filter((_, i) => i % 7 === 3);
      await assertAgrees({ index, asOf }, truth, everything, 10);
      await assertAgrees({ index, asOf }, truth, some, 5);
      await assertAgrees({ index, asOf }, truth, some, size);

      for (let i = 0; i < size; i += 5) {
        truth.delete(idOf(i));
        await index.remove(idOf(i));
      }
      await assertAgrees({ index, asOf }, truth, everything, 10);
      for (let i = 0; i < 50; i += 1) {
        put(size + i);
        put(i % size);
      }
      await assertAgrees({ index, asOf }, truth, everything, 10);
      await assertAgrees({ index, asOf }, truth, some, 10);
    },
  );
});

/** Creates an index over a store whose responses wait until the test releases them. */
const createBlockingSubject = () => {
  const embeddings = createEmbeddingChanges();
  const pending: (() => void)[] = [];
  const calls: number[] = [];
  const index = createEmbeddedVectorIndex({
    embeddings: {
      ...embeddings,
      async changedSince(after, modelId, limit) {
        calls.push(after);
        const changes = await embeddings.changedSince(after, modelId, limit);
        await new Promise<void>((resolve) => pending.push(resolve));
        return changes;
      },
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const releaseOne = async () => {
    await settle();
    pending.shift()?.();
    await settle();
  };
  const put = (number: number, vector: Float32Array) =>
    embeddings.put({ modelId: 'm', collectionId: idOf(number), vector });
  const search = async (among: readonly CollectionId[], asOf: number) =>
    (await index.search({ modelId: 'm', vector: vectorTowards(1), among, limit: 10, asOf })).matches;
  return { index, calls, letThrough: releaseOne, put, search };
};

describe('catching up', () => {
  test('more embeddings than fit in one batch are all read once', async () => {
    const { index, embeddings } = createSubject();
    const ids = Array.from({ length: 1500 }, (_, i) => idOf(i));
    let asOf = 0;
    for (const [i, collectionId] of ids.entries()) {
      asOf = embeddings.put({ modelId: 'm', collectionId, vector: vectorTowards(1, i) });
    }
    const query = { modelId: 'm', vector: vectorTowards(1), among: ids, limit: 2000, asOf };
    expect((await index.search(query)).matches.map(({ collectionId }) => collectionId)).toEqual(ids);
  });

  test('simultaneous searches share one read', async () => {
    const { calls, letThrough: releaseOne, put, search } = createBlockingSubject();
    const asOf = put(0, vectorTowards(1));
    const searches = Promise.all([1, 2, 3].map(() => search([idOf(0)], asOf)));
    await releaseOne();
    for (const matches of await searches) {
      expect(matches).toEqual([{ collectionId: idOf(0), score: 1 }]);
    }
    await search([idOf(0)], asOf);
    expect(calls).toEqual([0]);
  });

  test('a search that needs more than the current read covers waits for another read', async () => {
    const { calls, letThrough: releaseOne, put, search } = createBlockingSubject();
    const first = search([idOf(0)], put(0, vectorTowards(1)));
    await Promise.resolve();
    await Promise.resolve();
    const second = search([idOf(0), idOf(1)], put(1, vectorTowards(1)));
    await releaseOne();
    expect(await first).toHaveLength(1);
    await releaseOne();
    expect(await second).toHaveLength(2);
    expect(calls).toEqual([0, 1]);
  });

  test('a vector that is removed while its batch is in flight is not restored', async () => {
    const { index, letThrough: releaseOne, put, search } = createBlockingSubject();
    const matches = search([idOf(0), idOf(1)], (put(0, vectorTowards(1)), put(1, vectorTowards(1))));
    await index.remove(idOf(0));
    await releaseOne();
    expect((await matches).map(({ collectionId }) => collectionId)).toEqual([idOf(1)]);
  });

  test('a failed read is repeated by the next search', async () => {
    const subject = createSubject();
    const asOf = subject.embeddings.put({ modelId: 'm', collectionId: idOf(0), vector: vectorTowards(1) });
    const search = () =>
      subject.index.search({ modelId: 'm', vector: vectorTowards(1), among: [idOf(0)], limit: 1, asOf });
    subject.interrupt();
    const failures = await Promise.allSettled([search(), search()]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    subject.resume();
    expect((await search()).matches).toHaveLength(1);
  });
});
