import type { PackedLayout } from '@portico/domain';
import type { BlockLayout } from './block-layout.ts';

/** Views of one memory. */
export interface MemoryViews {
  readonly bytes: Uint8Array;
  readonly halves: Uint16Array;
  readonly words: Uint32Array;
}

/** What is written at a stretch: where memory is new, each page of it may take 20 µs. */
export const bytesAtOnce = 128 * 1024;
const itemsAtOnce = bytesAtOnce / 8;

/**
 * Writes packed operations, which begin at a multiple of 4 bytes, to `address`, but for what the kernel writes when it
 * measures their rows. Others may have their turn between two portions; the memory must not grow meanwhile.
 */
export const writeBlock = async (
  packed: Uint8Array,
  stored: PackedLayout,
  layout: BlockLayout,
  address: number,
  views: MemoryViews,
  othersTurn: () => Promise<void>,
): Promise<void> => {
  writeHeader(layout, address, views);
  const copies = [
    [packed.subarray(stored.dense, stored.scales), layout.rows],
    [packed.subarray(stored.features, stored.starts), layout.features],
    [packed.subarray(stored.starts, stored.weights), layout.starts],
    [packed.subarray(stored.names, stored.end), layout.names],
  ] as const;
  for (const [bytes, offset] of copies) {
    for (const [from, to] of portions(bytes.length, bytesAtOnce)) {
      views.bytes.set(bytes.subarray(from, to), address + offset + from);
      await othersTurn();
    }
  }
  await writeBuckets(layout, address, views, othersTurn);
  await writeEntries(packed, stored, layout, address, views, othersTurn);
};

/** In the order of `block-kernel.wat`. */
const writeHeader = (layout: BlockLayout, address: number, { words }: MemoryViews): void => {
  const { count, dimension, featureCount, bucketBits, fours, features, buckets, entries } = layout;
  const longest = 0;
  words.set([count, dimension, featureCount, 32 - bucketBits, longest, fours, features, buckets, entries], address / 4);
};

const writeBuckets = async (
  layout: BlockLayout,
  address: number,
  { words }: MemoryViews,
  othersTurn: () => Promise<void>,
): Promise<void> => {
  const { featureCount, bucketBits } = layout;
  const features = words.subarray((address + layout.features) / 4).subarray(0, featureCount);
  const buckets = words.subarray((address + layout.buckets) / 4).subarray(0, 2 ** bucketBits + 1);
  let bucket = 0;
  for (const [from, to] of portions(featureCount, itemsAtOnce)) {
    for (let place = from; place < to; place += 1) {
      const last = (features[place] ?? 0) >>> (32 - bucketBits);
      for (; bucket <= last; bucket += 1) buckets[bucket] = place;
    }
    await othersTurn();
  }
  buckets.fill(featureCount, bucket);
};

const writeEntries = async (
  packed: Uint8Array,
  stored: PackedLayout,
  { entries, entryCount }: BlockLayout,
  address: number,
  { halves }: MemoryViews,
  othersTurn: () => Promise<void>,
): Promise<void> => {
  const rows = new Uint16Array(packed.buffer, packed.byteOffset + stored.rows, entryCount);
  const weights = new Uint16Array(packed.buffer, packed.byteOffset + stored.weights, 2 * entryCount);
  let at = (address + entries) / 2;
  for (const [from, to] of portions(entryCount, itemsAtOnce)) {
    for (let entry = from; entry < to; entry += 1, at += 3) {
      halves[at] = rows[entry] ?? 0;
      halves[at + 1] = weights[2 * entry] ?? 0;
      halves[at + 2] = weights[2 * entry + 1] ?? 0;
    }
    await othersTurn();
  }
};

/** From where to where each portion goes. */
export function* portions(count: number, atOnce: number): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < count; from += atOnce) yield [from, Math.min(count, from + atOnce)];
}
