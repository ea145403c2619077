import { expect, test } from 'vitest';
import type { CollectionId } from '../ids.ts';
import { rank } from './search-result.ts';

const id = (text: string) => text as CollectionId;

test('equal scores are ordered by name, then by id', () => {
  const names = new Map([
    [id('1'), 'Beta'],
    [id('2'), 'Alpha'],
    [id('4'), 'Alpha'],
    [id('3'), 'Gamma'],
  ]);
  const matches = ['4', '1', '3', '2'].map((text) => ({ collectionId: id(text), score: text === '3' ? 0.9 : 0.5 }));
  expect(rank(matches, names).map((result) => result.collectionId)).toEqual(['3', '2', '4', '1']);
});

test('scores are clamped to 0 and 1, and rounded to six decimals', () => {
  const scored = (score: number) => rank([{ collectionId: id('1'), score }], new Map([[id('1'), 'A']]))[0]?.score;
  expect([1.0000001, -0.2, 0.12345678].map(scored)).toEqual([1, 0, 0.123457]);
});

test('a match whose collection no longer exists is omitted', () => {
  expect(rank([{ collectionId: id('1'), score: 1 }], new Map())).toEqual([]);
});
