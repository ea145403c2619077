import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { createMeanings } from './meanings.ts';
import { createSpelling } from './spelling.ts';

const words = [
  ...['city', 'box', 'invoice', 'stop', 'bake', 'send', 'carry', 'small', 'business', 'weather', 'map', 'maps'],
  ...['generation', 'ration'],
  { word: 'gen', rarity: 200 },
  { word: 'stobke', rarity: 10 },
  { word: 'ab', rarity: 1 },
  { word: 'sma', rarity: 250 },
  { word: 'llbusiness', rarity: 250 },
];

const meant = async (word: string): Promise<readonly (readonly [string, number])[]> => {
  const table = await smallTable(words);
  const meanings = createMeanings(table, await createSpelling(table, async () => undefined));
  return meanings(word).map(({ index, factor }) => [table.word(index), factor]);
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
  expect(await meant(word)).toEqual([[base, 1]]);
});

test('a compound means its two parts, split where they are most common', async () => {
  expect(await meant('smallbusiness')).toEqual([
    ['small', 0.8],
    ['business', 0.8],
  ]);
  expect(await meant('mapsmap')).toHaveLength(2);
  expect(await meant('mapmap')).toEqual([]);
});

test('a word that is one mistake from a known one is no compound of rarer parts', async () => {
  expect(await meant('stopmaps')).toHaveLength(2);
  expect(await meant('genration')).toEqual([['generation', 0.7]]);
  // Two mistakes from a common word.
  expect(await meant('stopbake')).toEqual([
    ['stop', 0.8],
    ['bake', 0.8],
  ]);
});

test('a part of two letters makes no compound', async () => {
  expect(await meant('abinvoice')).toEqual([['invoice', 0.7]]);
});

test('a misspelt word means the nearest known one, less surely', async () => {
  expect(await meant('wether')).toEqual([['weather', 0.7]]);
});

test.each(['zzzzzz', '天気', 'погода', '', '8d1f'])('%j means nothing', async (word) => {
  expect(await meant(word)).toEqual([]);
});
