import type { OperationKey } from '../ids.ts';
import type { IndexedOperation } from './operation-block.ts';

/** The maximum number of operations in one block. */
export const packedOperationsMax = 65_536;

/**
 * The byte offsets of the parts of packed operations, and how many items they contain. Numbers are little-endian and
 * aligned, so that an index can read them in place.
 */
export interface PackedLayout {
  /** The number of operations, which are sorted by key, ascending. */
  readonly count: number;
  /** The dimension of the dense vectors, a multiple of 16. */
  readonly dimension: number;
  /** The number of distinct features of the operations. */
  readonly featureCount: number;
  /** The number of features, counting each feature once for each operation that has it. */
  readonly entryCount: number;
  /**
   * The dense vectors: `count` times `dimension` i8; each, multiplied by its row's scale, is one dimension of the vector.
   */
  readonly dense: number;
  /** The scale of each row: `count` f32. */
  readonly scales: number;
  /** The features: `featureCount` u32, ascending. */
  readonly features: number;
  /** The start of each feature's entries, and the end of the last one's: `featureCount` + 1 u32. */
  readonly starts: number;
  /** The weight of each entry: `entryCount` f32. */
  readonly weights: number;
  /** The index of each entry's operation, ascending within a feature: `entryCount` u16. */
  readonly rows: number;
  /** The key in 16 ASCII characters and the method in 8, padded with spaces: `count` times. */
  readonly names: number;
  /** The total length. */
  readonly end: number;
}

export const keyLength = 16;
export const methodLength = 8;
export const nameLength = keyLength + methodLength;

/** The version of the format. An index cannot read a different version, so the model's id must change with it. */
const version = 1;
/** `version`, `count`, `dimension`, `featureCount` and `entryCount` as u32, and three reserved numbers that are 0. */
const headerLength = 32;

/**
 * Packs the vectors of at most 65,536 operations, sorted by key, ascending: dense vectors with 8 bits per dimension and
 * one scale per vector, and sparse vectors inverted, from each feature to the operations that have it.
 */
export const packOperations = (operations: readonly IndexedOperation[]): Uint8Array => {
  const packing = new OperationPacking();
  packing.add(operations);
  return packing.pack();
};

/** Operations that were added together: about 700 bytes for each, a third of the size of its vector. */
interface Batch {
  readonly levels: Int8Array;
  readonly scales: Float32Array;
  /** The sparse vectors, one after another. */
  readonly features: Uint32Array;
  readonly weights: Float32Array;
}

/** An operation in a batch. */
interface Row {
  readonly key: OperationKey;
  readonly method: string;
  readonly batch: Batch;
  /** The operation's index in the batch. */
  readonly index: number;
  /** The start and end of the operation's sparse vector. */
  readonly from: number;
  readonly to: number;
}

/** Like `packOperations`, for operations that are added in several batches, and need not be kept in memory. */
export class OperationPacking {
  readonly #rows: Row[] = [];
  #dimension = 0;

  get count(): number {
    return this.#rows.length;
  }

  /** Adds operations. Throws a `RangeError` if no block can contain them; operations added before are kept. */
  add(operations: readonly IndexedOperation[]): void {
    const dimension = this.count === 0 ? (operations[0]?.vector.dense.length ?? 0) : this.#dimension;
    assertPackable(operations, dimension, this.count);
    this.#dimension = dimension;
    const batch = {
      levels: new Int8Array(operations.length * dimension),
      scales: new Float32Array(operations.length),
      ...createEmptyFeatures(operations.reduce((sum, { vector }) => sum + vector.sparse.indices.length, 0)),
    };
    let from = 0;
    for (const [index, { key, method, vector }] of operations.entries()) {
      const { dense, sparse } = vector;
      batch.scales[index] = quantise(dense, batch.levels.subarray(index * dimension, (index + 1) * dimension));
      batch.features.set(sparse.indices, from);
      batch.weights.set(sparse.weights, from);
      const to = from + sparse.indices.length;
      this.#rows.push({ key, method, batch, index, from, to });
      from = to;
    }
  }

  /** Packs the operations that were added. */
  pack(): Uint8Array {
    const rows = this.#rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const entries = entriesOf(rows);
    const order = sortIndices(entries.features);
    const [count, dimension, entryCount] = [rows.length, this.#dimension, order.length];
    const layout = layoutOf({ count, dimension, entryCount, featureCount: countDistinct(entries.features, order) });
    const bytes = new Uint8Array(layout.end);
    new Uint32Array(bytes.buffer, 0, 5).set([version, count, dimension, layout.featureCount, entryCount]);
    writeEntries(bytes, layout, entries, order);
    writeRows(bytes, layout, rows);
    return bytes;
  }
}

/** Returns the layout of these packed operations. Throws if they were not packed by `packOperations`. */
export const readPackedLayout = (packed: Uint8Array): PackedLayout => {
  const isComplete = packed.byteLength >= headerLength;
  const header = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const readWord = (index: number): number => (isComplete ? header.getUint32(4 * index, true) : 0);
  const layout = layoutOf({
    count: readWord(1),
    dimension: readWord(2),
    featureCount: readWord(3),
    entryCount: readWord(4),
  });
  if (readWord(0) !== version || layout.end !== packed.byteLength)
    throw new Error('A block of operations is unreadable');
  return layout;
};

/** Returns the packed operations, sorted by key, ascending; the dense vectors have a precision of 8 bits. */
export const unpackOperations = (packed: Uint8Array): readonly IndexedOperation[] => {
  const layout = readPackedLayout(packed);
  const { buffer, byteOffset } = packed.byteOffset % 4 === 0 ? packed : packed.slice();
  const { count, dimension, entryCount } = layout;
  const dense = new Int8Array(buffer, byteOffset + layout.dense, count * dimension);
  const scales = new Float32Array(buffer, byteOffset + layout.scales, count);
  const rows = new Uint16Array(buffer, byteOffset + layout.rows, entryCount);
  const weights = new Float32Array(buffer, byteOffset + layout.weights, entryCount);
  const features = new Uint32Array(buffer, byteOffset + layout.features, layout.featureCount);
  const starts = new Uint32Array(buffer, byteOffset + layout.starts, layout.featureCount + 1);
  const sparse = Array.from({ length: count }, () => ({ indices: [] as number[], weights: [] as number[] }));
  features.forEach((feature, i) => {
    for (let entry = starts[i] ?? 0; entry < (starts[i + 1] ?? 0); entry += 1) {
      const vector = sparse[rows[entry] ?? 0];
      vector?.indices.push(feature);
      vector?.weights.push(weights[entry] ?? 0);
    }
  });
  return sparse.map((vector, row) => {
    const name = readAscii(packed, layout.names + row * nameLength, nameLength);
    const scale = scales[row] ?? 0;
    return {
      key: name.slice(0, keyLength) as OperationKey,
      method: name.slice(keyLength).trimEnd(),
      vector: {
        dense: dequantise(dense.subarray(row * dimension, (row + 1) * dimension), scale),
        sparse: { indices: Uint32Array.from(vector.indices), weights: Float32Array.from(vector.weights) },
      },
    };
  });
};

const dequantise = (levels: Int8Array, scale: number): Float32Array => {
  const vector = Float32Array.from(levels);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) * scale;
  return vector;
};

/**
 * Throws a `RangeError` unless a block can contain these operations; `count` is the number of operations added before.
 */
const assertPackable = (operations: readonly IndexedOperation[], dimension: number, count: number): void => {
  if (count + operations.length > packedOperationsMax)
    throw new RangeError(`A block has at most ${packedOperationsMax} operations`);
  if (dimension % 16 !== 0) throw new RangeError(`The dimension ${dimension} is not a multiple of 16`);
  for (const { key, method, vector } of operations) {
    if (vector.dense.length !== dimension) throw new RangeError('The vectors of a block differ in their dimension');
    if (key.length !== keyLength || method.length > methodLength) {
      throw new RangeError(`An operation cannot be packed under the name ${method} ${key}`);
    }
  }
};

const layoutOf = (counts: Pick<PackedLayout, 'count' | 'dimension' | 'featureCount' | 'entryCount'>): PackedLayout => {
  const { count, dimension, featureCount, entryCount } = counts;
  const dense = headerLength;
  const scales = dense + count * dimension;
  const features = scales + 4 * count;
  const starts = features + 4 * featureCount;
  const weights = starts + 4 * (featureCount + 1);
  const rows = weights + 4 * entryCount;
  const names = rows + 4 * Math.ceil(entryCount / 2);
  return { ...counts, dense, scales, features, starts, weights, rows, names, end: names + count * nameLength };
};

/** The features of all operations, each with its weight and its row. */
interface Entries {
  readonly features: Uint32Array;
  readonly weights: Float32Array;
  readonly rows: Uint16Array;
}

const createEmptyFeatures = (length: number): Pick<Entries, 'features' | 'weights'> => ({
  features: new Uint32Array(length),
  weights: new Float32Array(length),
});

/** Returns the entries by ascending row. */
const entriesOf = (rows: readonly Row[]): Entries => {
  const total = rows.reduce((sum, { from, to }) => sum + to - from, 0);
  const entries = { ...createEmptyFeatures(total), rows: new Uint16Array(total) };
  let offset = 0;
  for (const [row, { batch, from, to }] of rows.entries()) {
    entries.features.set(batch.features.subarray(from, to), offset);
    entries.weights.set(batch.weights.subarray(from, to), offset);
    entries.rows.fill(row, offset, offset + to - from);
    offset += to - from;
  }
  return entries;
};

/** Returns the number of distinct values, given their ascending order. */
const countDistinct = (numbers: Uint32Array, order: Uint32Array): number => {
  let count = 0;
  for (let i = 0; i < order.length; i += 1) {
    if (i === 0 || numbers[order[i] ?? 0] !== numbers[order[i - 1] ?? 0]) count += 1;
  }
  return count;
};

/** Writes the entries in this order, by ascending feature. */
const writeEntries = (
  bytes: Uint8Array<ArrayBuffer>,
  layout: PackedLayout,
  entries: Entries,
  order: Uint32Array,
): void => {
  const { featureCount, entryCount } = layout;
  const features = new Uint32Array(bytes.buffer, layout.features, featureCount);
  const starts = new Uint32Array(bytes.buffer, layout.starts, featureCount + 1);
  const weights = new Float32Array(bytes.buffer, layout.weights, entryCount);
  const rows = new Uint16Array(bytes.buffer, layout.rows, entryCount);
  let [count, last] = [0, -1];
  for (let to = 0; to < entryCount; to += 1) {
    const from = order[to] ?? 0;
    const feature = entries.features[from] ?? 0;
    if (feature !== last) {
      features[count] = feature;
      starts[count] = to;
      count += 1;
      last = feature;
    }
    weights[to] = entries.weights[from] ?? 0;
    rows[to] = entries.rows[from] ?? 0;
  }
  starts[count] = entryCount;
};

const writeRows = (bytes: Uint8Array<ArrayBuffer>, layout: PackedLayout, rows: readonly Row[]): void => {
  const { dimension } = layout;
  const dense = new Int8Array(bytes.buffer, layout.dense, rows.length * dimension);
  const scales = new Float32Array(bytes.buffer, layout.scales, rows.length);
  for (const [row, { key, method, batch, index }] of rows.entries()) {
    dense.set(batch.levels.subarray(index * dimension, (index + 1) * dimension), row * dimension);
    scales[row] = batch.scales[index] ?? 0;
    writeAscii(bytes, layout.names + row * nameLength, key + method.padEnd(methodLength));
  }
};

const digitBits = 11;
const digitMask = (1 << digitBits) - 1;

/**
 * Returns the indices of these numbers in ascending order, with equal numbers in their original order: a radix sort
 * that starts with the last digit.
 */
const sortIndices = (numbers: Uint32Array): Uint32Array => {
  const { length } = numbers;
  let [order, next] = [new Uint32Array(length), new Uint32Array(length)];
  for (let index = 0; index < length; index += 1) order[index] = index;
  for (let shift = 0; shift < 32; shift += digitBits) {
    const starts = new Uint32Array(digitMask + 2);
    for (let index = 0; index < length; index += 1) {
      const digit = ((numbers[index] ?? 0) >>> shift) & digitMask;
      starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
    }
    for (let digit = 1; digit <= digitMask; digit += 1) {
      starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0);
    }
    for (let i = 0; i < length; i += 1) {
      const index = order[i] ?? 0;
      const digit = ((numbers[index] ?? 0) >>> shift) & digitMask;
      const to = starts[digit] ?? 0;
      next[to] = index;
      starts[digit] = to + 1;
    }
    [order, next] = [next, order];
  }
  return order;
};

/** Writes the dimensions of a vector as multiples (-127 to 127) of a scale; returns the scale. */
export const quantise = (vector: Float32Array, levels: Int8Array): number => {
  let maxMagnitude = 0;
  for (let i = 0; i < vector.length; i += 1) {
    const magnitude = Math.abs(vector[i] ?? 0);
    if (magnitude > maxMagnitude) maxMagnitude = magnitude;
  }
  const factor = maxMagnitude === 0 ? 0 : 127 / maxMagnitude;
  for (let i = 0; i < vector.length; i += 1) levels[i] = Math.floor((vector[i] ?? 0) * factor + 0.5);
  return maxMagnitude / 127;
};

const writeAscii = (bytes: Uint8Array, offset: number, text: string): void => {
  for (let i = 0; i < text.length; i += 1) bytes[offset + i] = text.charCodeAt(i);
};

const readAscii = (bytes: Uint8Array, offset: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(offset, offset + length));
