import {
  operationFeatures,
  questionFeatures,
  rankingWeights,
  type Feature,
  type HybridVector,
  type OperationsOwner,
  type OperationTexts,
  type SparseVector,
} from '@portico/domain';
import { fnv1a, spread } from './fnv1a.ts';
import { stemOf } from './hashed-words.ts';
import { createMeanings, type Meaning } from './meanings.ts';
import { proseOf } from './prose.ts';
import type { Spelling } from './spelling.ts';
import type { WordTable } from './word-table.ts';
import { wordsOf } from './words.ts';

/** How much a word counts in the meaning, and among the words as they are written, by the field that it stands in. */
const fields = {
  summary: { meaning: 1, written: 1 },
  operationId: { meaning: 0.5, written: 1 },
  name: { meaning: 0.5, written: 0.7 },
  tags: { meaning: 0.3, written: 0.8 },
  path: { meaning: 0.3, written: 0.8 },
  excerpt: { meaning: 0.3, written: 0.6 },
} as const;

type FieldWeights = (typeof fields)[keyof typeof fields];

/** The share of the collection's meaning in that of each of its operations. */
const collectionShare = 0.25;

/** How many written words are kept with what they stand for; texts about APIs repeat themselves. */
const keptWordsMax = 8_192;

interface KnownWord {
  /** Its number in the sparse vectors: a hash of its stem. */
  readonly hash: number;
  readonly meanings: readonly Meaning[];
  /** The length of the vector of its meanings; 1 if it has none. */
  readonly length: number;
  /** How much it tells, 0 to 1. */
  readonly weight: number;
}

export interface OperationVectors {
  /** Returns what makes the vectors of the operations of one collection. */
  ofOwner(owner: OperationsOwner): (operation: OperationTexts) => HybridVector;
  ofQuestion(question: string): HybridVector;
}

/**
 * Makes vectors of operations and of questions for them, from the same table of words as those of collections. Dense is
 * the meaning; sparse are the words as they are written, by a hash of their stem, and the features of the ranking.
 */
export const createOperationVectors = (table: WordTable, spelling: Spelling): OperationVectors => {
  const look = createLook(table, createMeanings(table, spelling));

  const zero = (): Float64Array => new Float64Array(table.dimension);
  /** The sum of what the words mean, each so many times, of length 1; made in an array of zeros. */
  const bagOf = (words: Iterable<readonly [KnownWord, number]>, sum = zero()): Float64Array => {
    for (const [{ meanings }, times] of words) {
      for (const { index, factor } of meanings) table.add(sum, index, times * factor);
    }
    return normalise(sum);
  };

  return {
    ofOwner: ({ name, description, baseUrl }) => {
      const nameWords = wordsOf(name);
      const collection = bagOf([...nameWords, ...wordsOf(proseOf(description))].map((word) => [look(word), 1]));
      // One pair for all operations: made anew for 10,000 they take 15 to 30 MiB until they are collected.
      const [own, dense] = [zero(), zero()];
      return (operation) => {
        const words = wordsByField(operation, nameWords).map(([word, field]) => ({ ...look(word), field }));
        const meaning = words.map((word) => [word, word.field.meaning] as const);
        addTimes(dense.fill(0), bagOf(meaning, own.fill(0)), 1 - collectionShare);
        addTimes(dense, collection, collectionShare);
        return {
          dense: new Float32Array(normalise(dense)),
          sparse: sparseOf([
            ...words.map(({ hash, field }) => [hash, field.written] as const),
            ...operationFeatures(operation, baseUrl).map(hashed),
          ]),
        };
      };
    },
    ofQuestion: (question) => {
      const words = wordsOf(proseOf(question));
      // Each by the root of its length: what a person tells beside the matter, such as the name of a place, is rarer, and
      // so longer, than the words that APIs do it with.
      const meaning = bagOf(words.map(look).map((word) => [word, 1 / Math.sqrt(word.length)]));
      const different = [...new Set(words)].map(look);
      const total = different.reduce((sum, { weight }) => sum + weight, 0) || 1;
      return {
        dense: new Float32Array(meaning),
        sparse: sparseOf([
          ...different.map(({ hash, weight }) => [hash, (rankingWeights.words * weight) / total] as const),
          ...questionFeatures(question).map(hashed),
        ]),
      };
    },
  };
};

/** Each word once, with the first of its fields. */
const wordsByField = (
  { summary, operationId, tags, path, excerpt }: OperationTexts,
  nameWords: readonly string[],
): readonly (readonly [word: string, FieldWeights])[] => {
  const found = new Map<string, FieldWeights>();
  const add = (words: readonly string[], field: FieldWeights): void => {
    for (const word of words) if (!found.has(word)) found.set(word, field);
  };
  add(wordsOf(proseOf(summary ?? '')), fields.summary);
  add(wordsOf(operationId ?? ''), fields.operationId);
  add(nameWords, fields.name);
  add(tags.flatMap(wordsOf), fields.tags);
  add(wordsOf(path), fields.path);
  add(wordsOf(proseOf(excerpt)), fields.excerpt);
  return [...found];
};

const createLook = (table: WordTable, meaningsOf: (word: string) => readonly Meaning[]) => {
  const kept = new Map<string, KnownWord>();
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
    let found = kept.get(word);
    if (found) return found;
    found = read(word);
    if (kept.size >= keptWordsMax) kept.clear();
    kept.set(word, found);
    return found;
  };
};

const hashOf = (name: string): number => spread(fnv1a(name, 0, name.length));

const hashed = ({ name, weight }: Feature) => [hashOf(name), weight] as const;

/** Of entries with the same hash, such as two forms of a word, the one that weighs most counts. */
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

/** The same vector, of length 1, unless it is 0. */
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
