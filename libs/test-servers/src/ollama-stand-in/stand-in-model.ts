/** A model that the stand-in has installed or can pull. */
export interface StandInModel {
  /** With its tag, such as `nomic-embed-text:latest`. */
  readonly name: string;
  /** SHA-256 in hex. A different digest results in different vectors. */
  readonly digest: string;
  readonly dimension: number;
  /** In tokens, including the two that are added to every text. */
  readonly contextLength: number;
}

/** Looks like `nomic-embed-text` to Portico. */
export const nomicStandIn: StandInModel = {
  name: 'nomic-embed-text:latest',
  digest: '0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f',
  dimension: 768,
  contextLength: 2048,
};

/** The number of tokens that a model adds around every text. */
const framingTokens = 2;

/** The part of a text that is embedded. `tokens` includes the framing ones. */
export interface TokenizedText {
  readonly words: readonly string[];
  readonly tokens: number;
  /** Whether the text was longer than the model's context. */
  readonly isTruncated: boolean;
}

/**
 * A token is a sequence of letters, digits and underscores, or any other character that is not white space. A real
 * model counts more tokens in most texts, but behaves the same at its limit.
 */
export const tokenize = (text: string, { contextLength }: StandInModel): TokenizedText => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const contextWords = words.slice(0, contextLength - framingTokens);
  return {
    words: contextWords,
    tokens: contextWords.length + framingTokens,
    isTruncated: contextWords.length < words.length,
  };
};

/**
 * Returns a bag of words, hashed into the dimensions, of length 1: texts that share words are near each other, a prefix
 * is a word like any other, and a text without words has the direction that all texts have in common.
 */
export const embedWords = (words: readonly string[], model: StandInModel): number[] => {
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

/** Rounds to single precision, as the real server does. A zero vector has no direction and is replaced. */
export const normalize = (vector: readonly number[]): number[] => {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length === 0) return vector.map((_, axis) => (axis === 0 ? 1 : 0));
  return vector.map((x) => Math.fround(x / length));
};

/** FNV-1a over UTF-16 code units, 32 bits. */
const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
};
