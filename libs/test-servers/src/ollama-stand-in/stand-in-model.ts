/** A model that the stand-in has, or could pull. */
export interface StandInModel {
  /** With its tag, such as `nomic-embed-text:latest`. */
  readonly name: string;
  /** SHA-256 in hex. A different digest makes different vectors. */
  readonly digest: string;
  readonly dimension: number;
  /** In tokens, including the two that frame a text. */
  readonly contextLength: number;
}

/** `nomic-embed-text`, as far as Portico can tell. */
export const nomicStandIn: StandInModel = {
  name: 'nomic-embed-text:latest',
  digest: '0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f',
  dimension: 768,
  contextLength: 2048,
};

/** The tokens that a model puts around every text. */
const framingTokens = 2;

/** The part of a text that is embedded; `tokens` includes the framing ones. */
export interface ReadText {
  readonly words: readonly string[];
  readonly tokens: number;
  /** Whether the text was longer than the model's context. */
  readonly isCut: boolean;
}

/**
 * A token is a run of letters, digits and underscores, or any other character that is not white space. A real model has
 * more tokens in most texts, but behaves the same at its limit.
 */
export const readText = (text: string, { contextLength }: StandInModel): ReadText => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const kept = words.slice(0, contextLength - framingTokens);
  return { words: kept, tokens: kept.length + framingTokens, isCut: kept.length < words.length };
};

/**
 * A bag of words, hashed into the dimensions, of length 1: texts that share words are near each other, a prefix is a
 * word like any other, and a text without words has the direction that all texts have in common.
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
  return normalised(sum);
};

/** Rounded to single precision, like the real server's numbers. A zero sum has no direction and gets one. */
export const normalised = (vector: readonly number[]): number[] => {
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
