import { countOf, type Json, type JsonObject, listOf, numbersOf, objectOf } from './json-shapes.ts';
import { createFormatError, createValidationError, createWrongInputError } from './request-error.ts';

/** All components of a dense vector, or the non-zero components of a sparse vector by index. */
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
  const configsByName = typeof config.size === 'number' ? { '': config } : config;
  return {
    dense: new Map(Object.entries(configsByName).map(([name, value]) => [name, readVectorConfig(value)])),
    sparse: new Set(Object.keys(objectOf(sparse_vectors ?? {}, 'the sparse vectors'))),
  };
};

const readVectorConfig = (value: Json | undefined): VectorConfig => {
  const { size: declaredSize, distance } = objectOf(value, 'the vectors');
  if (typeof distance !== 'string' || !['Cosine', 'Euclid', 'Dot', 'Manhattan'].includes(distance)) {
    throw createFormatError('unknown variant, expected one of `Cosine`, `Euclid`, `Dot`, `Manhattan`');
  }
  const size = countOf(declaredSize, 'size');
  if (size === 0) throw createWrongInputError('Vector size must be at least 1');
  if (size > 65_536) throw createValidationError('vectors.size', `value ${size} invalid, must be from 1 to 65536`);
  return { size, distance };
};

/** Reads the vectors of a point by name, or its single unnamed vector. */
export const readVectors = (configs: VectorConfigs, value: Json | undefined): ReadonlyMap<string, Vector> => {
  const vectorsByName = Array.isArray(value) ? { '': value as Json } : objectOf(value, 'a vector');
  return new Map(Object.entries(vectorsByName).map(([name, vector]) => [name, readVector(configs, name, vector)]));
};

export const readVector = ({ dense, sparse }: VectorConfigs, name: string, value: Json | undefined): Vector => {
  if (sparse.has(name)) return readSparse(value);
  const config = dense.get(name);
  if (!config) throw createWrongInputError(`Not existing vector name error: ${name}`);
  const numbers = numbersOf(value);
  if (numbers.length !== config.size) {
    throw createWrongInputError(`Vector dimension error: expected dim: ${config.size}, got ${numbers.length}`);
  }
  const vector = Float32Array.from(numbers);
  return config.distance === 'Cosine' ? toUnitVector(vector) : vector;
};

const readSparse = (value: Json | undefined): Vector => {
  const { indices, values } = objectOf(value, 'a sparse vector');
  const [positions, numbers] = [
    listOf(indices, 'indices').map((index) => countOf(index, 'an index')),
    numbersOf(values),
  ];
  if (positions.length !== numbers.length) throw createValidationError('values', 'must be the same length as indices');
  if (new Set(positions).size < positions.length) throw createValidationError('indices', 'must be unique');
  return new Map(positions.map((position, i) => [position, Math.fround(numbers[i] ?? 0)]));
};

/**
 * Returns the dot product in 32 bits, as the real server does; null for sparse vectors without a common index, which
 * never match.
 */
export const computeDotProduct = (x: Vector, y: Vector): number | null => {
  let [sum, commonCount] = [0, 0];
  if (x instanceof Float32Array && y instanceof Float32Array) {
    for (let i = 0; i < x.length; i += 1) sum += (x[i] ?? 0) * (y[i] ?? 0);
    return toShortestDecimal(Math.fround(sum));
  }
  for (const [index, weight] of x.entries()) {
    const otherWeight = y instanceof Float32Array ? undefined : y.get(index);
    if (otherWeight === undefined) continue;
    sum += weight * otherWeight;
    commonCount += 1;
  }
  return commonCount === 0 ? null : toShortestDecimal(Math.fround(sum));
};

/** Scales a vector to unit length. Zero vectors are not changed. */
const toUnitVector = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return length < 1e-9 ? vector : vector.map((x) => x / length);
};

/** Returns the number with the fewest digits that still identifies this 32-bit float, as the real server does. */
const toShortestDecimal = (float: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const rounded = Number(float.toPrecision(digits));
    if (Math.fround(rounded) === float) return rounded;
  }
  return Number(float.toPrecision(9));
};
