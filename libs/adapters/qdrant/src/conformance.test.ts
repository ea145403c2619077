import { createEmbeddingChanges } from '@portico/contracts';
import type { VectorIndex } from '@portico/domain';
import { connectToQdrant, startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { afterAll, describe, expect, test } from 'vitest';
import { serverLimits, type Server } from '../test/server-limits.ts';
import { createSubject, idOf, queryOf, randomVectors } from '../test/subject.ts';

const fake = await startFakeQdrant();
const realServer = await connectToQdrant();
afterAll(() => fake.close());

const size = 400;
const candidateIds = Array.from({ length: size }, (_, i) => idOf(i));

/**
 * Returns the ids in the order of an API response: by the displayed score, then by id. This order does not depend on
 * the index.
 */
const searchIds = async (index: VectorIndex, vector: Float32Array, asOf: number): Promise<readonly string[]> => {
  const { matches, isFallback } = await index.search(queryOf({ candidateIds, asOf, vector, limit: 50 }));
  expect(isFallback).toBe(false);
  const displayedMatches = matches.map(({ collectionId, score }) => ({ collectionId, score: score.toFixed(6) }));
  return displayedMatches
    .sort((a, b) => Number(b.score) - Number(a.score) || (a.collectionId < b.collectionId ? -1 : 1))
    .slice(0, 50)
    .map(({ collectionId }) => collectionId);
};

const assertConforms = async (server: Server) => {
  const embeddings = createEmbeddingChanges();
  const nextVector = randomVectors(20_261_122);
  let asOf = 0;
  for (const [i, collectionId] of candidateIds.entries()) {
    // Every fifth vector is equal to the previous one, so that there are ties.
    const vector = i % 5 === 4 ? (await embeddings.listChangedSince(asOf - 1, 'm', 1))[0]?.vector : nextVector();
    asOf = embeddings.put({ modelId: 'm', collectionId, vector: vector ?? nextVector() });
  }
  const { url, apiKey = null } = server;
  const qdrant = createSubject({ url, apiKey, installation: 'conformance', embeddings, limits: serverLimits });
  const embeddedIndex = createEmbeddedVectorIndex({ embeddings });
  for (let query = 0; query < 30; query += 1) {
    const vector = nextVector();
    expect(await searchIds(qdrant.index, vector, asOf)).toEqual(await searchIds(embeddedIndex, vector, asOf));
  }
  await qdrant.index.dropModel('m');
  await qdrant.close();
};

describe('the same vectors in Qdrant and in the embedded index', () => {
  test('fake Qdrant: are returned in the same order', () => assertConforms(fake));
  test.skipIf(!realServer)('Qdrant: are returned in the same order', () => assertConforms(realServer ?? fake));
});
