import { type PointTest, readFilter } from './filters.ts';
import { countOf, idOf, type Json, type JsonObject, listOf, numbersOf, objectOf } from './json-shapes.ts';
import type { Point, PointId } from './point.ts';
import { formatError, wrongInput } from './refusal.ts';

export interface Scored {
  readonly point: Point;
  readonly score: number;
}

/** The points of one collection with its one unnamed vector; searches exactly, without any index. */
export class Collection {
  readonly size: number;
  readonly distance: string;
  readonly metadata: JsonObject | null;
  readonly indexed = new Map<string, Json>();
  readonly #points = new Map<PointId, Point>();
  #operations = 0;

  constructor(size: number, distance: string, metadata: JsonObject | null) {
    this.size = size;
    this.distance = distance;
    this.metadata = metadata;
  }

  get count(): number {
    return this.#points.size;
  }

  find(id: PointId): Point | undefined {
    return this.#points.get(id);
  }

  matching(test: PointTest): Point[] {
    return [...this.#points.values()].filter(test);
  }

  /** `{points, update_filter?}`: an existing point changes only if the filter holds for it as it is. */
  upsert(value: Json | undefined): number {
    const body = objectOf(value, 'points');
    if (body.points === undefined) {
      throw formatError('data did not match any variant of untagged enum PointInsertOperations');
    }
    const mayUpdate = readFilter(body.update_filter);
    const version = this.#operations;
    const points = listOf(body.points, 'points').map((item) => this.#readPoint(objectOf(item, 'a point'), version));
    for (const point of points) {
      const earlier = this.#points.get(point.id);
      if (!earlier || mayUpdate(earlier)) this.#points.set(point.id, point);
    }
    return this.#operations++;
  }

  /** `{points: ids}` or `{filter}`; absent ids are no error. */
  delete(value: Json | undefined): number {
    const body = objectOf(value, 'a selector');
    if (body.points === undefined && body.filter === undefined) {
      throw formatError('data did not match any variant of untagged enum PointsSelector');
    }
    const ids =
      body.points === undefined
        ? this.matching(readFilter(body.filter)).map(({ id }) => id)
        : listOf(body.points, 'ids').map(idOf);
    for (const id of ids) this.#points.delete(id);
    return this.#operations++;
  }

  /** Best first; cosine as on the real server: both sides of length 1, a dot product, in 32 bits. */
  search(query: Json | undefined, test: PointTest, limit: number, offset: number): readonly Scored[] {
    const vector = this.#readVector(query);
    return this.matching(test)
      .map((point) => ({ point, score: dot(vector, point.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(offset, offset + limit);
  }

  #readPoint(point: JsonObject, version: number): Point {
    const payload = point.payload === undefined || point.payload === null ? {} : objectOf(point.payload, 'a payload');
    return { id: idOf(point.id), vector: this.#readVector(point.vector), payload, version };
  }

  #readVector(value: Json | undefined): Float32Array {
    const numbers = numbersOf(value);
    if (numbers.length !== this.size) {
      throw wrongInput(`Vector dimension error: expected dim: ${this.size}, got ${numbers.length}`);
    }
    const vector = Float32Array.from(numbers);
    return this.distance === 'Cosine' ? unitVector(vector) : vector;
  }
}

export const readVectorConfig = (value: Json | undefined): { readonly size: number; readonly distance: string } => {
  const { size, distance } = objectOf(value, 'the vectors');
  if (typeof distance !== 'string' || !['Cosine', 'Euclid', 'Dot', 'Manhattan'].includes(distance)) {
    throw formatError('unknown variant, expected one of `Cosine`, `Euclid`, `Dot`, `Manhattan`');
  }
  return { size: countOf(size, 'size'), distance };
};

/** Vectors of length zero stay as they are. */
const unitVector = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return length < 1e-9 ? vector : vector.map((x) => x / length);
};

const dot = (x: Float32Array, y: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += (x[i] ?? 0) * (y[i] ?? 0);
  return shortest(Math.fround(sum));
};

/** The fewest digits that identify this 32-bit float, which is what the real server writes. */
const shortest = (float: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
};
