import { stemmer } from 'stemmer';
import { fnv1a, mixBits } from './fnv1a.ts';

/** The signed features of one word. */
export interface HashedWord {
  /** The stem, which is the same for all forms of a word. */
  readonly stem: string;
  /** (dimension, sign) pairs: the stem first, then the trigrams. */
  readonly features: Int32Array;
}

const trigramsWeight = 0.3;

/** Hashes a word's stem and each of its trigrams to a sign and one of `size` dimensions (Weinberger et al., 2009). */
export const hashWord = (word: string, size: number): HashedWord => {
  const stem = stemOf(word);
  const boundedStem = `^${stem}$`;
  const trigrams = Math.max(0, boundedStem.length - 2);
  const features = new Int32Array(1 + (trigrams > 1 ? trigrams : 0));
  features[0] = featureOf(fnv1a(stem, 0, stem.length, seeds.stem), size);
  for (let i = 1; i < features.length; i += 1) {
    features[i] = featureOf(fnv1a(boundedStem, i - 1, i + 2, seeds.trigram), size);
  }
  return { stem, features };
};

/** Returns the same stem for all forms of a word (Porter, 1980). */
export const stemOf = (word: string): string => (/^[a-z]+$/.test(word) ? stemmer(word) : word);

/** Adds a word's features, multiplied by `weight`; each trigram is multiplied by a fraction of that weight. */
export const addHashedWord = (sum: Float64Array, { features }: HashedWord, weight: number): void => {
  const trigramWeight = trigramsWeight * weight;
  features.forEach((feature, i) => {
    const amount = i === 0 ? weight : trigramWeight;
    const dimension = feature >> 1;
    sum[dimension] = (sum[dimension] ?? 0) + (feature & 1 ? amount : -amount);
  });
};

/** Returns the feature for a text without words, one of `size` dimensions from `start` on that no word uses. */
export const hashText = (text: string, start: number, size: number): HashedWord => ({
  stem: text,
  features: Int32Array.of((start << 1) + featureOf(fnv1a(text, 0, text.length, seeds.text), size)),
});

/** Returns a (dimension, sign) pair: the lowest bit is the sign, and the others are the dimension. */
const featureOf = (hash: number, size: number): number => {
  const bits = mixBits(hash);
  return (((bits >>> 1) % size) << 1) | (bits & 1);
};

/** Separate seeds, so that a stem and a trigram with the same letters are different features. */
const seeds = { stem: 0x811c9dc5, trigram: 0x2f0b4c47, text: 0x5bd1e995 } as const;
