import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { createSpellingCorrector } from './spelling-corrector.ts';
import { createTextVectors } from './text-vectors.ts';

const words = [
  { word: 'rain', vector: [7] },
  { word: 'snow', vector: [6, 3] },
  { word: 'money', vector: [0, 0, 7] },
  { word: 'the', vector: [0, 0, 0, 1], weight: 10, rarity: 40 },
  { word: 'weather', vector: [7, 2] },
];
const table = await smallTable(words);
const toVector = createTextVectors(table, await createSpellingCorrector(table, async () => undefined));

const vectorOf = (text: string, purpose: 'query' | 'document' = 'query') => toVector(text, purpose);

const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
const computeSimilarity = (a: string, b: string): number => dot(vectorOf(a), vectorOf(b));

test('the similarity is 0.8 times that of the meanings plus 0.2 times that of the written words', () => {
  expect(computeSimilarity('rain', 'rain')).toBeCloseTo(1, 6);
  expect(computeSimilarity('rain', 'money')).toBeCloseTo(0, 1);
  const meaning = 6 / Math.hypot(6, 3);
  expect(computeSimilarity('rain', 'snow')).toBeCloseTo(0.8 * meaning, 1);
});

test('the first components are the meaning, and the others are the written words', () => {
  const vector = vectorOf('rain');
  expect(vector).toHaveLength(768);
  expect(dot(vector.subarray(0, 32), vector.subarray(0, 32))).toBeCloseTo(0.8, 6);
  expect(vector[0]).toBeCloseTo(Math.sqrt(0.8), 6);
});

test('a misspelled word counts as the intended one, in both parts', () => {
  expect(computeSimilarity('wether', 'weather')).toBeCloseTo(1, 6);
});

test('a text of unknown words is compared only by those words, in any script', () => {
  for (const [text, otherText] of [
    ['zqxj', 'vwqz'],
    ['погода', 'деньги'],
    ['天気', '翻訳'],
  ] as const) {
    const vector = vectorOf(text);
    expect(dot(vector.subarray(0, 32), vector.subarray(0, 32))).toBe(0);
    expect(computeSimilarity(text, text)).toBeCloseTo(1, 6);
    expect(computeSimilarity(text, `${text} ${text}`)).toBeGreaterThan(0.9);
    expect(computeSimilarity(text, otherText)).toBeLessThan(0.3);
  }
  expect(computeSimilarity('погода', 'погода rain')).toBeGreaterThan(0.1);
});

test('forms of an unknown word are similar by their stem and its trigrams', () => {
  expect(computeSimilarity('blorping', 'blorps')).toBeGreaterThan(0.9);
  expect(computeSimilarity('zqxjvar', 'zqxjvarmon')).toBeGreaterThan(0.04);
});

test('the more unknown words a text has, the less its meaning counts', () => {
  const meaningShareOf = (text: string) => {
    const meaning = vectorOf(text).subarray(0, 32);
    return dot(meaning, meaning);
  };
  expect(meaningShareOf('rain rain')).toBeCloseTo(0.8, 6);
  expect(meaningShareOf('rain zqxj')).toBeCloseTo(0.4 / 0.6, 6);
  expect(meaningShareOf('rain zqxj vwqz kjhg')).toBeCloseTo(0.2 / 0.4, 6);
  expect(meaningShareOf('the zqxj')).toBeLessThan(0.01);
});

test('a text without any word is similar to itself and to no text with words', () => {
  for (const text of ['🙂', '...', '', '!']) {
    expect(
      ['rain', 'zqxj vwqz', '天気', 'the money of the weather'].map((otherText) => computeSimilarity(text, otherText)),
    ).toEqual([0, 0, 0, 0]);
    expect(computeSimilarity(text, ` ${text}\n`)).toBeCloseTo(1, 6);
  }
  expect(new Set(['🙂', '🚀', '...', '', '!'].map((text) => vectorOf(text).toString())).size).toBeGreaterThan(2);
});

test('a common word changes the direction of a text less than a rare one', () => {
  expect(computeSimilarity('rain', 'the rain')).toBeGreaterThan(computeSimilarity('rain', 'money rain'));
});

test('a repeated word counts more, but less with each repetition', () => {
  const relativeWeightIn = (text: string) => computeSimilarity('zqxj', text) / computeSimilarity('vwqz', text);
  expect(relativeWeightIn('zqxj vwqz')).toBeCloseTo(1, 1);
  expect(relativeWeightIn('zqxj zqxj vwqz')).toBeCloseTo(1 + 1 / 2, 1);
  expect(relativeWeightIn('zqxj zqxj zqxj vwqz')).toBeCloseTo(1 + 1 / 2 + 1 / 3, 1);
});

test('the written words of a name, the first line of a document, have three times the weight', () => {
  const nameSimilarity = dot(vectorOf('zqxj'), vectorOf('zqxj\nvwqz kjhg', 'document'));
  const descriptionSimilarity = dot(vectorOf('zqxj'), vectorOf('vwqz\nzqxj kjhg', 'document'));
  expect(nameSimilarity / descriptionSimilarity).toBeCloseTo(3, 1);
  expect(dot(vectorOf('zqxj'), vectorOf('zqxj\nvwqz kjhg'))).toBeLessThan(nameSimilarity);
  expect(vectorOf('zqxj', 'document')).toEqual(vectorOf('zqxj'));
});

test('a text that consists only of markup and addresses is embedded by the words in them, unless it has a name', () => {
  expect(vectorOf('https://rain.example/')).toEqual(vectorOf('https rain example'));
  expect(vectorOf('<br/>', 'document')).toEqual(vectorOf('br'));
  expect(vectorOf('money\nhttps://rain.example/', 'document')).toEqual(vectorOf('money'));
});

test('words have the same vector after they were evicted from the cache', () => {
  const before = vectorOf('wether rain zqxj');
  for (let i = 0; i < 5_000; i += 1) vectorOf(`w${i}`);
  expect(vectorOf('wether rain zqxj')).toEqual(before);
});
