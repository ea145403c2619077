import type { Correction, Spelling } from './spelling.ts';
import type { WordTable } from './word-table.ts';

/** A known word that a written one stands for, and how surely, 0 to 1. */
export interface Meaning {
  readonly index: number;
  readonly factor: number;
}

const compoundLengthMin = 7;
const compoundPartMin = 3;
const compoundFactor = 0.8;
const correctedFactor = 0.7;

/** Endings of inflected forms, and what the base form has in their place. */
const inflections: readonly (readonly [ending: string, base: string])[] = [
  ['ies', 'y'],
  ['es', ''],
  ['s', ''],
  ['ied', 'y'],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
];

/**
 * Returns the known words that a word stands for: itself, else its base form, else the two words that it is made of or
 * the nearest by spelling, whichever is likelier, else none.
 */
export const createMeanings =
  (table: WordTable, spelling: Spelling) =>
  (word: string): readonly Meaning[] => {
    const known = table.find(word);
    if (known >= 0) return [{ index: known, factor: 1 }];
    if (!/^[a-z0-9]+$/.test(word)) return [];
    const base = baseOf(table, word);
    if (base >= 0) return [{ index: base, factor: 1 }];
    const [parts, correction] = [compoundOf(table, word), spelling.nearest(word)];
    const isMistake = correction !== null && (parts.length === 0 || isLikelier(table, correction, parts));
    if (isMistake) return [{ index: correction.index, factor: correctedFactor }];
    return parts.map((index) => ({ index, factor: compoundFactor }));
  };

/** Whether a word is one mistake away from a known one that is no rarer than the rarer of the parts it also consists of. */
const isLikelier = (table: WordTable, { index, mistakes }: Correction, parts: readonly number[]): boolean =>
  mistakes === 1 && table.rarity(index) <= Math.max(...parts.map((part) => table.rarity(part)));

const baseOf = (table: WordTable, word: string): number => {
  for (const [ending, base] of inflections) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    const stem = word.slice(0, -ending.length);
    const index = table.find(stem + base);
    if (index >= 0) return index;
    const isDoubled = stem.at(-1) === stem.at(-2) && base === '';
    const single = isDoubled ? table.find(stem.slice(0, -1)) : -1;
    if (single >= 0) return single;
  }
  return -1;
};

/** The split into two words that are common together; none if there is none. */
const compoundOf = (table: WordTable, word: string): readonly number[] => {
  let [best, least]: [readonly number[], number] = [[], Infinity];
  for (let at = compoundPartMin; word.length >= compoundLengthMin && at <= word.length - compoundPartMin; at += 1) {
    const parts = [table.find(word.slice(0, at)), table.find(word.slice(at))];
    if (parts.some((index) => index < 0)) continue;
    const cost = parts.reduce((sum, index) => sum + table.rarity(index), 0);
    if (cost < least) [best, least] = [parts, cost];
  }
  return best;
};
