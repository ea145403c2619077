import type { HybridVector, SparseVector } from './operation-vectors.ts';
import { providerNames } from './provider.ts';
import { methodsMeant } from './verbs.ts';

/** What an operation or a question has beside its words. Its name has a colon, so that it is never that of a word. */
export interface Feature {
  readonly name: string;
  readonly weight: number;
}

/**
 * What counts how much; the cosine of the meanings counts 1. Chosen on judged tasks (`tools/embedder/LABORATORY.md`),
 * each from the middle of a range in which the figures hardly change.
 */
export const rankingWeights = {
  /** Where all words of a question are in the operation's summary. */
  words: 0.15,
  /** Where a question names who offers the API. */
  provider: 0.1,
  /** Where the method is one that the question's verbs ask for. */
  method: 0.04,
  /** For each word of a path: most questions mean the thing itself, not a part of a part of it. */
  pathWord: -0.015,
  /** For a path that ends in a parameter: it is about one thing, which must be known first. */
  oneThing: -0.02,
  deprecated: -0.005,
} as const;

/** Longer paths are no further back. */
const pathWordsMax = 16;

/** The features of an operation. `method` is in capitals. */
export const operationFeatures = (
  operation: { readonly method: string; readonly path: string; readonly deprecated: boolean },
  baseUrl: string,
): readonly Feature[] => [
  { name: 'every:', weight: standingOf(operation) },
  { name: `method:${operation.method}`, weight: 1 },
  ...providerNames(baseUrl).map((provider) => ({ name: `provider:${provider}`, weight: 1 })),
];

/** The features of a question; those that match an operation's add to their similarity. */
export const questionFeatures = (question: string): readonly Feature[] => {
  const words = wordsOf(question);
  const pairs = words.slice(1).map((word, at) => `${words[at] ?? ''}${word}`);
  return [
    { name: 'every:', weight: 1 },
    ...Object.entries(methodsMeant(words)).map(([method, suits]) => ({
      name: `method:${method}`,
      weight: rankingWeights.method * suits,
    })),
    // Some names are written in one word or in two: `digital ocean`.
    ...[...new Set([...words, ...pairs])].map((name) => ({
      name: `provider:${name}`,
      weight: rankingWeights.provider,
    })),
  ];
};

/** What speaks against an operation whatever is asked, 0 or less. */
const standingOf = ({ path, deprecated }: { readonly path: string; readonly deprecated: boolean }): number =>
  rankingWeights.pathWord * Math.min(pathWordsMax, pathWords(path)) +
  (/\/\{[^{}/]*\}\/?$/.test(path) ? rankingWeights.oneThing : 0) +
  (deprecated ? rankingWeights.deprecated : 0);

/** How many words the segments and parameters of a path have: 4 for `/v1/paymentLinks/{id}`. */
const pathWords = (path: string): number =>
  path.match(/\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|\p{Lo}+/gu)?.length ?? 0;

/** In lower case; `Netlify's` is `netlify` and `s`. */
const wordsOf = (question: string): readonly string[] =>
  question
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** How similar an operation and a question are, about -.2 to 1.3: a measure to rank by, not yet a score. */
export const similarityOf = (operation: HybridVector, question: HybridVector): number =>
  question.dense.reduce((sum, x, i) => sum + x * (operation.dense[i] ?? 0), 0) +
  sparseProduct(operation.sparse, question.sparse);

const sparseProduct = (one: SparseVector, other: SparseVector): number => {
  let [sum, i, j] = [0, 0, 0];
  while (i < one.indices.length && j < other.indices.length) {
    const difference = (one.indices[i] ?? 0) - (other.indices[j] ?? 0);
    if (difference === 0) sum += (one.weights[i] ?? 0) * (other.weights[j] ?? 0);
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return sum;
};
