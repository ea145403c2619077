import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smallTable } from '../test/small-table.ts';
import { computeDamerauDistance } from './damerau-distance.ts';
import { createSpellingCorrector } from './spelling-corrector.ts';

const yieldToEventLoop = async () => undefined;
const knownWords = [
  'rain',
  'train',
  'weather',
  'payment',
  'payments',
  'forecast',
  'calendar',
  'abc',
  'oauth2',
  'message',
];

const correct = async (word: string, words: Parameters<typeof smallTable>[0] = knownWords): Promise<string | null> => {
  const table = await smallTable(words);
  const correction = (await createSpellingCorrector(table, yieldToEventLoop)).findNearest(word);
  return correction && table.wordAt(correction.index);
};

test.each([
  ['one letter too many', 'rrain', 'rain'],
  ['one letter too few', 'wether', 'weather'],
  ['a wrong letter', 'weathor', 'weather'],
  ['two letters swapped', 'wetaher', 'weather'],
  ['two mistakes from seven letters on', 'forcasst', 'forecast'],
  ['the first letter', 'veather', 'weather'],
])('%s: %s is %s', async (_name, word, expected) => {
  expect(await correct(word)).toBe(expected);
});

test.each([
  ['two mistakes in six letters', 'rainxx'],
  ['three mistakes', 'wxyther'],
  // The index contains only forms with one letter removed; a word with two wrong letters shares none of them.
  ['two wrong letters', 'colondar'],
  ['fewer than four letters', 'abd'],
  ['digits', 'oauth3'],
  ['capitals', 'Wether'],
  ['a different script', 'погода'],
  ['nothing', ''],
])('%s: %s is not corrected', async (_name, word) => {
  expect(await correct(word)).toBeNull();
});

test('if two words are equally near, the more common one is chosen, but a shared first letter has more weight', async () => {
  expect(
    await correct('bake', [
      { word: 'bare', rarity: 200 },
      { word: 'bade', rarity: 100 },
    ]),
  ).toBe('bade');
  expect(
    await correct('bake', [
      { word: 'bare', rarity: 130 },
      { word: 'cake', rarity: 100 },
    ]),
  ).toBe('bare');
  expect(
    await correct('bake', [
      { word: 'bare', rarity: 160 },
      { word: 'cake', rarity: 100 },
    ]),
  ).toBe('cake');
});

test('a word with one mistake is always corrected to a known word at a distance of 1', async () => {
  const table = await smallTable(knownWords);
  const corrector = await createSpellingCorrector(table, yieldToEventLoop);
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  const correctable = knownWords.filter((word) => /^[a-z]{4,}$/.test(word));
  fc.assert(
    fc.property(fc.constantFrom(...correctable), fc.nat(), letter, fc.nat(2), (word, seed, otherLetter, kind) => {
      const position = seed % word.length;
      const misspelled =
        word.slice(0, position) + ['', otherLetter, otherLetter + word[position]][kind] + word.slice(position + 1);
      fc.pre(misspelled.length >= 4 && !knownWords.includes(misspelled));
      const correction = corrector.findNearest(misspelled);
      expect(correction?.mistakes).toBe(1);
      expect(computeDamerauDistance(table.wordAt(correction?.index ?? 0), misspelled, 2)).toBe(1);
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
])('%j and %j are %i apart', (a, b, distance) => {
  expect(computeDamerauDistance(a, b, 5)).toBe(distance);
  expect(computeDamerauDistance(b, a, 5)).toBe(distance);
  if (distance > 0) expect(computeDamerauDistance(a, b, distance - 1)).toBe(distance);
});
