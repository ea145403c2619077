import { type Embedder, embeddingDimension, type EmbeddingPurpose } from '@portico/domain';
import { commonStems } from './common-stems.ts';
import { stem } from './stem.ts';
import { removeMarkup, wordsOf } from './words.ts';

/**
 * Creates the built-in embedder of earlier versions. After an upgrade, searches use it until everything has been
 * embedded again, and the search evaluation uses it for comparison. It hashes stems and their trigrams into signed
 * dimensions (Weinberger et al., 2009): texts that share words, parts of words or misspelled words are similar. It does
 * not handle synonyms. A document's first line, its name, weighs more than half as much as the rest. The rest may be
 * HTML or Markdown.
 */
export const createLexicalEmbedder = (): Embedder => ({
  getModelId: async () => modelId,
  embed: async (texts, purpose) => ({ modelId, vectors: texts.map((text) => embedText(text, purpose)) }),
  check: async () => undefined,
});

const modelId = 'portico-lexical-1';
const nameWeight = 0.6;
/** The total weight of a word's trigrams, relative to the weight of the word. */
const trigramsWeight = 2.25;
/** The weight added by each e-fold increase in a word's count. */
const repetitionWeight = 0.5;

const stemWeights: ReadonlyMap<string, number> = new Map(
  Object.entries(commonStems).flatMap(([tenths, stems]) =>
    // If the weight were 0, the vector of a text that consists of only such words would have no direction.
    stems.split(' ').map((key) => [key, Math.max(0.02, Number(tenths) / 10)] as const),
  ),
);

const embedText = (text: string, purpose: EmbeddingPurpose): Float32Array => {
  const nameEnd = purpose === 'document' ? text.indexOf('\n') : -1;
  const sum =
    nameEnd < 0
      ? createFieldVector(text)
      : combine(createFieldVector(text.slice(0, nameEnd)), createFieldVector(removeMarkup(text.slice(nameEnd + 1))));
  const length = lengthOf(sum);
  if (length === 0) {
    addFeature(sum, hashOf(text.trim(), 0, text.trim().length, seeds.text), 1);
    return Float32Array.from(sum);
  }
  return Float32Array.from(sum, (x) => x / length);
};

const combine = (name: Float64Array, description: Float64Array): Float64Array =>
  description.map((x, i) => x + nameWeight * (name[i] ?? 0));

/** Returns the features of one field, normalised to unit length, or zeros if there are none. */
const createFieldVector = (text: string): Float64Array => {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) {
    const key = stem(word);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sum = new Float64Array(embeddingDimension);
  for (const [key, count] of counts) {
    addStem(sum, key, (stemWeights.get(key) ?? 1) * (1 + repetitionWeight * Math.log(count)));
  }
  const length = lengthOf(sum);
  return length === 0 ? sum : sum.map((x) => x / length);
};

const addStem = (sum: Float64Array, key: string, weight: number): void => {
  addFeature(sum, hashOf(key, 0, key.length, seeds.stem), weight);
  const boundedStem = `<${key}>`;
  const trigrams = boundedStem.length - 2;
  // The only trigram of a single character is the character itself.
  for (let i = 0; trigrams > 1 && i < trigrams; i += 1) {
    addFeature(sum, hashOf(boundedStem, i, i + 3, seeds.trigram), (weight * trigramsWeight) / Math.sqrt(trigrams));
  }
};

/** Adds a hashed feature: the lowest bit of the hash gives the sign, and the others give the dimension. */
const addFeature = (sum: Float64Array, hash: number, weight: number): void => {
  const dimension = (hash >>> 1) % embeddingDimension;
  sum[dimension] = (sum[dimension] ?? 0) + (hash & 1 ? weight : -weight);
};

const lengthOf = (vector: Float64Array): number => {
  let squares = 0;
  for (const x of vector) {
    squares += x * x;
  }
  return Math.sqrt(squares);
};

/** Separate seeds, so that a stem and a trigram with the same letters are different features. */
const seeds = { stem: 0x811c9dc5, trigram: 0x2f0b4c47, text: 0x5bd1e995 } as const;

/** FNV-1a over UTF-16 code units, followed by the finalizer of MurmurHash3. Returns an unsigned 32-bit number. */
const hashOf = (text: string, start: number, end: number, seed: number): number => {
  let hash: number = seed;
  for (let i = start; i < end; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
