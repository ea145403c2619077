import { createHash } from 'node:crypto';
import { embedderContract } from '@portico/contracts';
import type { EmbeddingPurpose } from '@portico/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLexicalEmbedder } from './lexical-embedder.ts';

describe('the contract of an embedder', () => {
  for (const [sentence, check] of Object.entries(embedderContract)) {
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

const documents = {
  weather: 'Open Weather\nForecasts of temperature, rain, snow and wind for any city, for the next ten days.',
  payments: 'Cardinal Payments\nCharge credit cards, refund customers and pay out to bank accounts.',
  calendar: 'Calendar API\nCreate events, invite guests and find out who is free or busy.',
  translation: 'Lingua\nTranslates text between a hundred languages, and detects the language of a text.',
  geocoding: 'GeoCoder\nConverts street addresses to coordinates, and coordinates to street addresses.',
};

const nearest = async (query: string): Promise<string | undefined> => {
  const vector = await embedOne(query, 'query');
  const scores = await Promise.all(
    Object.entries(documents).map(async ([name, text]) => ({ name, score: cosine(vector, await embedOne(text)) })),
  );
  return scores.sort((x, y) => y.score - x.score)[0]?.name;
};

test.each([
  ['will it rain in the city', 'weather'],
  ['refunding a credit card', 'payments'],
  ['translations of texts', 'translation'],
  ['geocoder', 'geocoding'],
  ['GEO CODER', 'geocoding'],
])('%j finds %s', async (query, name) => {
  expect(await nearest(query)).toBe(name);
});

test.each([
  ['calender evnts', 'calendar'],
  ['tempratures forcast', 'weather'],
  ['custommer payemnts', 'payments'],
  ['langauge transaltion', 'translation'],
  ['adresses cordinates', 'geocoding'],
])('the misspelt %j finds %s', async (query, name) => {
  expect(await nearest(query)).toBe(name);
});

test('words in the name of a document weigh more than those in its description', async () => {
  const query = await embedOne('invoices', 'query');
  const description = 'Sends reminders by mail and keeps a list of those who answered them.';
  const named = await embedOne(`Invoices\nReminders. ${description}`);
  const described = await embedOne(`Reminders\nInvoices. ${description}`);
  expect(cosine(query, named)).toBeGreaterThan(cosine(query, described));
});

test('the markup of a description changes nothing', async () => {
  const plain = await embedOne('Shop\nSell shoes and read the guide of sizes');
  const marked = await embedOne(
    'Shop\n<p>Sell <b class="red">shoes</b></p> and read [the guide](https://x.test/y) of sizes',
  );
  expect(marked).toEqual(plain);
});

test('case, width and diacritics change nothing', async () => {
  expect(await embedOne('CAFÉ MENU', 'query')).toEqual(await embedOne('ｃａｆｅ menu', 'query'));
});

test('texts without any word still differ from one another', async () => {
  const { vectors } = await embedder.embed(['🙂', '🚀', '...', '天気', ' '], 'query');
  expect(new Set(vectors.map(String)).size).toBe(5);
  expect(await embedOne('🙂\n🚀')).not.toEqual(await embedOne('🚀\n🙂'));
});

test('a query of one character of a script without spaces has a direction, and pairs find their document', async () => {
  const query = await embedOne('天気', 'query');
  const weather = await embedOne('天気予報\n日本の天気です');
  const other = await embedOne('翻訳\n文章を翻訳します');
  expect(cosine(query, weather)).toBeGreaterThan(cosine(query, other) + 0.2);
});

test('any text of 1 to 10,201 characters has a vector of length 1', async () => {
  const sizes = [1, 2, 200, 2000, 10_201];
  for (const size of sizes) {
    for (const unit of ['a', ' ', '日本', '🙂', '<', 'Word ', '\n', '\ud800', 'aB1_']) {
      const vector = await embedOne(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), async (name, description) => {
      for (const purpose of ['document', 'query'] as const) {
        const vector = await embedOne(`${name}\n${description}`, purpose);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }
    }),
  );
});

/** Stored vectors were made under the model's name: a change to the vectors requires a new name. */
test('the model of this name makes exactly these vectors', async () => {
  expect(await embedder.modelId()).toBe('portico-lexical-1');
  const digest = createHash('sha256');
  for (const purpose of ['document', 'query'] as const) {
    const { modelId, vectors } = await embedder.embed(
      [...Object.values(documents), 'getUserById2 Ünïcode 天気 🙂', ''],
      purpose,
    );
    expect(modelId).toBe('portico-lexical-1');
    for (const vector of vectors) {
      digest.update(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    }
  }
  expect(digest.digest('hex')).toBe('08cdceb61399569fb6a5662eff9049d049a2989b7ee8b53eacba30832f5be20e');
});
