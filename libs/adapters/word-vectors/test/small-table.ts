import { readWordTable, type WordTable } from '../src/word-table.ts';

export interface SmallWord {
  readonly word: string;
  /** The first components of the vector, integers from -7 to 7; the others are 0. */
  readonly vector?: readonly number[];
  /** The weight, at most 255 for the rarest words. */
  readonly weight?: number;
  readonly rarity?: number;
}

export const dimension = 32;

const yieldToEventLoop = async () => undefined;

/** Returns the bytes of a table of these words, in the format of `word-table.ts`, with every scale set to 1. */
export const smallTableBytes = (words: readonly SmallWord[]): Uint8Array => {
  const vocabulary = Buffer.from(words.map(({ word }) => `${word}\n`).join(''));
  const header = Buffer.alloc(20);
  header.write('PWORDS01');
  [words.length, dimension, vocabulary.length].forEach((number, i) => header.writeUInt32LE(number, 8 + 4 * i));
  const scaleOfOne = [0x00, 0x3c];
  const codes = ({ vector = [] }: SmallWord) =>
    Array.from({ length: dimension / 2 }, (_, i) => ((vector[2 * i] ?? 0) + 8) | (((vector[2 * i + 1] ?? 0) + 8) << 4));
  return Uint8Array.from([
    ...header,
    ...vocabulary,
    ...words.map(({ weight = 255 }) => weight),
    ...words.map(({ rarity = 160 }) => rarity),
    ...words.flatMap(() => scaleOfOne),
    ...words.flatMap(codes),
  ]);
};

export const smallTable = (words: readonly (SmallWord | string)[]): Promise<WordTable> =>
  readWordTable(smallTableBytes(words.map((word) => (typeof word === 'string' ? { word } : word))), yieldToEventLoop);
