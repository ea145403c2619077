/** A model that the fake has installed or can pull. */
export interface FakeModel {
  /** The model's name with its tag, such as `nomic-embed-text:latest`. */
  readonly name: string;
  /** The model's SHA-256 digest in hexadecimal. A different digest results in different vectors. */
  readonly digest: string;
  readonly dimension: number;
  /** The longest text in tokens, including the two that are added to every text. */
  readonly contextLength: number;
}

/** A model that looks like `nomic-embed-text` to Portico. */
export const fakeNomic: FakeModel = {
  name: 'nomic-embed-text:latest',
  digest: '0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f',
  dimension: 768,
  contextLength: 2048,
};

/** The number of tokens that a model adds around every text. */
const framingTokens = 2;

/** The part of a text that is embedded. `tokens` includes the framing tokens. */
export interface TokenizedText {
  readonly words: readonly string[];
  readonly tokens: number;
  /** Whether the text was longer than the model's context. */
  readonly isTruncated: boolean;
}

/**
 * Splits a text into tokens. A token is a sequence of letters, digits and underscores, or any other character that is
 * not white space. A real model counts more tokens in most texts, but behaves the same at its limit.
 */
export const tokenize = (text: string, { contextLength }: FakeModel): TokenizedText => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const contextWords = words.slice(0, contextLength - framingTokens);
  return {
    words: contextWords,
    tokens: contextWords.length + framingTokens,
    isTruncated: contextWords.length < words.length,
  };
};

/**
 * Returns a bag of words as a unit vector, with each word hashed into a dimension: texts that share words are
 * near each other, a prefix is a word like any other, and a text without words has the direction that all texts have in
 * common.
 */
export const embedWords = (words: readonly string[], model: FakeModel): number[] => {
  const sum = new Array<number>(model.dimension).fill(0);
  const add = (word: string, weight: number): void => {
    const hash = fnv1a(`${model.digest} ${word}`);
    const axis = (hash >>> 1) % model.dimension;
    sum[axis] = (sum[axis] ?? 0) + (hash & 1 ? weight : -weight);
  };
  add('', 0.5);
  for (const word of words) add(word, 1);
  return normalize(sum);
};

/**
 * Scales a vector to unit length and rounds it to single precision, as the real server does. A zero vector has no
 * direction and is replaced.
 */
export const normalize = (vector: readonly number[]): number[] => {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length === 0) return vector.map((_, axis) => (axis === 0 ? 1 : 0));
  return vector.map((x) => Math.fround(x / length));
};

/** Computes the 32-bit FNV-1a hash of the UTF-16 code units. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
};
