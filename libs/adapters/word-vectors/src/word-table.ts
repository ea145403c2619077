import { fnv1a, mixBits } from './fnv1a.ts';

/**
 * A table of word vectors, as written by `tools/embedder`. The format is little-endian: the text `PWORDS01`; three
 * 32-bit numbers: the number of words n, of dimensions d (a multiple of 32), and of bytes in the vocabulary; the
 * vocabulary, with a line feed after each word; n bytes of weight (255 is the rarest in texts about APIs), n bytes of
 * rarity (-16 ln of the share among all words, at most 255), n × d/32 scales as 16-bit floats, and n × d/2 bytes of
 * codes, two numbers each.
 */
export interface WordTable {
  readonly dimension: number;
  readonly size: number;
  /** Returns the index of a word, or -1. */
  find(word: string): number;
  wordAt(index: number): string;
  /** How informative a word is in texts about APIs, from 0 to 1. */
  weightOf(index: number): number;
  /** -16 ln of the word's share among all words of English and of texts about APIs. */
  rarityOf(index: number): number;
  /** Adds a word's vector, multiplied by `factor`, to `sum`. */
  add(sum: Float64Array, index: number, factor: number): void;
}

const magic = 'PWORDS01';
const headerBytes = 20;
const blockSize = 32;
const sizeMax = 65_535;

/** Reads a table of words. Calls `yieldToEventLoop` between batches. Throws if the bytes are not such a table. */
export const readWordTable = async (bytes: Uint8Array, yieldToEventLoop: () => Promise<void>): Promise<WordTable> => {
  const { size, dimension, vocabulary, weights, rarities, scales, codes } = partsOf(bytes);
  const starts = startsOf(vocabulary, size);
  const slots = await slotsOf(vocabulary, starts, yieldToEventLoop);
  const mask = slots.length - 1;
  const blocks = dimension / blockSize;

  const endOf = (index: number): number => (starts[index + 1] ?? 1) - 1;
  const isAt = (word: string, index: number): boolean => {
    const start = starts[index] ?? 0;
    return endOf(index) - start === word.length && vocabulary.startsWith(word, start);
  };

  return {
    dimension,
    size,
    find(word) {
      for (let slot = mixBits(fnv1a(word, 0, word.length)) & mask; ; slot = (slot + 1) & mask) {
        const index = (slots[slot] ?? 0) - 1;
        if (index < 0 || isAt(word, index)) return index;
      }
    },
    wordAt: (index) => vocabulary.slice(starts[index], endOf(index)),
    weightOf: (index) => (weights[index] ?? 255) / 255,
    rarityOf: (index) => rarities[index] ?? 255,
    add(sum, index, factor) {
      for (let block = 0; block < blocks; block += 1) {
        const scale = factor * readHalfFloat(scales, index * blocks + block);
        const start = (index * dimension + block * blockSize) / 2;
        for (let i = 0; i < blockSize; i += 2) {
          const pair = codes[start + i / 2] ?? 0;
          const position = block * blockSize + i;
          sum[position] = (sum[position] ?? 0) + scale * ((pair & 15) - 8);
          sum[position + 1] = (sum[position + 1] ?? 0) + scale * ((pair >> 4) - 8);
        }
      }
    },
  };
};

const partsOf = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headerBytes || decodeLatin1(bytes.subarray(0, magic.length)) !== magic) {
    throw new Error('This is not a table of word vectors');
  }
  const [size, dimension, textBytes] = [8, 12, 16].map((offset) => view.getUint32(offset, true)) as [
    number,
    number,
    number,
  ];
  if (size > sizeMax) throw new Error(`A table of word vectors has at most 65,535 words, not ${size}`);
  const sizes = [textBytes, size, size, (size * dimension) / 16, (size * dimension) / 2];
  const total = sizes.reduce((sum, length) => sum + length, headerBytes);
  if (dimension % blockSize !== 0 || total !== bytes.length) {
    throw new Error(`The table of word vectors has ${bytes.length} bytes; its header says ${total}`);
  }
  let position = headerBytes;
  const [text, weights, rarities, scales, codes] = sizes.map((length) => {
    position += length;
    return bytes.subarray(position - length, position);
  }) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  return { size, dimension, vocabulary: decodeLatin1(text), weights, rarities, scales, codes };
};

/** Decodes each byte to one character. The string is flat. */
const decodeLatin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** Returns the offset of each word in the vocabulary, followed by the end of the vocabulary. */
const startsOf = (vocabulary: string, size: number): Uint32Array => {
  const starts = new Uint32Array(size + 1);
  let word = 0;
  for (let position = vocabulary.indexOf('\n'); position >= 0; position = vocabulary.indexOf('\n', position + 1))
    starts[(word += 1)] = position + 1;
  if (word !== size) throw new Error(`The table of word vectors has ${word} words; its header says ${size}`);
  return starts;
};

/** Inserting this many words takes a fraction of a millisecond. */
const batchSize = 500;

/** Creates a hash table with open addressing: each slot contains the index of a word + 1, or 0. */
const slotsOf = async (vocabulary: string, starts: Uint32Array, yieldToEventLoop: () => Promise<void>) => {
  const size = starts.length - 1;
  const slots = new Uint16Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const mask = slots.length - 1;
  for (let index = 0; index < size; index += 1) {
    if (index % batchSize === 0) await yieldToEventLoop();
    let slot = mixBits(fnv1a(vocabulary, starts[index] ?? 0, (starts[index + 1] ?? 1) - 1)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
  }
  return slots;
};

/** Returns the exact value of the 16-bit float (IEEE 754) at this index. */
const readHalfFloat = (halves: Uint8Array, index: number): number => {
  const bits = (halves[2 * index] ?? 0) | ((halves[2 * index + 1] ?? 0) << 8);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  return sign * (fraction + (exponent === 0 ? 0 : 1024)) * (unitByExponent[exponent] ?? 0);
};

/**
 * The value of the last bit of the fraction: 2^-24 for the exponents 0 and 1, then twice the previous value for each
 * further exponent.
 */
const unitByExponent = Array.from({ length: 32 }, (_, exponent) => (1 << Math.max(0, exponent - 1)) / (1 << 24));
