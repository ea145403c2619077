import { embeddingDimension, type EmbeddingPurpose } from '@portico/domain';
import { addHashedWord, type HashedWord, hashText, hashWord } from './hashed-words.ts';
import { createMeaningLookup, type Meaning } from './meanings.ts';
import { proseOf } from './prose.ts';
import type { SpellingCorrector } from './spelling-corrector.ts';
import type { WordTable } from './word-table.ts';
import { wordsOf } from './words.ts';

/** The written words' share in the similarity of two texts that consist of known words. */
const writtenShare = 0.2;

/** The weight of a name's words among the written words. */
const nameWeight = 3;

/** Dimensions for texts without words: their similarity to any text with words is exactly 0. */
const wordlessSize = 16;

/** Maximum number of words cached with their meanings. Caching helps because texts about APIs are repetitive. */
const cachedWordsMax = 4_096;

interface WrittenWord extends HashedWord {
  readonly meanings: readonly Meaning[];
  /** How informative the word is, from 0 to 1. */
  readonly weight: number;
}

/**
 * Creates a function that returns the vector of a text: the sum of its words' meanings and the sum of its written words
 * (hashed), each normalised to unit length, and concatenated so that the cosine of two texts is 0.8 times the cosine of
 * their meanings plus 0.2 times that of their words. The greater the weight of a text's words without a known meaning,
 * such as names, the less its meaning counts.
 */
export const createTextVectors = (table: WordTable, corrector: SpellingCorrector) => {
  const writtenSize = embeddingDimension - table.dimension;
  const hashedSize = writtenSize - wordlessSize;
  const meaningsOf = createMeaningLookup(table, corrector);
  const cache = new Map<string, WrittenWord>();

  const readWord = (word: string): WrittenWord => {
    const meanings = meaningsOf(word);
    const [firstMeaning] = meanings;
    const onlyMeaning = meanings.length === 1 ? firstMeaning : undefined;
    const isCorrected = onlyMeaning !== undefined && onlyMeaning.factor < 1;
    return {
      ...hashWord(isCorrected ? table.wordAt(onlyMeaning.index) : word, hashedSize),
      meanings,
      weight: onlyMeaning ? square(table.weightOf(onlyMeaning.index)) * onlyMeaning.factor : 1,
    };
  };

  const lookUp = (word: string): WrittenWord => {
    let entry = cache.get(word);
    if (entry) return entry;
    entry = readWord(word);
    if (cache.size >= cachedWordsMax) cache.clear();
    cache.set(word, entry);
    return entry;
  };

  return (text: string, purpose: EmbeddingPurpose): Float32Array => {
    const [meaningSum, wordSum] = [new Float64Array(table.dimension), new Float64Array(writtenSize)];
    const counts = new Map<string, number>();
    let [knownWeight, totalWeight] = [0, 0];
    for (const { words, writtenWeight } of fieldsOf(text, purpose)) {
      for (const word of words) {
        const entry = lookUp(word);
        for (const { index, factor } of entry.meanings) table.add(meaningSum, index, factor);
        const count = (counts.get(entry.stem) ?? 0) + 1;
        counts.set(entry.stem, count);
        addHashedWord(wordSum, entry, (writtenWeight * entry.weight) / count);
        totalWeight += entry.weight;
        if (entry.meanings.length > 0) knownWeight += entry.weight;
      }
    }
    if (totalWeight === 0) addHashedWord(wordSum, hashText(text.trim(), hashedSize, wordlessSize), 1);
    return concatenate(
      meaningSum,
      (1 - writtenShare) * (totalWeight === 0 ? 0 : knownWeight / totalWeight),
      wordSum,
      writtenShare,
    );
  };
};

interface Field {
  readonly words: readonly string[];
  /** The weight of the field's words among the written words. */
  readonly writtenWeight: number;
}

/**
 * The first line of a document is its name. If a text consists only of markup and addresses, the words in those are
 * used.
 */
const fieldsOf = (text: string, purpose: EmbeddingPurpose): readonly Field[] => {
  const nameEnd = purpose === 'document' ? text.indexOf('\n') : -1;
  const fields = [
    { words: wordsOf(text.slice(0, Math.max(0, nameEnd))), writtenWeight: nameWeight },
    { words: wordsOf(proseOf(text.slice(nameEnd + 1))), writtenWeight: 1 },
  ];
  return fields.some(({ words }) => words.length > 0) ? fields : [{ words: wordsOf(text), writtenWeight: 1 }];
};

const square = (x: number): number => x * x;

/** Concatenates the two vectors into one of unit length. Each share is a share of the squared length. */
const concatenate = (
  firstVector: Float64Array,
  firstShare: number,
  secondVector: Float64Array,
  secondShare: number,
): Float32Array => {
  const [firstLength, secondLength] = [lengthOf(firstVector), lengthOf(secondVector)];
  const shares = (firstLength > 0 ? firstShare : 0) + (secondLength > 0 ? secondShare : 0);
  const factorOf = (length: number, share: number) => (length > 0 ? Math.sqrt(share / shares) / length : 0);
  const [firstFactor, secondFactor] = [factorOf(firstLength, firstShare), factorOf(secondLength, secondShare)];
  const vector = new Float32Array(firstVector.length + secondVector.length);
  firstVector.forEach((x, i) => (vector[i] = x * firstFactor));
  secondVector.forEach((x, i) => (vector[firstVector.length + i] = x * secondFactor));
  return vector;
};

const lengthOf = (vector: Float64Array): number => {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
};
