import assert from 'node:assert/strict';
import type { Embedder } from '@portico/domain';
import type { Contract } from './contract.ts';

/** Texts of APIs that can be distinguished by their words. */
export const describedApis = {
  weather: 'Open Weather\nForecasts of temperature, rain, snow and wind for any city, for the next ten days.',
  payments: 'Cardinal Payments\nCharge credit cards, refund customers and pay out to bank accounts.',
  calendar: 'Calendar API\nCreate events, invite guests and find out who is free or busy.',
  translation: 'Lingua\nTranslates text between a hundred languages, and detects the language of a text.',
  geocoding: 'GeoCoder\nConverts street addresses to coordinates, and coordinates to street addresses.',
} as const;

export type DescribedApi = keyof typeof describedApis;

/** Returns the API whose text has the vector nearest to the query's vector. */
export const findNearestApi = async (embedder: Embedder, query: string): Promise<DescribedApi> => {
  const names = Object.keys(describedApis) as DescribedApi[];
  const { vectors } = await embedder.embed(Object.values(describedApis), 'document');
  const [queryVector] = (await embedder.embed([query], 'query')).vectors;
  const scores = new Map(names.map((name, i) => [name, computeCosine(queryVector, vectors[i])]));
  return names.reduce((best, name) => ((scores.get(name) ?? 0) > (scores.get(best) ?? 0) ? name : best));
};

const computeCosine = (x: Float32Array | undefined, y: Float32Array | undefined): number => {
  assert.ok(x && y);
  return x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
};

const assertFinds =
  (expected: Readonly<Record<string, DescribedApi>>) =>
  async (embedder: Embedder): Promise<void> => {
    for (const [query, name] of Object.entries(expected)) {
      assert.equal(await findNearestApi(embedder, query), name, query);
    }
  };

/** The additional contract of an embedder that reads texts word by word. */
export const wordEmbedderContract = {
  'a query finds the document that contains its words in any form': assertFinds({
    'will it rain in the city': 'weather',
    'refunding a credit card': 'payments',
    'translations of texts': 'translation',
    geocoder: 'geocoding',
    'GEO CODER': 'geocoding',
  }),
  'a misspelled query finds the document that contains its words': assertFinds({
    'calender evnts': 'calendar',
    'tempratures forcast': 'weather',
    'custommer payemnts': 'payments',
    'langauge transaltion': 'translation',
    'adresses cordinates': 'geocoding',
  }),
  'any text of 1 to 10,201 characters gets a unit vector': async (embedder) => {
    for (const size of [1, 2, 200, 2000, 10_201]) {
      for (const unit of ['a', ' ', '日本', '🙂', '<', 'Word ', '\n', '\ud800', 'aB1_', 'https://a.b ']) {
        const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
        const [vector] = (await embedder.embed([text], 'document')).vectors;
        assert.ok(Math.abs(computeCosine(vector, vector) - 1) < 1e-5, `${size} of ${JSON.stringify(unit)}`);
      }
    }
  },
} satisfies Contract<Embedder>;
