import { damerau } from './damerau.ts';
import { fnv1a, spread } from './fnv1a.ts';
import type { WordTable } from './word-table.ts';

/** Finds the known word that a misspelt one was most likely meant to be. */
export interface Spelling {
  /** Returns null if no known word is near, and for words that are not spelt: short ones, those with digits. */
  nearest(word: string): Correction | null;
}

export interface Correction {
  /** The number of the known word. */
  readonly index: number;
  /** How many mistakes it is away: 1 or 2. */
  readonly mistakes: number;
}

const lengthMin = 4;
/** From this length on, two mistakes are allowed. */
const longMin = 7;

/** Indexing them takes a fraction of a millisecond. */
const wordsAtOnce = 100;

/**
 * Indexes each known word under itself and under itself less one letter (symmetric deletion; Garbe, 2012): a word that
 * is one mistake away shares such a form, and so do most that are two away. Asks for `yieldToEventLoop` between portions.
 */
export const createSpelling = async (table: WordTable, yieldToEventLoop: () => Promise<void>): Promise<Spelling> => {
  const index = new FormIndex(table.size * 10);
  for (let i = 0; i < table.size; i += 1) {
    if (i % wordsAtOnce === 0) await yieldToEventLoop();
    const word = table.word(i);
    if (!isSpelt(word)) continue;
    for (let left = -1; left < word.length; left += 1) index.put(hashOf(word, left), i);
  }
  return { nearest: (word) => nearest(table, index, word) };
};

const isSpelt = (word: string): boolean => word.length >= lengthMin - 1 && /^[a-z]+$/.test(word);

const less = (word: string, at: number): string => word.slice(0, at) + word.slice(at + 1);

const nearest = (table: WordTable, index: FormIndex, word: string): Correction | null => {
  if (word.length < lengthMin || !isSpelt(word)) return null;
  const most = word.length < longMin ? 1 : 2;
  let [best, least]: [Correction | null, number] = [null, Infinity];
  const compare = (i: number): void => {
    const known = table.word(i);
    const distance = damerau(word, known, most);
    if (distance > most) return;
    const cost = 3 * distance + (known[0] === word[0] ? 0 : 1) + (0.35 / 16) * table.rarity(i);
    if (cost < least) [best, least] = [{ index: i, mistakes: distance }, cost];
  };
  const seen = new Set<string>();
  const look = (form: string, deeper: number): void => {
    if (seen.has(form)) return;
    seen.add(form);
    index.each(form, compare);
    for (let at = 0; deeper > 0 && at < form.length; at += 1) look(less(form, at), deeper - 1);
  };
  look(word, most);
  return best;
};

/** Numbers of words by form. A slot holds 16 bits of the form's hash and 16 of the number + 1; 0 is free. */
class FormIndex {
  #slots: Uint32Array;
  #mask: number;

  constructor(expected: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(expected * 1.5 + 2)));
    this.#mask = this.#slots.length - 1;
  }

  /** `hash` is that of the form. */
  put(hash: number, index: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = ((hash & 0xffff0000) | (index + 1)) >>> 0;
  }

  each(form: string, use: (index: number) => void): void {
    const hash = hashOf(form);
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) return;
      if (((entry ^ hash) & 0xffff0000) === 0) use((entry & 0xffff) - 1);
    }
  }
}

/** Of the text without the letter at `left`; of all of it if that is none. */
const hashOf = (text: string, left = -1): number =>
  spread(fnv1a(text, left + 1, text.length, left < 0 ? undefined : fnv1a(text, 0, left)));
