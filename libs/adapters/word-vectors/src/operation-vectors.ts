import {
  operationFeatures,
  queryFeatures,
  rankingWeights,
  type Feature,
  type HybridVector,
  type EmbeddingContext,
  type OperationDescription,
  type SparseVector,
} from '@portico/domain';
import { fnv1a, mixBits } from './fnv1a.ts';
import { stemOf } from './hashed-words.ts';
import { createMeanings, type Meaning } from './meanings.ts';
import { proseOf } from './prose.ts';
import type { SpellingCorrector } from './spelling-corrector.ts';
import type { WordTable } from './word-table.ts';
import { wordsOf } from './words.ts';

/** The weights of a word in the meaning and among the written words, by the field that contains the word. */
const fields = {
  summary: { meaning: 1, written: 1 },
  operationId: { meaning: 0.5, written: 1 },
  name: { meaning: 0.5, written: 0.7 },
  tags: { meaning: 0.3, written: 0.8 },
  path: { meaning: 0.3, written: 0.8 },
  excerpt: { meaning: 0.3, written: 0.6 },
} as const;

type FieldWeights = (typeof fields)[keyof typeof fields];

/** The collection's share in the meaning of each of its operations. */
const collectionShare = 0.25;

/** Maximum number of words cached with their meanings. Caching helps because texts about APIs are repetitive. */
const cachedWordsMax = 8_192;

interface KnownWord {
  /** The word's index in sparse vectors: a hash of its stem. */
  readonly hash: number;
  readonly meanings: readonly Meaning[];
  /** The length of the vector for the word's meanings; 1 if the word has none. */
  readonly length: number;
  /** How informative the word is, from 0 to 1. */
  readonly weight: number;
}

export interface OperationVectors {
  /** Returns a function that creates vectors for the operations of one collection. */
  forOwner(owner: EmbeddingContext): (operation: OperationDescription) => HybridVector;
  forQuestion(question: string): HybridVector;
}

/**
 * Creates vectors for operations and for questions about them, from the same word table as the vectors for collections.
 * The dense part is the meaning. The sparse part contains the written words, indexed by a hash of their stem, and the
 * ranking features.
 */
export const createOperationVectors = (table: WordTable, corrector: SpellingCorrector): OperationVectors => {
  const lookUp = createWordLookup(table, createMeanings(table, corrector));

  const zero = (): Float64Array => new Float64Array(table.dimension);
  /** Returns the weighted sum of the words' meanings, normalised to length 1. `sum` must contain zeros. */
  const bagOf = (words: Iterable<readonly [KnownWord, number]>, sum = zero()): Float64Array => {
    for (const [{ meanings }, times] of words) {
      for (const { index, factor } of meanings) table.add(sum, index, times * factor);
    }
    return normalise(sum);
  };

  return {
    forOwner: ({ name, description, baseUrl }) => {
      const nameWords = wordsOf(name);
      const collection = bagOf([...nameWords, ...wordsOf(proseOf(description))].map((word) => [lookUp(word), 1]));
      // All operations share one pair of arrays: new arrays for 10,000 operations would take 15 to 30 MiB until they
      // are garbage-collected.
      const [own, dense] = [zero(), zero()];
      return (operation) => {
        const words = wordsByField(operation, nameWords).map(([word, field]) => ({ ...lookUp(word), field }));
        const meaning = words.map((word) => [word, word.field.meaning] as const);
        addTimes(dense.fill(0), bagOf(meaning, own.fill(0)), 1 - collectionShare);
        addTimes(dense, collection, collectionShare);
        return {
          dense: new Float32Array(normalise(dense)),
          sparse: sparseOf([
            ...words.map(({ hash, field }) => [hash, field.written] as const),
            ...operationFeatures(operation, baseUrl).map(toSparseEntry),
          ]),
        };
      };
    },
    forQuestion: (question) => {
      const words = wordsOf(proseOf(question));
      // The weight is divided by the root of the vector's length: incidental words in a question, such as place names,
      // are rarer than words that describe APIs, and so have longer vectors.
      const meaning = bagOf(words.map(lookUp).map((word) => [word, 1 / Math.sqrt(word.length)]));
      const uniqueWords = [...new Set(words)].map(lookUp);
      const total = uniqueWords.reduce((sum, { weight }) => sum + weight, 0) || 1;
      return {
        dense: new Float32Array(meaning),
        sparse: sparseOf([
          ...uniqueWords.map(({ hash, weight }) => [hash, (rankingWeights.words * weight) / total] as const),
          ...queryFeatures(question).map(toSparseEntry),
        ]),
      };
    },
  };
};

/** Returns each word once, with the weights of the first field that contains it. */
const wordsByField = (
  { summary, operationId, tags, path, excerpt }: OperationDescription,
  nameWords: readonly string[],
): readonly (readonly [word: string, FieldWeights])[] => {
  const entry = new Map<string, FieldWeights>();
  const add = (words: readonly string[], field: FieldWeights): void => {
    for (const word of words) if (!entry.has(word)) entry.set(word, field);
  };
  add(wordsOf(proseOf(summary ?? '')), fields.summary);
  add(wordsOf(operationId ?? ''), fields.operationId);
  add(nameWords, fields.name);
  add(tags.flatMap(wordsOf), fields.tags);
  add(wordsOf(path), fields.path);
  add(wordsOf(proseOf(excerpt)), fields.excerpt);
  return [...entry];
};

const createWordLookup = (table: WordTable, meaningsOf: (word: string) => readonly Meaning[]) => {
  const cache = new Map<string, KnownWord>();
  const read = (word: string): KnownWord => {
    const meanings = meaningsOf(word);
    const [first] = meanings;
    const only = meanings.length === 1 ? first : undefined;
    const stem = stemOf(only !== undefined && only.factor < 1 ? table.word(only.index) : word);
    const meaning = new Float64Array(table.dimension);
    for (const { index, factor } of meanings) table.add(meaning, index, factor);
    return {
      hash: hashOf(stem),
      meanings,
      length: lengthOf(meaning) || 1,
      weight: only ? table.weight(only.index) ** 2 * only.factor : 1,
    };
  };
  return (word: string): KnownWord => {
    let entry = cache.get(word);
    if (entry) return entry;
    entry = read(word);
    if (cache.size >= cachedWordsMax) cache.clear();
    cache.set(word, entry);
    return entry;
  };
};

const hashOf = (name: string): number => mixBits(fnv1a(name, 0, name.length));

const toSparseEntry = ({ name, weight }: Feature) => [hashOf(name), weight] as const;

/**
 * Creates a sparse vector. Among entries with the same hash, such as two forms of a word, the one with the greatest
 * absolute weight counts.
 */
const sparseOf = (entries: readonly (readonly [hash: number, weight: number])[]): SparseVector => {
  const byHash = new Map<number, number>();
  for (const [hash, weight] of entries) {
    const before = byHash.get(hash) ?? 0;
    if (Math.abs(weight) > Math.abs(before)) byHash.set(hash, weight);
  }
  const sorted = [...byHash].sort(([x], [y]) => x - y);
  return {
    indices: Uint32Array.from(sorted, ([hash]) => hash),
    weights: Float32Array.from(sorted, ([, weight]) => weight),
  };
};

const addTimes = (sum: Float64Array, vector: Float64Array, factor: number): void => {
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + factor * (vector[i] ?? 0);
};

/** Normalises the vector in place to length 1, unless it is 0. */
const normalise = (vector: Float64Array): Float64Array => {
  const length = lengthOf(vector) || 1;
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
  return vector;
};

const lengthOf = (vector: Float64Array): number => {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
};
