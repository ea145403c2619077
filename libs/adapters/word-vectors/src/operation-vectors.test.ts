import { rankingWeights, similarityOf, type HybridVector, type OperationDescription } from '@portico/domain';
import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { createOperationVectors } from './operation-vectors.ts';
import { createSpellingCorrector } from './spelling-corrector.ts';

const table = await smallTable([
  { word: 'rain', vector: [7] },
  { word: 'snow', vector: [6, 3] },
  { word: 'money', vector: [0, 0, 7] },
  { word: 'card', vector: [0, 0, 5, 5] },
  { word: 'the', vector: [0, 0, 0, 0, 1], weight: 0, rarity: 40 },
  { word: 'short', vector: [0, 0, 0, 0, 0, 1], weight: 128 },
]);
const vectors = createOperationVectors(table, await createSpellingCorrector(table, async () => undefined));

const none: OperationDescription = {
  method: 'GET',
  path: '/',
  operationId: null,
  summary: null,
  tags: [],
  deprecated: false,
  excerpt: '',
};
const owner = { name: '', description: '', baseUrl: '/' };
const vectorOf = (operation: Partial<OperationDescription>, of: Partial<typeof owner> = {}): HybridVector =>
  vectors.forOwner({ ...owner, ...of })({ ...none, ...operation });
const question = (text: string): HybridVector => vectors.forQuestion(text);
const similarity = (text: string, operation: Partial<OperationDescription>, of: Partial<typeof owner> = {}): number =>
  similarityOf(vectorOf(operation, of), question(text));
const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
const meaning = (text: string, operation: Partial<OperationDescription>, of: Partial<typeof owner> = {}): number =>
  dot(vectorOf(operation, of).dense, question(text).dense);

test('the meaning of an operation is three quarters its own and one quarter that of its collection', () => {
  expect(meaning('rain', { summary: 'rain' }, { description: 'money' })).toBeCloseTo(0.75 / Math.hypot(0.75, 0.25), 6);
  expect(meaning('rain', { summary: 'rain' })).toBeCloseTo(1, 6);
  expect(meaning('money', {}, { description: 'money' })).toBeCloseTo(1, 6);
});

test('each field counts, and a word in several fields counts once, by the field with the highest weight', () => {
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

test('written words add up to the whole weight if the summary contains all of them', () => {
  const summary =
    similarity('rain or snow', { summary: 'rain or snow' }) - meaning('rain or snow', { summary: 'rain or snow' });
  expect(summary).toBeCloseTo(rankingWeights.words, 6);
  const half = similarity('rain snow', { summary: 'rain' }) - meaning('rain snow', { summary: 'rain' });
  expect(half).toBeCloseTo(rankingWeights.words / 2, 6);
});

test('an inflected and a misspelled word match as written words; an uninformative word does not count', () => {
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

test('a question can name the provider by the address of the collection, and its verb matches the method', () => {
  const of = { baseUrl: 'https://api.acme.example' };
  const withoutProvider = similarity('rain', { summary: 'rain' }, of);
  const withProvider = similarity('Acme: rain', { summary: 'rain' }, of);
  // The name is a word in the question that the operation does not contain.
  expect(withProvider - withoutProvider).toBeCloseTo(rankingWeights.provider - rankingWeights.words / 2, 6);
  const difference =
    similarity('delete rain', { summary: 'rain', method: 'DELETE' }) - similarity('delete rain', { summary: 'rain' });
  expect(difference).toBeCloseTo(rankingWeights.method, 6);
});

test('for any text, indices are distinct and ascending, weights finite and not 0, lengths 1 or 0', () => {
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

test('a question of unknown words has no meaning and is compared by its words only', () => {
  expect(question('zzyzx').dense.every((x) => x === 0)).toBe(true);
  expect(similarity('zzyzx', { summary: 'zzyzx' })).toBeCloseTo(rankingWeights.words, 6);
});
