import { type Cache, embeddingDimension } from '@portico/domain';
import { fakeNomic } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { embedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { cachedQueries } from './cached-queries.ts';
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
  return { ...ollama, cache, cached: cachedQueries(ollama.embedder, cache) };
};

test('a query is embedded once, and its vector is the same afterwards', async () => {
  const { fake, cached, embedder, cache } = await open();
  const first = await cached.embed(['roads of Rome'], 'query');
  expect(await cached.embed(['roads of Rome'], 'query')).toEqual(first);
  expect(await cachedQueries(embedder, cache).embed(['roads of Rome'], 'query')).toEqual(first);
  expect(embedRequests(fake)).toHaveLength(1);
  await cached.embed(['rivers'], 'query');
  expect(embedRequests(fake)).toHaveLength(2);
});

test('a key reveals neither the text nor the model', async () => {
  const { cached, cache } = await open();
  const { modelId } = await cached.embed(['roads of Rome'], 'query');
  for (const [key, value] of cache.entries) {
    expect(key).not.toContain('roads');
    expect(key).not.toContain(modelId);
    expect(value).toHaveLength(4 * embeddingDimension);
  }
});

test('documents are not cached', async () => {
  const { fake, cached, cache } = await open();
  for (let i = 0; i < 2; i++) await cached.embed(['roads of Rome'], 'document');
  expect(cache.entries.size).toBe(0);
  expect(embedRequests(fake)).toHaveLength(2);
});

test('a value that is not a vector is replaced', async () => {
  const { fake, cached, cache } = await open();
  const right = await cached.embed(['roads'], 'query');
  for (const length of [0, 4, 4 * embeddingDimension - 1, 4 * embeddingDimension + 4]) {
    for (const key of cache.entries.keys()) cache.entries.set(key, new Uint8Array(length));
    expect(await cached.embed(['roads'], 'query')).toEqual(right);
  }
  expect(embedRequests(fake)).toHaveLength(5);
  expect(await cached.embed(['roads'], 'query')).toEqual(right);
  expect(embedRequests(fake)).toHaveLength(5);
});

test('vectors of a model that was pulled again are not used: each version has its own entries', async () => {
  const { fake, cached, time } = await open();
  const before = await cached.embed(['roads'], 'query');
  fake.install({ ...fakeNomic, digest: fakeNomic.digest.replace(/^./, 'f') });
  await time.advance(ollamaLimits.modelIdMaxAgeMs);
  const after = await cached.embed(['roads'], 'query');
  expect(after.modelId).not.toBe(before.modelId);
  expect(after.vectors).not.toEqual(before.vectors);
  expect(await cached.embed(['roads'], 'query')).toEqual(after);
  expect(embedRequests(fake)).toHaveLength(2);
});

test('a cached query has its vector while the server is unavailable', async () => {
  const { fake, cached } = await open();
  const before = await cached.embed(['roads'], 'query');
  await fake.close();
  expect(await cached.embed(['roads'], 'query')).toEqual(before);
  await expect(cached.embed(['rivers'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
});
