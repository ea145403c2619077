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
export const createMeaningLookup =
  (table: WordTable, corrector: SpellingCorrector) =>
  (word: string): readonly Meaning[] => {
    const knownIndex = table.find(word);
    if (knownIndex >= 0) return [{ index: knownIndex, factor: 1 }];
    if (!/^[a-z0-9]+$/.test(word)) return [];
    const baseIndex = baseOf(table, word);
    if (baseIndex >= 0) return [{ index: baseIndex, factor: 1 }];
    const [parts, correction] = [compoundOf(table, word), corrector.findNearest(word)];
    const isMistake = correction !== null && (parts.length === 0 || isLikelier(table, correction, parts));
    if (isMistake) return [{ index: correction.index, factor: correctedFactor }];
    return parts.map((index) => ({ index, factor: compoundFactor }));
  };

/** Returns whether the correction is one mistake from the word, and at most as rare as the rarer of the two parts. */
const isLikelier = (table: WordTable, { index, mistakes }: Correction, parts: readonly number[]): boolean =>
  mistakes === 1 && table.rarityOf(index) <= Math.max(...parts.map((part) => table.rarityOf(part)));

const baseOf = (table: WordTable, word: string): number => {
  for (const [ending, base] of inflections) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    const stem = word.slice(0, -ending.length);
    const index = table.find(stem + base);
    if (index >= 0) return index;
    const isDoubled = stem.at(-1) === stem.at(-2) && base === '';
    const singleIndex = isDoubled ? table.find(stem.slice(0, -1)) : -1;
    if (singleIndex >= 0) return singleIndex;
  }
  return -1;
};

/**
 * Splits the word into the two known words that have the lowest total rarity. Returns an empty list if it cannot be
 * split.
 */
const compoundOf = (table: WordTable, word: string): readonly number[] => {
  let [bestParts, lowestCost]: [readonly number[], number] = [[], Infinity];
  for (
    let position = compoundPartMin;
    word.length >= compoundLengthMin && position <= word.length - compoundPartMin;
    position += 1
  ) {
    const parts = [table.find(word.slice(0, position)), table.find(word.slice(position))];
    if (parts.some((index) => index < 0)) continue;
    const cost = parts.reduce((sum, index) => sum + table.rarityOf(index), 0);
    if (cost < lowestCost) [bestParts, lowestCost] = [parts, cost];
  }
  return bestParts;
};
