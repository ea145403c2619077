import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { damerau } from './damerau.ts';
import { createSpelling } from './spelling.ts';

const yieldToEventLoop = async () => undefined;
const known = ['rain', 'train', 'weather', 'payment', 'payments', 'forecast', 'calendar', 'abc', 'oauth2', 'message'];

const corrected = async (word: string, words: Parameters<typeof smallTable>[0] = known): Promise<string | null> => {
  const table = await smallTable(words);
  const correction = (await createSpelling(table, yieldToEventLoop)).nearest(word);
  return correction && table.word(correction.index);
};

test.each([
  ['a letter too many', 'rrain', 'rain'],
  ['a letter too few', 'wether', 'weather'],
  ['a wrong letter', 'weathor', 'weather'],
  ['two letters swapped', 'wetaher', 'weather'],
  ['two mistakes from seven letters on', 'forcasst', 'forecast'],
  ['the first letter', 'veather', 'weather'],
])('%s: %s is %s', async (_what, word, meant) => {
  expect(await corrected(word)).toBe(meant);
});

test.each([
  ['two mistakes in six letters', 'rainxx'],
  ['three mistakes', 'wxyther'],
  // Only one letter less is indexed, which two wrong ones do not share.
  ['two wrong letters', 'colondar'],
  ['fewer than four letters', 'abd'],
  ['digits', 'oauth3'],
  ['capitals', 'Wether'],
  ['another script', 'погода'],
  ['nothing', ''],
])('%s: %s is left alone', async (_what, word) => {
  expect(await corrected(word)).toBeNull();
});

test('of two words as near, the more common one is meant, but the first letter counts for more', async () => {
  expect(
    await corrected('bake', [
      { word: 'bare', rarity: 200 },
      { word: 'bade', rarity: 100 },
    ]),
  ).toBe('bade');
  expect(
    await corrected('bake', [
      { word: 'bare', rarity: 130 },
      { word: 'cake', rarity: 100 },
    ]),
  ).toBe('bare');
  expect(
    await corrected('bake', [
      { word: 'bare', rarity: 160 },
      { word: 'cake', rarity: 100 },
    ]),
  ).toBe('cake');
});

test('a word with one mistake is always corrected to a word one mistake away', async () => {
  const table = await smallTable(known);
  const spelling = await createSpelling(table, yieldToEventLoop);
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  const spelt = known.filter((word) => /^[a-z]{4,}$/.test(word));
  fc.assert(
    fc.property(fc.constantFrom(...spelt), fc.nat(), letter, fc.nat(2), (word, where, other, kind) => {
      const at = where % word.length;
      const mistaken = word.slice(0, at) + ['', other, other + word[at]][kind] + word.slice(at + 1);
      fc.pre(mistaken.length >= 4 && !known.includes(mistaken));
      const correction = spelling.nearest(mistaken);
      expect(correction?.mistakes).toBe(1);
      expect(damerau(table.word(correction?.index ?? 0), mistaken, 2)).toBe(1);
    }),
  );
});

test.each([
  ['', '', 0],
  ['a', '', 1],
  ['ab', 'ba', 1],
  ['abc', 'acb', 1],
  ['ca', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['flaw', 'lawn', 2],
])('%j and %j are %i apart', (one, other, distance) => {
  expect(damerau(one, other, 5)).toBe(distance);
  expect(damerau(other, one, 5)).toBe(distance);
  if (distance > 0) expect(damerau(one, other, distance - 1)).toBe(distance);
});
