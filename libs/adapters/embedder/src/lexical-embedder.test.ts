import { createHash } from 'node:crypto';
import { describedApis, embedderContract, wordEmbedderContract } from '@portico/contracts';
import type { EmbeddingPurpose } from '@portico/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLexicalEmbedder } from './lexical-embedder.ts';

describe('the contract of an embedder', () => {
  for (const [sentence, check] of Object.entries({ ...embedderContract, ...wordEmbedderContract })) {
    test(sentence, () => check(createLexicalEmbedder()));
  }
});

const embedder = createLexicalEmbedder();

const embedOne = async (text: string, purpose: EmbeddingPurpose = 'document'): Promise<Float32Array> => {
  const { vectors } = await embedder.embed([text], purpose);
  const [vector] = vectors;
  return vector ?? new Float32Array(0);
};

const cosine = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

test('words in the name of a document weigh more than those in its description', async () => {
  const query = await embedOne('invoices', 'query');
  const description = 'Sends reminders by mail and keeps a list of those who answered them.';
  const nameMatchVector = await embedOne(`Invoices\nReminders. ${description}`);
  const descriptionMatchVector = await embedOne(`Reminders\nInvoices. ${description}`);
  expect(cosine(query, nameMatchVector)).toBeGreaterThan(cosine(query, descriptionMatchVector));
});

test('the markup of a description does not change the vector', async () => {
  const plainVector = await embedOne('Shop\nSell shoes and read the guide of sizes');
  const markedUpVector = await embedOne(
    'Shop\n<p>Sell <b class="red">shoes</b></p> and read [the guide](https://x.test/y) of sizes',
  );
  expect(markedUpVector).toEqual(plainVector);
});

test('case, width and diacritics do not change the vector', async () => {
  expect(await embedOne('CAFÉ MENU', 'query')).toEqual(await embedOne('ｃａｆｅ menu', 'query'));
});

test('texts without any word still differ from one another', async () => {
  const { vectors } = await embedder.embed(['🙂', '🚀', '...', '天気', ' '], 'query');
  expect(new Set(vectors.map(String)).size).toBe(5);
  expect(await embedOne('🙂\n🚀')).not.toEqual(await embedOne('🚀\n🙂'));
});

test('a query in a script without spaces finds its document by pairs of characters', async () => {
  const query = await embedOne('天気', 'query');
  const weather = await embedOne('天気予報\n日本の天気です');
  const translation = await embedOne('翻訳\n文章を翻訳します');
  expect(cosine(query, weather)).toBeGreaterThan(cosine(query, translation) + 0.2);
});

test('every text has a unit vector', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), async (name, description) => {
      for (const purpose of ['document', 'query'] as const) {
        const vector = await embedOne(`${name}\n${description}`, purpose);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }
    }),
  );
});

/** Vectors are stored with the model's name, so a change to the vectors requires a new name. */
test('the model with this name creates exactly these vectors', async () => {
  expect(await embedder.getModelId()).toBe('portico-lexical-1');
  const digest = createHash('sha256');
  for (const purpose of ['document', 'query'] as const) {
    const { modelId, vectors } = await embedder.embed(
      [...Object.values(describedApis), 'getUserById2 Ünïcode 天気 🙂', ''],
      purpose,
    );
    expect(modelId).toBe('portico-lexical-1');
    for (const vector of vectors) {
      digest.update(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    }
  }
  expect(digest.digest('hex')).toBe('08cdceb61399569fb6a5662eff9049d049a2989b7ee8b53eacba30832f5be20e');
});
