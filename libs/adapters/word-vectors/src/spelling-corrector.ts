import { computeDamerauDistance } from './damerau-distance.ts';
import { fnv1a, mixBits } from './fnv1a.ts';
import type { WordTable } from './word-table.ts';

/** Finds the known word that was most likely intended by a misspelled one. */
export interface SpellingCorrector {
  /**
   * Returns null if no known word is close, or if the word is short or has digits, since such words are not corrected.
   */
  findNearest(word: string): Correction | null;
}

export interface Correction {
  /** The index of the known word. */
  readonly index: number;
  /** The number of mistakes: 1 or 2. */
  readonly mistakes: number;
}

const lengthMin = 4;
/** Words of at least this length may have two mistakes. */
const longLengthMin = 7;

/** Indexing this many words takes a fraction of a millisecond. */
const batchSize = 100;

/**
 * Indexes each known word under itself and under each form with one letter removed (symmetric deletion; Garbe, 2012): a
 * word with one mistake shares such a form with the correct word, as do most words with two mistakes. Calls
 * `yieldToEventLoop` between batches.
 */
export const createSpellingCorrector = async (
  table: WordTable,
  yieldToEventLoop: () => Promise<void>,
): Promise<SpellingCorrector> => {
  const index = new FormIndex(table.size * 10);
  for (let i = 0; i < table.size; i += 1) {
    if (i % batchSize === 0) await yieldToEventLoop();
    const word = table.wordAt(i);
    if (!isCorrectable(word)) continue;
    for (let removedPosition = -1; removedPosition < word.length; removedPosition += 1)
      index.put(hashOf(word, removedPosition), i);
  }
  return { findNearest: (word) => findNearest(table, index, word) };
};

const isCorrectable = (word: string): boolean => word.length >= lengthMin - 1 && /^[a-z]+$/.test(word);

const removeLetter = (word: string, position: number): string => word.slice(0, position) + word.slice(position + 1);

const findNearest = (table: WordTable, index: FormIndex, word: string): Correction | null => {
  if (word.length < lengthMin || !isCorrectable(word)) return null;
  const mistakesMax = word.length < longLengthMin ? 1 : 2;
  let [bestCorrection, lowestCost]: [Correction | null, number] = [null, Infinity];
  const compare = (i: number): void => {
    const knownWord = table.wordAt(i);
    const distance = computeDamerauDistance(word, knownWord, mistakesMax);
    if (distance > mistakesMax) return;
    const cost = 3 * distance + (knownWord[0] === word[0] ? 0 : 1) + (0.35 / 16) * table.rarityOf(i);
    if (cost < lowestCost) [bestCorrection, lowestCost] = [{ index: i, mistakes: distance }, cost];
  };
  const seenForms = new Set<string>();
  const search = (form: string, depth: number): void => {
    if (seenForms.has(form)) return;
    seenForms.add(form);
    index.forEach(form, compare);
    for (let position = 0; depth > 0 && position < form.length; position += 1)
      search(removeLetter(form, position), depth - 1);
  };
  search(word, mistakesMax);
  return bestCorrection;
};

/**
 * Indices of words by form. A slot contains 16 bits of the form's hash and 16 bits of the index + 1; 0 marks a free
 * slot.
 */
class FormIndex {
  #slots: Uint32Array;
  #mask: number;

  constructor(expectedSize: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(expectedSize * 1.5 + 2)));
    this.#mask = this.#slots.length - 1;
  }

  /** Stores the index of a word under a form with this hash. */
  put(hash: number, index: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = ((hash & 0xffff0000) | (index + 1)) >>> 0;
  }

  forEach(form: string, callback: (index: number) => void): void {
    const hash = hashOf(form);
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) return;
      if (((entry ^ hash) & 0xffff0000) === 0) callback((entry & 0xffff) - 1);
    }
  }
}

/** Returns the hash of the text without the letter at `removedPosition`, or of the whole text if `removedPosition` is negative. */
const hashOf = (text: string, removedPosition = -1): number =>
  mixBits(
    fnv1a(text, removedPosition + 1, text.length, removedPosition < 0 ? undefined : fnv1a(text, 0, removedPosition)),
  );
