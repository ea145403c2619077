import { createEmbeddingChanges, createVectorTowards } from '@portico/contracts';
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
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
};

describe('compared with a plain JavaScript comparison of every vector', () => {
  const random = randomNumbers(20_260_101);
  const randomVector = () => Float32Array.from({ length: 768 }, random);

  const assertAgrees = async (
    { index, asOf }: { readonly index: VectorIndex; readonly asOf: number },
    storedVectors: ReadonlyMap<CollectionId, Float32Array>,
    candidateIds: readonly CollectionId[],
    limit: number,
  ): Promise<void> => {
    const vector = randomVector();
    const { matches } = await index.search({ modelId: 'm', vector, candidateIds, limit, asOf });
    const allMatches = candidateIds
      .flatMap((id) => {
        const storedVector = storedVectors.get(id);
        return storedVector ? [{ id, score: Math.max(0, cosine(vector, storedVector)) }] : [];
      })
      .sort((x, y) => y.score - x.score);
    const lastScore = allMatches[Math.min(limit, allMatches.length) - 1]?.score ?? Infinity;
    const expected = new Map(allMatches.filter(({ score }) => score >= lastScore).map(({ id, score }) => [id, score]));
    expect(new Set(matches.map(({ collectionId }) => collectionId))).toEqual(new Set(expected.keys()));
    matches.forEach(({ collectionId, score }, i) => {
      expect(Math.abs(score - (expected.get(collectionId) ?? Number.NaN))).toBeLessThan(1e-6);
      expect(score).toBeLessThanOrEqual(matches[i - 1]?.score ?? 1);
    });
  };

  test.each([1, 2, 3, 1023, 1024, 1025, 2049])(
    '%i vectors, unfiltered and filtered, with changes and removals',
    async (size) => {
      const { index, embeddings } = createSubject();
      const storedVectors = new Map<CollectionId, Float32Array>();
      let asOf = 0;
      const put = (number: number) => {
        const vector = randomVector();
        storedVectors.set(idOf(number), vector);
        asOf = embeddings.put({ modelId: 'm', collectionId: idOf(number), vector });
      };
      for (let i = 0; i < size; i += 1) {
        put(i);
      }
      const allIds = Array.from({ length: size + 50 }, (_, i) => idOf(i));
      const someIds = allIds.filter((_, i) => i % 7 === 3);
      await assertAgrees({ index, asOf }, storedVectors, allIds, 10);
      await assertAgrees({ index, asOf }, storedVectors, someIds, 5);
      await assertAgrees({ index, asOf }, storedVectors, someIds, size);

      for (let i = 0; i < size; i += 5) {
        storedVectors.delete(idOf(i));
        await index.remove(idOf(i));
      }
      await assertAgrees({ index, asOf }, storedVectors, allIds, 10);
      for (let i = 0; i < 50; i += 1) {
        put(size + i);
        put(i % size);
      }
      await assertAgrees({ index, asOf }, storedVectors, allIds, 10);
      await assertAgrees({ index, asOf }, storedVectors, someIds, 10);
    },
  );
});

/** Creates an index over a store whose responses wait until the test releases them. */
const createBlockingSubject = () => {
  const embeddings = createEmbeddingChanges();
  const pendingReads: (() => void)[] = [];
  const calls: number[] = [];
  const index = createEmbeddedVectorIndex({
    embeddings: {
      ...embeddings,
      async listChangedSince(after, modelId, limit) {
        calls.push(after);
        const changes = await embeddings.listChangedSince(after, modelId, limit);
        await new Promise<void>((resolve) => pendingReads.push(resolve));
        return changes;
      },
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const releaseOne = async () => {
    await settle();
    pendingReads.shift()?.();
    await settle();
  };
  const put = (number: number, vector: Float32Array) =>
    embeddings.put({ modelId: 'm', collectionId: idOf(number), vector });
  const search = async (candidateIds: readonly CollectionId[], asOf: number) =>
    (await index.search({ modelId: 'm', vector: createVectorTowards(1), candidateIds, limit: 10, asOf })).matches;
  return { index, calls, releaseOne, put, search };
};

describe('catching up', () => {
  test('more embeddings than fit in one batch are all read once', async () => {
    const { index, embeddings } = createSubject();
    const ids = Array.from({ length: 1500 }, (_, i) => idOf(i));
    let asOf = 0;
    for (const [i, collectionId] of ids.entries()) {
      asOf = embeddings.put({ modelId: 'm', collectionId, vector: createVectorTowards(1, i) });
    }
    const query = { modelId: 'm', vector: createVectorTowards(1), candidateIds: ids, limit: 2000, asOf };
    expect((await index.search(query)).matches.map(({ collectionId }) => collectionId)).toEqual(ids);
  });

  test('simultaneous searches share one read', async () => {
    const { calls, releaseOne, put, search } = createBlockingSubject();
    const asOf = put(0, createVectorTowards(1));
    const searches = Promise.all([1, 2, 3].map(() => search([idOf(0)], asOf)));
    await releaseOne();
    for (const matches of await searches) {
      expect(matches).toEqual([{ collectionId: idOf(0), score: 1 }]);
    }
    await search([idOf(0)], asOf);
    expect(calls).toEqual([0]);
  });

  test('a search that needs more than the current read covers waits for another read', async () => {
    const { calls, releaseOne, put, search } = createBlockingSubject();
    const firstSearch = search([idOf(0)], put(0, createVectorTowards(1)));
    await Promise.resolve();
    await Promise.resolve();
    const secondSearch = search([idOf(0), idOf(1)], put(1, createVectorTowards(1)));
    await releaseOne();
    expect(await firstSearch).toHaveLength(1);
    await releaseOne();
    expect(await secondSearch).toHaveLength(2);
    expect(calls).toEqual([0, 1]);
  });

  test('a vector that is removed while its batch is in flight is not restored', async () => {
    const { index, releaseOne, put, search } = createBlockingSubject();
    const matches = search([idOf(0), idOf(1)], (put(0, createVectorTowards(1)), put(1, createVectorTowards(1))));
    await index.remove(idOf(0));
    await releaseOne();
    expect((await matches).map(({ collectionId }) => collectionId)).toEqual([idOf(1)]);
  });

  test('a failed read is repeated by the next search', async () => {
    const subject = createSubject();
    const asOf = subject.embeddings.put({ modelId: 'm', collectionId: idOf(0), vector: createVectorTowards(1) });
    const search = () =>
      subject.index.search({ modelId: 'm', vector: createVectorTowards(1), candidateIds: [idOf(0)], limit: 1, asOf });
    subject.interrupt();
    const failures = await Promise.allSettled([search(), search()]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    subject.resume();
    expect((await search()).matches).toHaveLength(1);
  });
});
