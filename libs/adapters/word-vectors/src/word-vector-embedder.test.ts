import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describedApis, embedderContract, findNearestApi, wordEmbedderContract } from '@portico/contracts';
import { isPorticoError } from '@portico/domain';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createWordVectorEmbedder } from './word-vector-embedder.ts';

describe('the contract of an embedder', () => {
  for (const [sentence, check] of Object.entries({ ...embedderContract, ...wordEmbedderContract })) {
    test(sentence, () => check(createWordVectorEmbedder()));
  }
});

const embedder = createWordVectorEmbedder();
const embedOne = async (text: string): Promise<Float32Array> =>
  (await embedder.embed([text], 'document')).vectors[0] ?? new Float32Array(0);
const cosine = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

test.each([
  ['take money from a shopper', 'payments'],
  ['do I need an umbrella', 'weather'],
  ['when can we all meet', 'calendar'],
  ['say it in French', 'translation'],
  ['where on the map is this house', 'geocoding'],
])('%j shares no word with the API that it finds: %s', async (query, name) => {
  expect(await findNearestApi(embedder, query)).toBe(name);
});

test('every text has a unit vector', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), async (name, description) => {
      const vector = await embedOne(`${name}\n${description}`);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }),
  );
});

describe('the model', () => {
  const fileUrl = (name: string) => new URL(`../model/${name}`, import.meta.url);

  test('matches its manifest and is at most 12 MiB', async () => {
    const manifest = JSON.parse(await readFile(fileUrl('manifest.json'), 'utf8')) as { id: string; sha256: string };
    expect(
      createHash('sha256')
        .update(await readFile(fileUrl('words.bin')))
        .digest('hex'),
    ).toBe(manifest.sha256);
    expect(await embedder.getModelId()).toBe(`${manifest.id}-${manifest.sha256.slice(0, 8)}`);
    expect((await stat(fileUrl('words.bin'))).size).toBeLessThanOrEqual(12 * 1024 * 1024);
  });

  /** Vectors are stored with this id, so a change to this package's rules requires a new id. */
  test('with this id creates exactly these vectors', async () => {
    const { modelId, vectors } = await embedder.embed(
      [...Object.values(describedApis), 'getUserById2 Ünïcode 天気 🙂', 'wether smallbusiness zqxjing', '<b>a</b>', ''],
      'query',
    );
    const digest = createHash('sha256');
    for (const { buffer, byteOffset, byteLength } of vectors)
      digest.update(Buffer.from(buffer, byteOffset, byteLength));
    expect([modelId, digest.digest('hex')]).toEqual([
      'portico-words-1-08a1ead2',
      'b27d43eea9f2c6d2759efb4cc7b5cf7171af863344c3fac7807c31db981fac12',
    ]);
  });
});

describe('a table that cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-words-'));
  afterAll(() => rm(folder, { recursive: true }));
  const model = pathToFileURL(`${folder}/`);
  const committedModel = new URL('../model/', import.meta.url);

  test('makes embeddings unavailable until it exists', async () => {
    const brokenEmbedder = createWordVectorEmbedder({ model });
    const isUnavailable = (error: unknown) => isPorticoError(error, 'embedding_unavailable');
    await expect(brokenEmbedder.check()).rejects.toSatisfy(isUnavailable);
    await expect(brokenEmbedder.getModelId()).rejects.toSatisfy(isUnavailable);
    await copyFile(new URL('manifest.json', committedModel), new URL('manifest.json', model));
    await writeFile(new URL('words.bin', model), 'version https://git-lfs.github.com/spec/v1');
    await expect(brokenEmbedder.embed(['x'], 'query')).rejects.toSatisfy(isUnavailable);
    await copyFile(new URL('words.bin', committedModel), new URL('words.bin', model));
    await brokenEmbedder.check();
    expect((await brokenEmbedder.embed(['x'], 'query')).vectors).toHaveLength(1);
  });
});
