import { rankingWeights, similarityOf, type HybridVector, type OperationTexts } from '@portico/domain';
import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { createOperationVectors } from './operation-vectors.ts';
import { createSpelling } from './spelling.ts';

const table = await smallTable([
  { word: 'rain', vector: [7] },
  { word: 'snow', vector: [6, 3] },
  { word: 'money', vector: [0, 0, 7] },
  { word: 'card', vector: [0, 0, 5, 5] },
  { word: 'the', vector: [0, 0, 0, 0, 1], weight: 0, rarity: 40 },
  { word: 'short', vector: [0, 0, 0, 0, 0, 1], weight: 128 },
]);
const vectors = createOperationVectors(table, await createSpelling(table, async () => undefined));

const none: OperationTexts = {
  method: 'GET',
  path: '/',
  operationId: null,
  summary: null,
  tags: [],
  deprecated: false,
  excerpt: '',
};
const owner = { name: '', description: '', baseUrl: '/' };
const vectorOf = (operation: Partial<OperationTexts>, of: Partial<typeof owner> = {}): HybridVector =>
  vectors.ofOwner({ ...owner, ...of })({ ...none, ...operation });
const question = (text: string): HybridVector => vectors.ofQuestion(text);
const similarity = (text: string, operation: Partial<OperationTexts>, of: Partial<typeof owner> = {}): number =>
  similarityOf(vectorOf(operation, of), question(text));
const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
const meaning = (text: string, operation: Partial<OperationTexts>, of: Partial<typeof owner> = {}): number =>
  dot(vectorOf(operation, of).dense, question(text).dense);

test('the meaning of an operation is three quarters its own, a quarter its collection’s', () => {
  expect(meaning('rain', { summary: 'rain' }, { description: 'money' })).toBeCloseTo(0.75 / Math.hypot(0.75, 0.25), 6);
  expect(meaning('rain', { summary: 'rain' })).toBeCloseTo(1, 6);
  expect(meaning('money', {}, { description: 'money' })).toBeCloseTo(1, 6);
});

test('each field counts, a word of several only once, by the one that counts most', () => {
  for (const field of [
    { summary: 'rain' },
    { operationId: 'rain' },
    { tags: ['rain'] },
    { path: '/rain' },
    { excerpt: 'rain' },
  ]) {
    expect(meaning('rain', field)).toBeCloseTo(1, 6);
  }
  const everywhere = { summary: 'rain', operationId: 'rain', tags: ['rain'], path: '/rain', excerpt: 'rain rain' };
  expect(vectorOf({ ...everywhere, tags: ['rain', 'money'] }).dense).toEqual(
    vectorOf({ summary: 'rain', tags: ['money'] }).dense,
  );
});

test('words as they are written add up to the whole weight if all of them stand in the summary', () => {
  const summary =
    similarity('rain or snow', { summary: 'rain or snow' }) - meaning('rain or snow', { summary: 'rain or snow' });
  expect(summary).toBeCloseTo(rankingWeights.words, 6);
  const half = similarity('rain snow', { summary: 'rain' }) - meaning('rain snow', { summary: 'rain' });
  expect(half).toBeCloseTo(rankingWeights.words / 2, 6);
});

test('a form of a word, and a misspelt one, match as written; a word that tells nothing does not count', () => {
  const written = (text: string) => similarity(text, { summary: 'rain' }) - meaning(text, { summary: 'rain' });
  expect(written('raining')).toBeCloseTo(rankingWeights.words, 6);
  expect(written('raain')).toBeCloseTo(rankingWeights.words, 6);
  expect(written('the rain')).toBeCloseTo(rankingWeights.words, 6);
});

test('a longer word counts less in a question than in an operation', () => {
  const { dense } = question('rain short');
  const [long = 0, short = 0] = [dense[0], dense[5]];
  expect(long / short).toBeCloseTo(Math.sqrt(7), 5);
  const inOperation = vectorOf({ summary: 'rain short' }).dense;
  expect((inOperation[0] ?? 0) / (inOperation[5] ?? 1)).toBeCloseTo(7, 5);
});

test('the address of the collection lets the provider be named, and the method suits the verb', () => {
  const of = { baseUrl: 'https://api.acme.example' };
  const before = similarity('rain', { summary: 'rain' }, of);
  const named = similarity('Acme: rain', { summary: 'rain' }, of);
  // The name is a word of the question that the operation does not have.
  expect(named - before).toBeCloseTo(rankingWeights.provider - rankingWeights.words / 2, 6);
  const difference =
    similarity('delete rain', { summary: 'rain', method: 'DELETE' }) - similarity('delete rain', { summary: 'rain' });
  expect(difference).toBeCloseTo(rankingWeights.method, 6);
});

test('indices are distinct and ascending, weights finite and not 0, lengths 1 or 0, whatever the texts', () => {
  const texts = [
    '',
    ' ',
    '<p></p>',
    'rain rains raining',
    '雨が降る',
    'x'.repeat(2_000),
    '\u{1F600}',
    'constructor __proto__',
  ];
  for (const text of texts) {
    for (const { dense, sparse } of [
      question(text),
      vectorOf({ summary: text, path: text, tags: [text] }, { name: text }),
    ]) {
      expect([...sparse.indices]).toEqual([...new Set(sparse.indices)].sort((x, y) => x - y));
      expect(sparse.weights).toHaveLength(sparse.indices.length);
      expect(sparse.weights.every((weight) => Number.isFinite(weight) && weight !== 0)).toBe(true);
      const length = Math.hypot(...dense);
      expect(length === 0 || Math.abs(length - 1) < 1e-6).toBe(true);
    }
  }
});

test('a question of unknown words has no meaning, and is compared by its words alone', () => {
  expect(question('zzyzx').dense.every((x) => x === 0)).toBe(true);
  expect(similarity('zzyzx', { summary: 'zzyzx' })).toBeCloseTo(rankingWeights.words, 6);
});
