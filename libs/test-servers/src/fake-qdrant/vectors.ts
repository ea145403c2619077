import { countOf, type Json, type JsonObject, listOf, numbersOf, objectOf } from './json-shapes.ts';
import { formatError, invalid, wrongInput } from './request-error.ts';

/** All numbers of a dense vector, or the non-zero numbers of a sparse vector by index. */
export type Vector = Float32Array | ReadonlyMap<number, number>;

export interface VectorConfig {
  readonly size: number;
  readonly distance: string;
}

/** The vectors that each point may have, by name. An unnamed vector has the name ''. */
export interface VectorConfigs {
  readonly dense: ReadonlyMap<string, VectorConfig>;
  readonly sparse: ReadonlySet<string>;
}

export const readVectorConfigs = ({ vectors, sparse_vectors }: JsonObject): VectorConfigs => {
  const config = objectOf(vectors ?? {}, 'the vectors');
  const byName = typeof config.size === 'number' ? { '': config } : config;
  return {
    dense: new Map(Object.entries(byName).map(([name, value]) => [name, readVectorConfig(value)])),
    sparse: new Set(Object.keys(objectOf(sparse_vectors ?? {}, 'the sparse vectors'))),
  };
};

const readVectorConfig = (value: Json | undefined): VectorConfig => {
  const { size: declaredSize, distance } = objectOf(value, 'the vectors');
  if (typeof distance !== 'string' || !['Cosine', 'Euclid', 'Dot', 'Manhattan'].includes(distance)) {
    throw formatError('unknown variant, expected one of `Cosine`, `Euclid`, `Dot`, `Manhattan`');
  }
  const size = countOf(declaredSize, 'size');
  if (size === 0) throw wrongInput('Vector size must be at least 1');
  if (size > 65_536) throw invalid('vectors.size', `value ${size} invalid, must be from 1 to 65536`);
  return { size, distance };
};

/** Reads the vectors of a point by name, or its single unnamed vector. */
export const readVectors = (configs: VectorConfigs, value: Json | undefined): ReadonlyMap<string, Vector> => {
  const byName = Array.isArray(value) ? { '': value as Json } : objectOf(value, 'a vector');
  return new Map(Object.entries(byName).map(([name, vector]) => [name, readVector(configs, name, vector)]));
};

export const readVector = ({ dense, sparse }: VectorConfigs, name: string, value: Json | undefined): Vector => {
  if (sparse.has(name)) return readSparse(value);
  const config = dense.get(name);
  if (!config) throw wrongInput(`Not existing vector name error: ${name}`);
  const numbers = numbersOf(value);
  if (numbers.length !== config.size) {
    throw wrongInput(`Vector dimension error: expected dim: ${config.size}, got ${numbers.length}`);
  }
  const vector = Float32Array.from(numbers);
  return config.distance === 'Cosine' ? unitVector(vector) : vector;
};

const readSparse = (value: Json | undefined): Vector => {
  const { indices, values } = objectOf(value, 'a sparse vector');
  const [positions, numbers] = [
    listOf(indices, 'indices').map((index) => countOf(index, 'an index')),
    numbersOf(values),
  ];
  if (positions.length !== numbers.length) throw invalid('values', 'must be the same length as indices');
  if (new Set(positions).size < positions.length) throw invalid('indices', 'must be unique');
  return new Map(positions.map((position, i) => [position, Math.fround(numbers[i] ?? 0)]));
};

/**
 * Returns the dot product in 32 bits, as the real server does; null for sparse vectors without a common index, which
 * never match.
 */
export const dot = (x: Vector, y: Vector): number | null => {
  let [sum, common] = [0, 0];
  if (x instanceof Float32Array && y instanceof Float32Array) {
    for (let i = 0; i < x.length; i += 1) sum += (x[i] ?? 0) * (y[i] ?? 0);
    return shortestDecimal(Math.fround(sum));
  }
  for (const [index, weight] of x.entries()) {
    const other = y instanceof Float32Array ? undefined : y.get(index);
    if (other === undefined) continue;
    sum += weight * other;
    common += 1;
  }
  return common === 0 ? null : shortestDecimal(Math.fround(sum));
};

/** Scales a vector to length 1. Vectors of length zero are not changed. */
const unitVector = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return length < 1e-9 ? vector : vector.map((x) => x / length);
};

/** Returns the number with the fewest digits that still identifies this 32-bit float, as the real server does. */
const shortestDecimal = (float: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
};
