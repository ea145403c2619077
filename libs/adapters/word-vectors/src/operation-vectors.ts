import {
  operationFeaturesOf,
  queryFeaturesOf,
  rankingWeights,
  type Feature,
  type HybridVector,
  type EmbeddingContext,
  type OperationDescription,
  type SparseVector,
} from '@portico/domain';
import { fnv1a, mixBits } from './fnv1a.ts';
import { stemOf } from './hashed-words.ts';
import { createMeaningLookup, type Meaning } from './meanings.ts';
import { proseOf } from './prose.ts';
import type { SpellingCorrector } from './spelling-corrector.ts';
import type { WordTable } from './word-table.ts';
import { wordsOf } from './words.ts';

/** The weights of a word in the meaning and among the written words, by the field that contains the word. */
const fields = {
  summary: { meaning: 1, words: 1 },
  operationId: { meaning: 0.5, words: 1 },
  name: { meaning: 0.5, words: 0.7 },
  tags: { meaning: 0.3, words: 0.8 },
  path: { meaning: 0.3, words: 0.8 },
  excerpt: { meaning: 0.3, words: 0.6 },
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
  createVectorizer(owner: EmbeddingContext): (operation: OperationDescription) => HybridVector;
  createQuestionVector(question: string): HybridVector;
}

/**
 * Creates vectors for operations and for questions about them, from the same word table as the vectors for collections.
 * The dense part is the meaning. The sparse part contains the written words, indexed by a hash of their stem, and the
 * ranking features.
 */
export const createOperationVectors = (table: WordTable, corrector: SpellingCorrector): OperationVectors => {
  const lookUp = createWordLookup(table, createMeaningLookup(table, corrector));

  const createZeros = (): Float64Array => new Float64Array(table.dimension);
  /** Returns the weighted sum of the words' meanings, normalised to unit length. `sum` must contain zeros. */
  const sumMeanings = (words: Iterable<readonly [KnownWord, number]>, sum = createZeros()): Float64Array => {
    for (const [{ meanings }, weight] of words) {
      for (const { index, factor } of meanings) table.add(sum, index, weight * factor);
    }
    return normalise(sum);
  };

  return {
    createVectorizer: ({ name, description, baseUrl }) => {
      const nameWords = wordsOf(name);
      const collection = sumMeanings([...nameWords, ...wordsOf(proseOf(description))].map((word) => [lookUp(word), 1]));
      // All operations share one pair of arrays: new arrays for 10,000 operations would take 15 to 30 MiB until they
      // are garbage-collected.
      const [meaningSum, dense] = [createZeros(), createZeros()];
      return (operation) => {
        const words = listWords(operation, nameWords).map(([word, field]) => ({ ...lookUp(word), field }));
        const meaning = words.map((word) => [word, word.field.meaning] as const);
        addScaled(dense.fill(0), sumMeanings(meaning, meaningSum.fill(0)), 1 - collectionShare);
        addScaled(dense, collection, collectionShare);
        return {
          dense: new Float32Array(normalise(dense)),
          sparse: sparseOf([
            ...words.map(({ hash, field }) => [hash, field.words] as const),
            ...operationFeaturesOf(operation, baseUrl).map(toSparseEntry),
          ]),
        };
      };
    },
    createQuestionVector: (question) => {
      const words = wordsOf(proseOf(question));
      // The weight is divided by the root of the vector's length: incidental words in a question, such as place names,
      // are rarer than words that describe APIs, and so have longer vectors.
      const meaning = sumMeanings(words.map(lookUp).map((word) => [word, 1 / Math.sqrt(word.length)]));
      const uniqueWords = [...new Set(words)].map(lookUp);
      const total = uniqueWords.reduce((sum, { weight }) => sum + weight, 0) || 1;
      return {
        dense: new Float32Array(meaning),
        sparse: sparseOf([
          ...uniqueWords.map(({ hash, weight }) => [hash, (rankingWeights.words * weight) / total] as const),
          ...queryFeaturesOf(question).map(toSparseEntry),
        ]),
      };
    },
  };
};

/** Returns each word once, with the weights of the first field that contains it. */
const listWords = (
  { summary, operationId, tags, path, excerpt }: OperationDescription,
  nameWords: readonly string[],
): readonly (readonly [word: string, FieldWeights])[] => {
  const fieldByWord = new Map<string, FieldWeights>();
  const add = (words: readonly string[], field: FieldWeights): void => {
    for (const word of words) if (!fieldByWord.has(word)) fieldByWord.set(word, field);
  };
  add(wordsOf(proseOf(summary ?? '')), fields.summary);
  add(wordsOf(operationId ?? ''), fields.operationId);
  add(nameWords, fields.name);
  add(tags.flatMap(wordsOf), fields.tags);
  add(wordsOf(path), fields.path);
  add(wordsOf(proseOf(excerpt)), fields.excerpt);
  return [...fieldByWord];
};

const createWordLookup = (table: WordTable, meaningsOf: (word: string) => readonly Meaning[]) => {
  const cache = new Map<string, KnownWord>();
  const readWord = (word: string): KnownWord => {
    const meanings = meaningsOf(word);
    const [firstMeaning] = meanings;
    const onlyMeaning = meanings.length === 1 ? firstMeaning : undefined;
    const stem = stemOf(onlyMeaning !== undefined && onlyMeaning.factor < 1 ? table.wordAt(onlyMeaning.index) : word);
    const meaning = new Float64Array(table.dimension);
    for (const { index, factor } of meanings) table.add(meaning, index, factor);
    return {
      hash: hashOf(stem),
      meanings,
      length: lengthOf(meaning) || 1,
      weight: onlyMeaning ? table.weightOf(onlyMeaning.index) ** 2 * onlyMeaning.factor : 1,
    };
  };
  return (word: string): KnownWord => {
    let entry = cache.get(word);
    if (entry) return entry;
    entry = readWord(word);
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
  const weightByHash = new Map<number, number>();
  for (const [hash, weight] of entries) {
    const previousWeight = weightByHash.get(hash) ?? 0;
    if (Math.abs(weight) > Math.abs(previousWeight)) weightByHash.set(hash, weight);
  }
  const sorted = [...weightByHash].sort(([x], [y]) => x - y);
  return {
    indices: Uint32Array.from(sorted, ([hash]) => hash),
    weights: Float32Array.from(sorted, ([, weight]) => weight),
  };
};

const addScaled = (sum: Float64Array, vector: Float64Array, factor: number): void => {
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + factor * (vector[i] ?? 0);
};

/** Normalises the vector in place to unit length, unless it is zero. */
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
