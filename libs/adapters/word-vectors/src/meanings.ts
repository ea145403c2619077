import type { Correction, SpellingCorrector } from './spelling-corrector.ts';
import type { WordTable } from './word-table.ts';

/** A known word that a written word represents, and the confidence, from 0 to 1. */
export interface Meaning {
  readonly index: number;
  readonly factor: number;
}

const compoundLengthMin = 7;
const compoundPartMin = 3;
const compoundFactor = 0.8;
const correctedFactor = 0.7;

/** Endings of inflected forms, and the endings that replace them in the base form. */
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
 * Creates a function that returns the known words that a word represents: the word itself; otherwise, its base form;
 * otherwise, the two words that it is composed of or the nearest word by spelling, depending on which is more likely;
 * otherwise, none.
 */
export const createMeanings =
  (table: WordTable, corrector: SpellingCorrector) =>
  (word: string): readonly Meaning[] => {
    const known = table.find(word);
    if (known >= 0) return [{ index: known, factor: 1 }];
    if (!/^[a-z0-9]+$/.test(word)) return [];
    const base = baseOf(table, word);
    if (base >= 0) return [{ index: base, factor: 1 }];
    const [parts, correction] = [compoundOf(table, word), corrector.nearest(word)];
    const isMistake = correction !== null && (parts.length === 0 || isLikelier(table, correction, parts));
    if (isMistake) return [{ index: correction.index, factor: correctedFactor }];
    return parts.map((index) => ({ index, factor: compoundFactor }));
  };

/** Returns whether the correction is one mistake from the word, and at most as rare as the rarer of the two parts. */
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

/**
 * Splits the word into the two known words that have the lowest total rarity. Returns an empty list if it cannot be
 * split.
 */
const compoundOf = (table: WordTable, word: string): readonly number[] => {
  let [best, lowestCost]: [readonly number[], number] = [[], Infinity];
  for (let at = compoundPartMin; word.length >= compoundLengthMin && at <= word.length - compoundPartMin; at += 1) {
    const parts = [table.find(word.slice(0, at)), table.find(word.slice(at))];
    if (parts.some((index) => index < 0)) continue;
    const cost = parts.reduce((sum, index) => sum + table.rarity(index), 0);
    if (cost < lowestCost) [best, lowestCost] = [parts, cost];
  }
  return best;
};
