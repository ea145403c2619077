import { createEmbeddingChanges, createVectorTowards } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { startFakeQdrant } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverLimits } from '../test/server-limits.ts';
import type { Generation } from './generation.ts';
import { findNearest } from './find-nearest.ts';
import type { QdrantServer } from './qdrant-server.ts';
import { createSubject, expectSameMatches, idOf, queryOf, randomVectors, type Subject } from '../test/subject.ts';

const fake = await startFakeQdrant();
afterAll(() => fake.close());

/** The number of vectors: so many that a large share of them takes three requests. */
const size = 4_600;
const allIds = Array.from({ length: size }, (_, i) => idOf(i));
const queryPath = /\/points\/query$/;
const listQueries = () => fake.calls.filter(({ path }) => queryPath.test(path));

describe('fake Qdrant: thousands of vectors', () => {
  const embeddings = createEmbeddingChanges();
  const nextVector = randomVectors(20_260_202);
  let subject: Subject;
  let asOf = 0;

  beforeAll(async () => {
    for (const [i, collectionId] of allIds.entries()) {
      // Some vectors are equal and some point in opposite directions, so there are ties above 0 and scores below 0.
      const vector = i % 50 < 3 ? createVectorTowards(1, 1 + (i % 50)) : nextVector();
      asOf = embeddings.put({ modelId: 'm', collectionId, vector });
    }
    subject = createSubject({ url: fake.url, installation: 'thousands', embeddings, limits: serverLimits });
    await subject.index.rebuild('m');
  });
  afterAll(() => subject.close());

  const searchExact = async (candidateIds: readonly CollectionId[], limit: number, vector: Float32Array) => {
    const query = queryOf({ candidateIds, asOf, limit, vector });
    const { matches, isFallback } = await subject.index.search(query);
    expect(isFallback).toBe(false);
    expectSameMatches(matches, (await subject.referenceIndex.search(query)).matches);
    return matches;
  };

  test.each([
    ['one', (i: number) => i === 17],
    ['a seventh', (i: number) => i % 7 === 3],
    ['half', (i: number) => i % 2 === 0],
    ['nine in ten', (i: number) => i % 10 !== 5],
    ['all', () => true],
  ])('%s of the vectors: the best matches equal those of a full comparison', async (_name, isVisible) => {
    const candidateIds = allIds.filter((_, i) => isVisible(i));
    await searchExact(candidateIds, 10, nextVector());
    await searchExact(candidateIds, 100, nextVector());
  });

  test('all ties across several requests are returned', async () => {
    for (const candidateIds of [allIds.filter((_, i) => i % 5 !== 4), allIds]) {
      const matches = await searchExact(candidateIds, 10, createVectorTowards(1, 1));
      expect(matches.length).toBeGreaterThan(50);
    }
  });

  test('scores below 0 are tied', async () => {
    const candidateIds = allIds.filter((_, i) => i % 3 === 0);
    const matches = await searchExact(candidateIds, candidateIds.length - 1, nextVector());
    expect(matches.length).toBe(candidateIds.length);
  });

  test('searching eight ninths of the vectors takes three requests with about 80 KB of ids each, and searching all takes one', async () => {
    fake.calls.length = 0;
    await searchExact(
      allIds.filter((_, i) => i % 9 !== 0),
      10,
      nextVector(),
    );
    expect(listQueries()).toHaveLength(3);
    expect(Math.max(...listQueries().map(({ bodyBytes }) => bodyBytes))).toBeLessThan(110_000);
    fake.calls.length = 0;
    await searchExact(allIds, 10, nextVector());
    expect(listQueries()).toHaveLength(1);
    expect(listQueries()[0]?.bodyBytes).toBeLessThan(20_000);
  });

  test('a repeated search neither reads the database nor writes to Qdrant', async () => {
    fake.calls.length = 0;
    await subject.index.search(queryOf({ candidateIds: allIds, asOf, vector: nextVector() }));
    expect(fake.calls.map(({ path }) => queryPath.test(path))).toEqual([true]);
  });
});

test('all five parts of a list are queried, with four concurrent requests', async () => {
  const candidateIds = Array.from({ length: 8_001 }, (_, i) => idOf(i));
  let [inFlight, inFlightMax] = [0, 0];
  const server: Pick<QdrantServer, 'query'> = {
    query: async (_name, _modelId, _vector, ids, limit) => {
      inFlightMax = Math.max(inFlightMax, (inFlight += 1));
      await new Promise(setImmediate);
      inFlight -= 1;
      // The last id has the best score.
      const scores = (ids ?? []).map((collectionId) => ({
        collectionId,
        score: Number(collectionId.slice(-12)) / 1e5,
      }));
      return scores.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
  const generation: Pick<Generation, 'name' | 'sizeOf'> = { name: 'm', sizeOf: () => 100_000 };
  const query = queryOf({ candidateIds, asOf: 0, limit: 3 });
  const matches = await findNearest(server as QdrantServer, generation as Generation, query);
  expect(matches.map(({ collectionId }) => collectionId)).toEqual([8_000, 7_999, 7_998].map(idOf));
  expect(inFlightMax).toBe(4);
});
