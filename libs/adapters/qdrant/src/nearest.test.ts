import { createEmbeddingChanges, vectorTowards } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { startQdrantStandIn } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitsOfServer } from '../test/limits-of-server.ts';
import type { Generation } from './generation.ts';
import { nearest } from './nearest.ts';
import type { QdrantServer } from './qdrant-server.ts';
import { createSubject, expectSame, idOf, queryOf, randomVectors, type Subject } from '../test/subject.ts';

const standIn = await startQdrantStandIn();
afterAll(() => standIn.close());

/** Enough for a part of them to take three requests. */
const size = 4_600;
const everything = Array.from({ length: size }, (_, i) => idOf(i));
const queryPath = /\/points\/query$/;
const queries = () => standIn.calls.filter(({ path }) => queryPath.test(path));

describe('Qdrant stand-in: thousands of vectors', () => {
  const embeddings = createEmbeddingChanges();
  const next = randomVectors(20_260_202);
  let subject: Subject;
  let asOf = 0;

  beforeAll(async () => {
    for (const [i, collectionId] of everything.entries()) {
      // Some are equal, some point in opposite directions: ties above 0, and scores below it.
      const vector = i % 50 < 3 ? vectorTowards(1, 1 + (i % 50)) : next();
      asOf = embeddings.put({ modelId: 'm', collectionId, vector });
    }
    subject = createSubject({ url: standIn.url, installation: 'thousands', embeddings, limits: limitsOfServer });
    await subject.index.rebuild('m');
  });
  afterAll(() => subject.close());

  const assertTrue = async (among: readonly CollectionId[], limit: number, vector: Float32Array) => {
    const query = queryOf({ among, asOf, limit, vector });
    const { matches, isFallback } = await subject.index.search(query);
    expect(isFallback).toBe(false);
    expectSame(matches, (await subject.truth.search(query)).matches);
    return matches;
  };

  test.each([
    ['one', (i: number) => i === 17],
    ['a seventh', (i: number) => i % 7 === 3],
    ['half', (i: number) => i % 2 === 0],
    ['nine in ten', (i: number) => i % 10 !== 5],
    ['all', () => true],
  ])('%s of them: the best match a comparison with every vector', async (_name, isVisible) => {
    const among = everything.filter((_, i) => isVisible(i));
    await assertTrue(among, 10, next());
    await assertTrue(among, 100, next());
  });

  test('ties across several requests are all returned', async () => {
    for (const among of [everything.filter((_, i) => i % 5 !== 4), everything]) {
      const matches = await assertTrue(among, 10, vectorTowards(1, 1));
      expect(matches.length).toBeGreaterThan(50);
    }
  });

  test('scores below 0 are ties', async () => {
    const among = everything.filter((_, i) => i % 3 === 0);
    const matches = await assertTrue(among, among.length - 1, next());
    expect(matches.length).toBe(among.length);
  });

  test('eight in nine of them take three requests of about 80 KB of ids each, all of them take one', async () => {
    standIn.calls.length = 0;
    await assertTrue(
      everything.filter((_, i) => i % 9 !== 0),
      10,
      next(),
    );
    expect(queries()).toHaveLength(3);
    expect(Math.max(...queries().map(({ bodyBytes }) => bodyBytes))).toBeLessThan(110_000);
    standIn.calls.length = 0;
    await assertTrue(everything, 10, next());
    expect(queries()).toHaveLength(1);
    expect(queries()[0]?.bodyBytes).toBeLessThan(20_000);
  });

  test('a repeated search neither reads the database nor writes to Qdrant', async () => {
    standIn.calls.length = 0;
    await subject.index.search(queryOf({ among: everything, asOf, vector: next() }));
    expect(standIn.calls.map(({ path }) => queryPath.test(path))).toEqual([true]);
  });
});

test('of a list of five parts none is left out, although four are asked for at once', async () => {
  const among = Array.from({ length: 8_001 }, (_, i) => idOf(i));
  let [underWay, most] = [0, 0];
  const server: Pick<QdrantServer, 'query'> = {
    query: async (_name, _modelId, _vector, ids, limit) => {
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      // The last of all is the best.
      const scores = (ids ?? []).map((collectionId) => ({
        collectionId,
        score: Number(collectionId.slice(-12)) / 1e5,
      }));
      return scores.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
  const generation: Pick<Generation, 'name' | 'sizeOf'> = { name: 'm', sizeOf: () => 100_000 };
  const query = queryOf({ among, asOf: 0, limit: 3 });
  const found = await nearest(server as QdrantServer, generation as Generation, query);
  expect(found.map(({ collectionId }) => collectionId)).toEqual([8_000, 7_999, 7_998].map(idOf));
  expect(most).toBe(4);
});
