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

const emptyOperation: OperationDescription = {
  method: 'GET',
  path: '/',
  operationId: null,
  summary: null,
  tags: [],
  deprecated: false,
  excerpt: '',
};
const owner = { name: '', description: '', baseUrl: '/' };
const vectorOf = (operation: Partial<OperationDescription>, ownerOverrides: Partial<typeof owner> = {}): HybridVector =>
  vectors.createVectorizer({ ...owner, ...ownerOverrides })({ ...emptyOperation, ...operation });
const questionVectorOf = (text: string): HybridVector => vectors.createQuestionVector(text);
const computeSimilarity = (
  text: string,
  operation: Partial<OperationDescription>,
  ownerOverrides: Partial<typeof owner> = {},
): number => similarityOf(vectorOf(operation, ownerOverrides), questionVectorOf(text));
const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
const computeMeaningSimilarity = (
  text: string,
  operation: Partial<OperationDescription>,
  ownerOverrides: Partial<typeof owner> = {},
): number => dot(vectorOf(operation, ownerOverrides).dense, questionVectorOf(text).dense);

test('the meaning of an operation is three quarters its own and one quarter that of its collection', () => {
  expect(computeMeaningSimilarity('rain', { summary: 'rain' }, { description: 'money' })).toBeCloseTo(
    0.75 / Math.hypot(0.75, 0.25),
    6,
  );
  expect(computeMeaningSimilarity('rain', { summary: 'rain' })).toBeCloseTo(1, 6);
  expect(computeMeaningSimilarity('money', {}, { description: 'money' })).toBeCloseTo(1, 6);
});

test('each field counts, and a word in several fields counts once, by the field with the highest weight', () => {
  for (const field of [
    { summary: 'rain' },
    { operationId: 'rain' },
    { tags: ['rain'] },
    { path: '/rain' },
    { excerpt: 'rain' },
  ]) {
    expect(computeMeaningSimilarity('rain', field)).toBeCloseTo(1, 6);
  }
  const operation = { summary: 'rain', operationId: 'rain', tags: ['rain'], path: '/rain', excerpt: 'rain rain' };
  expect(vectorOf({ ...operation, tags: ['rain', 'money'] }).dense).toEqual(
    vectorOf({ summary: 'rain', tags: ['money'] }).dense,
  );
});

test('written words add up to the whole weight if the summary contains all of them', () => {
  const wordSimilarity =
    computeSimilarity('rain or snow', { summary: 'rain or snow' }) -
    computeMeaningSimilarity('rain or snow', { summary: 'rain or snow' });
  expect(wordSimilarity).toBeCloseTo(rankingWeights.words, 6);
  const halfSimilarity =
    computeSimilarity('rain snow', { summary: 'rain' }) - computeMeaningSimilarity('rain snow', { summary: 'rain' });
  expect(halfSimilarity).toBeCloseTo(rankingWeights.words / 2, 6);
});

test('an inflected and a misspelled word match as written words; an uninformative word does not count', () => {
  const computeWordSimilarity = (text: string) =>
    computeSimilarity(text, { summary: 'rain' }) - computeMeaningSimilarity(text, { summary: 'rain' });
  expect(computeWordSimilarity('raining')).toBeCloseTo(rankingWeights.words, 6);
  expect(computeWordSimilarity('raain')).toBeCloseTo(rankingWeights.words, 6);
  expect(computeWordSimilarity('the rain')).toBeCloseTo(rankingWeights.words, 6);
});

test('a word with a long vector counts less in a question than in an operation', () => {
  const { dense } = questionVectorOf('rain short');
  const [longWordValue = 0, shortWordValue = 0] = [dense[0], dense[5]];
  expect(longWordValue / shortWordValue).toBeCloseTo(Math.sqrt(7), 5);
  const operationVector = vectorOf({ summary: 'rain short' }).dense;
  expect((operationVector[0] ?? 0) / (operationVector[5] ?? 1)).toBeCloseTo(7, 5);
});

test('a question can name the provider by the URL of the collection, and its verb matches the method', () => {
  const ownerOverrides = { baseUrl: 'https://api.acme.example' };
  const withoutProvider = computeSimilarity('rain', { summary: 'rain' }, ownerOverrides);
  const withProvider = computeSimilarity('Acme: rain', { summary: 'rain' }, ownerOverrides);
  // The name is a word in the question that the operation does not contain.
  expect(withProvider - withoutProvider).toBeCloseTo(rankingWeights.provider - rankingWeights.words / 2, 6);
  const difference =
    computeSimilarity('delete rain', { summary: 'rain', method: 'DELETE' }) -
    computeSimilarity('delete rain', { summary: 'rain' });
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
      questionVectorOf(text),
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

test('a question of unknown words has no meaning and is compared only by its words', () => {
  expect(questionVectorOf('zzyzx').dense.every((x) => x === 0)).toBe(true);
  expect(computeSimilarity('zzyzx', { summary: 'zzyzx' })).toBeCloseTo(rankingWeights.words, 6);
});
