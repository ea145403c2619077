import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { createMeaningLookup } from './meanings.ts';
import { createSpellingCorrector } from './spelling-corrector.ts';

const words = [
  ...['city', 'box', 'invoice', 'stop', 'bake', 'send', 'carry', 'small', 'business', 'weather', 'map', 'maps'],
  ...['generation', 'ration'],
  { word: 'gen', rarity: 200 },
  { word: 'stobke', rarity: 10 },
  { word: 'ab', rarity: 1 },
  { word: 'sma', rarity: 250 },
  { word: 'llbusiness', rarity: 250 },
];

const meaningsOf = async (word: string): Promise<readonly (readonly [string, number])[]> => {
  const table = await smallTable(words);
  const meanings = createMeaningLookup(table, await createSpellingCorrector(table, async () => undefined));
  return meanings(word).map(({ index, factor }) => [table.wordAt(index), factor]);
};

test.each([
  ['maps', 'maps'],
  ['cities', 'city'],
  ['boxes', 'box'],
  ['invoices', 'invoice'],
  ['carried', 'carry'],
  ['sending', 'send'],
  ['baking', 'bake'],
  ['baked', 'bake'],
  ['stopped', 'stop'],
  ['stopping', 'stop'],
])('%s means %s', async (word, base) => {
  expect(await meaningsOf(word)).toEqual([[base, 1]]);
});

test('a compound means its two parts, split where the parts are most common', async () => {
  expect(await meaningsOf('smallbusiness')).toEqual([
    ['small', 0.8],
    ['business', 0.8],
  ]);
  expect(await meaningsOf('mapsmap')).toHaveLength(2);
  expect(await meaningsOf('mapmap')).toEqual([]);
});

test('a word that is one mistake from a known one is not split into rarer parts', async () => {
  expect(await meaningsOf('stopmaps')).toHaveLength(2);
  expect(await meaningsOf('genration')).toEqual([['generation', 0.7]]);
  // This word differs from a known one by two mistakes.
  expect(await meaningsOf('stopbake')).toEqual([
    ['stop', 0.8],
    ['bake', 0.8],
  ]);
});

test('a compound has no part of only two letters', async () => {
  expect(await meaningsOf('abinvoice')).toEqual([['invoice', 0.7]]);
});

test('a misspelled word means the nearest known one, with less confidence', async () => {
  expect(await meaningsOf('wether')).toEqual([['weather', 0.7]]);
});

test.each(['zzzzzz', '天気', 'погода', '', '8d1f'])('%j has no meaning', async (word) => {
  expect(await meaningsOf(word)).toEqual([]);
});
