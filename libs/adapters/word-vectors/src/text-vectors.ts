import { embeddingDimension, type EmbeddingPurpose } from '@portico/domain';
import { addHashed, type HashedWord, hashedText, hashedWord } from './hashed-words.ts';
import { createMeanings, type Meaning } from './meanings.ts';
import { proseOf } from './prose.ts';
import type { Spelling } from './spelling.ts';
import type { WordTable } from './word-table.ts';
import { wordsOf } from './words.ts';

/** The share of the written words in the similarity of two texts of known words. */
const writtenShare = 0.2;

/** How often the words of a name count among the written ones. */
const nameWeight = 3;

/** Dimensions for texts without words: their similarity to any text with words is exactly 0. */
const wordlessSize = 16;

/** How many written words are kept with what they stand for; texts about APIs repeat themselves. */
const keptWordsMax = 4_096;

interface WrittenWord extends HashedWord {
  readonly meanings: readonly Meaning[];
  /** How much it tells, 0 to 1. */
  readonly weight: number;
}

/**
 * Returns the vector of a text: the sum of its words' meanings beside that of its words as they are written (hashed),
 * each to unit length, joined so that the cosine of two texts is .8 of that of their meanings and .2 of that of their
 * words. The more of a text's weight is in words without a known meaning, such as names, the less its meaning counts.
 */
export const createTextVectors = (table: WordTable, spelling: Spelling) => {
  const writtenSize = embeddingDimension - table.dimension;
  const hashedSize = writtenSize - wordlessSize;
  const meaningsOf = createMeanings(table, spelling);
  const kept = new Map<string, WrittenWord>();

  const read = (word: string): WrittenWord => {
    const meanings = meaningsOf(word);
    const [first] = meanings;
    const only = meanings.length === 1 ? first : undefined;
    const isCorrected = only !== undefined && only.factor < 1;
    return {
      ...hashedWord(isCorrected ? table.word(only.index) : word, hashedSize),
      meanings,
      weight: only ? squared(table.weight(only.index)) * only.factor : 1,
    };
  };

  const look = (word: string): WrittenWord => {
    let found = kept.get(word);
    if (found) return found;
    found = read(word);
    if (kept.size >= keptWordsMax) kept.clear();
    kept.set(word, found);
    return found;
  };

  return (text: string, purpose: EmbeddingPurpose): Float32Array => {
    const [meaning, written] = [new Float64Array(table.dimension), new Float64Array(writtenSize)];
    const counts = new Map<string, number>();
    let [known, all] = [0, 0];
    for (const { words, writtenWeight } of fieldsOf(text, purpose)) {
      for (const word of words) {
        const found = look(word);
        for (const { index, factor } of found.meanings) table.add(meaning, index, factor);
        const count = (counts.get(found.stem) ?? 0) + 1;
        counts.set(found.stem, count);
        addHashed(written, found, (writtenWeight * found.weight) / count);
        all += found.weight;
        if (found.meanings.length > 0) known += found.weight;
      }
    }
    if (all === 0) addHashed(written, hashedText(text.trim(), hashedSize, wordlessSize), 1);
    return joined(meaning, (1 - writtenShare) * (all === 0 ? 0 : known / all), written, writtenShare);
  };
};

interface Field {
  readonly words: readonly string[];
  /** How often its words count among the written ones. */
  readonly writtenWeight: number;
}

/** The first line of a document is its name. A text of only markup and addresses is read by the words in these. */
const fieldsOf = (text: string, purpose: EmbeddingPurpose): readonly Field[] => {
  const nameEnd = purpose === 'document' ? text.indexOf('\n') : -1;
  const fields = [
    { words: wordsOf(text.slice(0, Math.max(0, nameEnd))), writtenWeight: nameWeight },
    { words: wordsOf(proseOf(text.slice(nameEnd + 1))), writtenWeight: 1 },
  ];
  return fields.some(({ words }) => words.length > 0) ? fields : [{ words: wordsOf(text), writtenWeight: 1 }];
};

const squared = (x: number): number => x * x;

/** Both vectors side by side, at unit length together, with these shares of its square. */
const joined = (one: Float64Array, oneShare: number, other: Float64Array, otherShare: number): Float32Array => {
  const [oneLength, otherLength] = [lengthOf(one), lengthOf(other)];
  const shares = (oneLength > 0 ? oneShare : 0) + (otherLength > 0 ? otherShare : 0);
  const factorOf = (length: number, share: number) => (length > 0 ? Math.sqrt(share / shares) / length : 0);
  const [oneFactor, otherFactor] = [factorOf(oneLength, oneShare), factorOf(otherLength, otherShare)];
  const vector = new Float32Array(one.length + other.length);
  one.forEach((x, i) => (vector[i] = x * oneFactor));
  other.forEach((x, i) => (vector[one.length + i] = x * otherFactor));
  return vector;
};

const lengthOf = (vector: Float64Array): number => {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
};
