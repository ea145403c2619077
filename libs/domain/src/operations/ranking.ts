import type { HybridVector, SparseVector } from './operation-vectors.ts';
import { providerNamesOf } from './provider.ts';
import { inferMethods } from './verbs.ts';

/**
 * A feature of an operation or a query in addition to its words. Its name contains a colon, so it never equals a word.
 */
export interface Feature {
  readonly name: string;
  readonly weight: number;
}

/**
 * The weights of the features; the cosine of the meanings has a weight of 1. They were chosen using the evaluation
 * tasks (`tools/embedder/LABORATORY.md`), each from the middle of a range in which the results hardly change.
 */
export const rankingWeights = {
  /** If all words of a query are in the operation's summary. */
  words: 0.15,
  /** If a query contains the name of the provider. */
  provider: 0.1,
  /** If the method matches the verbs of the query. */
  method: 0.04,
  /** For each word in a path: most queries are about the resource itself, not about a part of one of its parts. */
  pathWord: -0.015,
  /** For a path that ends in a parameter: it is about a single item, which must be known first. */
  singleItem: -0.02,
  deprecated: -0.005,
} as const;

/** The maximum number of words that count: longer paths do not rank even lower. */
const pathWordsMax = 16;

/** Returns the features of an operation. `method` is in upper case. */
export const operationFeaturesOf = (
  operation: { readonly method: string; readonly path: string; readonly deprecated: boolean },
  baseUrl: string,
): readonly Feature[] => [
  { name: 'every:', weight: baseWeightOf(operation) },
  { name: `method:${operation.method}`, weight: 1 },
  ...providerNamesOf(baseUrl).map((provider) => ({ name: `provider:${provider}`, weight: 1 })),
];

/** Returns the features of a query; those that match an operation's increase their similarity. */
export const queryFeaturesOf = (query: string): readonly Feature[] => {
  const words = wordsOf(query);
  const wordPairs = words.slice(1).map((word, index) => `${words[index] ?? ''}${word}`);
  return [
    { name: 'every:', weight: 1 },
    ...Object.entries(inferMethods(words)).map(([method, suitability]) => ({
      name: `method:${method}`,
      weight: rankingWeights.method * suitability,
    })),
    // Some names are written as one word or as two: `digital ocean`.
    ...[...new Set([...words, ...wordPairs])].map((name) => ({
      name: `provider:${name}`,
      weight: rankingWeights.provider,
    })),
  ];
};

/** Returns the weight that applies to an operation for every query, 0 or less. */
const baseWeightOf = ({ path, deprecated }: { readonly path: string; readonly deprecated: boolean }): number =>
  rankingWeights.pathWord * Math.min(pathWordsMax, countPathWords(path)) +
  (/\/\{[^{}/]*\}\/?$/.test(path) ? rankingWeights.singleItem : 0) +
  (deprecated ? rankingWeights.deprecated : 0);

/** Returns the number of words in the segments and parameters of a path: 4 for `/v1/paymentLinks/{id}`. */
const countPathWords = (path: string): number =>
  path.match(/\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|\p{Lo}+/gu)?.length ?? 0;

/** Returns the words in lower case; `Netlify's` becomes `netlify` and `s`. */
const wordsOf = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Returns the similarity of an operation and a query, about -0.2 to 1.3: a measure for ranking, not yet a score. */
export const similarityOf = (operation: HybridVector, query: HybridVector): number =>
  query.dense.reduce((sum, x, i) => sum + x * (operation.dense[i] ?? 0), 0) +
  computeSparseDotProduct(operation.sparse, query.sparse);

const computeSparseDotProduct = (a: SparseVector, b: SparseVector): number => {
  let [sum, i, j] = [0, 0, 0];
  while (i < a.indices.length && j < b.indices.length) {
    const difference = (a.indices[i] ?? 0) - (b.indices[j] ?? 0);
    if (difference === 0) sum += (a.weights[i] ?? 0) * (b.weights[j] ?? 0);
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return sum;
};
