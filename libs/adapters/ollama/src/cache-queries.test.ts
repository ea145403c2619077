import { type Cache, embeddingDimension } from '@portico/domain';
import { fakeNomic } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { listEmbedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { cacheQueries } from './cache-queries.ts';
import { ollamaLimits } from './limits.ts';

const createCache = (): Cache & { readonly entries: Map<string, Uint8Array> } => {
  const entries = new Map<string, Uint8Array>();
  return {
    entries,
    get: async (key) => entries.get(key) ?? null,
    put: async (key, value) => void entries.set(key, value.slice()),
  };
};

const open = async () => {
  const ollama = await openOllama();
  await warmUp(ollama);
  const cache = createCache();
  return { ...ollama, cache, cachedEmbedder: cacheQueries(ollama.embedder, cache) };
};

test('a query is embedded only once, and later calls return the same vector', async () => {
  const { fake, cachedEmbedder, embedder, cache } = await open();
  const result = await cachedEmbedder.embed(['roads of Rome'], 'query');
  expect(await cachedEmbedder.embed(['roads of Rome'], 'query')).toEqual(result);
  expect(await cacheQueries(embedder, cache).embed(['roads of Rome'], 'query')).toEqual(result);
  expect(listEmbedRequests(fake)).toHaveLength(1);
  await cachedEmbedder.embed(['rivers'], 'query');
  expect(listEmbedRequests(fake)).toHaveLength(2);
});

test('a key reveals neither the text nor the model', async () => {
  const { cachedEmbedder, cache } = await open();
  const { modelId } = await cachedEmbedder.embed(['roads of Rome'], 'query');
  for (const [key, value] of cache.entries) {
    expect(key).not.toContain('roads');
    expect(key).not.toContain(modelId);
    expect(value).toHaveLength(4 * embeddingDimension);
  }
});

test('documents are not cached', async () => {
  const { fake, cachedEmbedder, cache } = await open();
  for (let i = 0; i < 2; i++) await cachedEmbedder.embed(['roads of Rome'], 'document');
  expect(cache.entries.size).toBe(0);
  expect(listEmbedRequests(fake)).toHaveLength(2);
});

test('a value that is not a vector is replaced', async () => {
  const { fake, cachedEmbedder, cache } = await open();
  const expected = await cachedEmbedder.embed(['roads'], 'query');
  for (const length of [0, 4, 4 * embeddingDimension - 1, 4 * embeddingDimension + 4]) {
    for (const key of cache.entries.keys()) cache.entries.set(key, new Uint8Array(length));
    expect(await cachedEmbedder.embed(['roads'], 'query')).toEqual(expected);
  }
  expect(listEmbedRequests(fake)).toHaveLength(5);
  expect(await cachedEmbedder.embed(['roads'], 'query')).toEqual(expected);
  expect(listEmbedRequests(fake)).toHaveLength(5);
});

test('after a model is pulled again, its old vectors are not used: each version has separate entries', async () => {
  const { fake, cachedEmbedder, time } = await open();
  const previousResult = await cachedEmbedder.embed(['roads'], 'query');
  fake.install({ ...fakeNomic, digest: fakeNomic.digest.replace(/^./, 'f') });
  await time.advance(ollamaLimits.modelIdMaxAgeMs);
  const newResult = await cachedEmbedder.embed(['roads'], 'query');
  expect(newResult.modelId).not.toBe(previousResult.modelId);
  expect(newResult.vectors).not.toEqual(previousResult.vectors);
  expect(await cachedEmbedder.embed(['roads'], 'query')).toEqual(newResult);
  expect(listEmbedRequests(fake)).toHaveLength(2);
});

test('the vector of a cached query is returned even while the server is unavailable', async () => {
  const { fake, cachedEmbedder } = await open();
  const previousResult = await cachedEmbedder.embed(['roads'], 'query');
  await fake.close();
  expect(await cachedEmbedder.embed(['roads'], 'query')).toEqual(previousResult);
  await expect(cachedEmbedder.embed(['rivers'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
});
