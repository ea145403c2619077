import type { OperationKey } from '../ids.ts';
import type { IndexedOperation } from './operation-block.ts';

/**
 * The vectors of a block's operations as an index compares them: dense ones in 8 bits a number, with a scale for each,
 * and sparse ones the other way round, from each feature to the operations that have it.
 */
export interface PackedOperations {
  readonly count: number;
  readonly dimension: number;
  readonly keys: readonly OperationKey[];
  readonly methods: readonly string[];
  /** `count` times `dimension`; times its row's scale, a number of the vector. */
  readonly dense: Int8Array;
  readonly scales: Float32Array;
  /** Distinct, ascending. */
  readonly features: Uint32Array;
  /** Where each feature's entries begin; one more for the end. */
  readonly starts: Uint32Array;
  /** Of each entry: the operation, by its place. */
  readonly rows: Uint16Array;
  readonly weights: Float32Array;
}

/** The format of `packed`: little-endian 32-bit numbers `version`, `count`, `dimension`, features and entries, then the parts. */
const version = 1;
const headerWords = 5;
const keyLength = 16;
const methodLength = 8;

/** Packs the vectors of at most 65,536 operations. All dense vectors have the same dimension. */
export const packOperations = (operations: readonly IndexedOperation[]): Uint8Array => {
  const dimension = operations[0]?.vector.dense.length ?? 0;
  const entries = operations
    .flatMap(({ vector: { sparse } }, row) =>
      Array.from(sparse.indices, (feature, i) => ({ feature, row, weight: sparse.weights[i] ?? 0 })),
    )
    .sort((x, y) => x.feature - y.feature || x.row - y.row);
  const features = [...new Set(entries.map(({ feature }) => feature))];
  const size = sizesOf({ count: operations.length, dimension, features: features.length, entries: entries.length });
  const bytes = new Uint8Array(size.end);
  const view = new DataView(bytes.buffer);
  [version, operations.length, dimension, features.length, entries.length].forEach((word, i) =>
    view.setUint32(4 * i, word, true),
  );
  operations.forEach(({ key, method, vector: { dense } }, row) => {
    const scale = Math.max(...dense.map(Math.abs)) / 127;
    view.setFloat32(size.scales + 4 * row, scale, true);
    dense.forEach((x, i) => view.setInt8(size.dense + row * dimension + i, scale === 0 ? 0 : Math.round(x / scale)));
    writeAscii(bytes, size.names + row * (keyLength + methodLength), `${key}${method.padEnd(methodLength)}`);
  });
  features.forEach((feature, i) => view.setUint32(size.features + 4 * i, feature, true));
  let feature = -1;
  entries.forEach((entry, i) => {
    if (i === 0 || entry.feature !== entries[i - 1]?.feature) view.setUint32(size.starts + 4 * ++feature, i, true);
    view.setFloat32(size.weights + 4 * i, entry.weight, true);
    view.setUint16(size.rows + 2 * i, entry.row, true);
  });
  view.setUint32(size.starts + 4 * features.length, entries.length, true);
  return bytes;
};

/** Returns copies, aligned for their types. Throws for what `packOperations` did not make. */
export const unpackOperations = (packed: Uint8Array): PackedOperations => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const words = Array.from({ length: headerWords }, (_, i) =>
    packed.byteLength < 4 * headerWords ? 0 : view.getUint32(4 * i, true),
  );
  const [found = 0, count = 0, dimension = 0, features = 0, entries = 0] = words;
  const size = sizesOf({ count, dimension, features, entries });
  if (found !== version || size.end !== packed.byteLength) throw new Error('A block of operations is not readable');
  const part = (start: number, end: number): ArrayBuffer => Uint8Array.from(packed.subarray(start, end)).buffer;
  const names = Array.from({ length: count }, (_, row) => readAscii(packed, size.names + row * 24, 24));
  return {
    count,
    dimension,
    keys: names.map((name) => name.slice(0, keyLength) as OperationKey),
    methods: names.map((name) => name.slice(keyLength).trimEnd()),
    dense: new Int8Array(part(size.dense, size.names)),
    scales: new Float32Array(part(size.scales, size.features)),
    features: new Uint32Array(part(size.features, size.starts)),
    starts: new Uint32Array(part(size.starts, size.weights)),
    weights: new Float32Array(part(size.weights, size.rows)),
    rows: new Uint16Array(part(size.rows, size.dense)),
  };
};

interface Counts {
  readonly count: number;
  readonly dimension: number;
  readonly features: number;
  readonly entries: number;
}

/** Where each part begins, in bytes. */
const sizesOf = ({ count, dimension, features, entries }: Counts) => {
  const scales = 4 * headerWords;
  const featuresAt = scales + 4 * count;
  const starts = featuresAt + 4 * features;
  const weights = starts + 4 * (features + 1);
  const rows = weights + 4 * entries;
  const dense = rows + 2 * entries;
  const names = dense + count * dimension;
  return { scales, features: featuresAt, starts, weights, rows, dense, names, end: names + count * 24 };
};

const writeAscii = (bytes: Uint8Array, at: number, text: string): void => {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
};

const readAscii = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
