import { expect, test } from 'vitest';
import { smallTable, smallTableBytes } from '../test/small-table.ts';
import { readWordTable } from './word-table.ts';

const yieldToEventLoop = async () => undefined;
const words = [
  { word: 'rain', vector: [1, -7, 7], weight: 255, rarity: 160 },
  { word: 'rains', vector: [2], weight: 51, rarity: 0 },
  { word: 'x', vector: [], weight: 0, rarity: 255 },
];

test('each word is found by its text, and no other text is found', async () => {
  const table = await smallTable(words);
  expect(words.map(({ word }) => table.find(word))).toEqual([0, 1, 2]);
  for (const absentWord of ['', 'rai', 'rainy', 'RAIN', 'railn', 'x\n', 'rain\nrains', 'räin']) {
    expect(table.find(absentWord)).toBe(-1);
  }
  expect([0, 1, 2].map((index) => table.wordAt(index))).toEqual(['rain', 'rains', 'x']);
});

test('weights, rarities and vectors are read from the file', async () => {
  const table = await smallTable(words);
  expect([0, 1, 2].map((index) => table.weightOf(index))).toEqual([1, 0.2, 0]);
  expect([0, 1, 2].map((index) => table.rarityOf(index))).toEqual([160, 0, 255]);
  const sum = new Float64Array(table.dimension);
  table.add(sum, 0, 1);
  table.add(sum, 1, 0.5);
  expect([...sum.subarray(0, 4)]).toEqual([2, -7, 7, 0]);
});

/** The bits of a 16-bit float, and its value (IEEE 754, table of examples). */
test.each([
  [0x3c00, 1],
  [0x3555, 0.333251953125],
  [0x0001, 2 ** -24],
  [0x03ff, 1023 * 2 ** -24],
  [0x0400, 2 ** -14],
  [0x7bff, 65504],
  [0xbc00, -1],
])('a scale with the bits %i is %d', async (bits, value) => {
  const bytes = smallTableBytes([{ word: 'a', vector: [1] }]);
  bytes.set([bits & 255, bits >> 8], 20 + 2 + 1 + 1);
  const table = await readWordTable(bytes, yieldToEventLoop);
  const sum = new Float64Array(table.dimension);
  table.add(sum, 0, 1);
  expect(sum[0]).toBe(value);
});

test('a table of 65,535 words is read, and a larger one is rejected', async () => {
  const createTable = (size: number) => smallTable(Array.from({ length: size }, (_, i) => `w${i}`));
  const table = await createTable(65_535);
  expect(table.find('w65534')).toBe(65_534);
  await expect(createTable(65_536)).rejects.toThrow('at most 65,535 words');
});

test('reading a large table yields to the event loop', async () => {
  let ticks = 0;
  await readWordTable(smallTableBytes(Array.from({ length: 30_000 }, (_, i) => ({ word: `w${i}` }))), async () => {
    ticks += 1;
  });
  expect(ticks).toBeGreaterThanOrEqual(3);
});

const tableBytes = smallTableBytes(words);
const withByte = (position: number, byte: number) =>
  Uint8Array.from(tableBytes, (oldByte, i) => (i === position ? byte : oldByte));

test.each<[string, Uint8Array, RegExp]>([
  ['nothing', new Uint8Array(0), /not a table of word vectors/],
  ['a different file', new TextEncoder().encode('version https://git-lfs.github.com/spec/v1'), /not a table/],
  ['a truncated table', tableBytes.subarray(0, -1), /its header says/],
  ['a table with trailing data', Uint8Array.from([...tableBytes, 0]), /its header says/],
  ['a dimension that is not a multiple of 32', withByte(12, 33), /its header says/],
  ['fewer words than the header says', withByte(24, 65), /2 words; its header says 3/],
])('%s is rejected', async (_name, bytes, message) => {
  await expect(readWordTable(bytes, yieldToEventLoop)).rejects.toThrow(message);
});
