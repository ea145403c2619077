import { type PointTest, readFilter } from './filters.ts';
import { idOf, type Json, type JsonObject, listOf, objectOf } from './json-shapes.ts';
import type { Point, PointId } from './point.ts';
import { createFormatError } from './request-error.ts';
import { computeDotProduct, readVector, readVectors, type VectorConfigs } from './vectors.ts';

export interface SearchResult {
  readonly point: Point;
  readonly score: number;
}

/** The points of one collection. The search is exact and uses no index. */
export class Collection {
  readonly vectors: VectorConfigs;
  readonly metadata: JsonObject | null;
  readonly payloadIndexes = new Map<string, Json>();
  readonly #points = new Map<PointId, Point>();
  #operationCount = 0;

  constructor(vectors: VectorConfigs, metadata: JsonObject | null) {
    this.vectors = vectors;
    this.metadata = metadata;
  }

  get count(): number {
    return this.#points.size;
  }

  find(id: PointId): Point | undefined {
    return this.#points.get(id);
  }

  findMatching(test: PointTest): Point[] {
    return [...this.#points.values()].filter(test);
  }

  /**
   * Stores the points of `{points, update_filter?}`. An existing point changes only if its current state matches the
   * filter.
   */
  upsert(value: Json | undefined): number {
    const body = objectOf(value, 'points');
    if (body.points === undefined) {
      throw createFormatError('data did not match any variant of untagged enum PointInsertOperations');
    }
    const mayUpdate = readFilter(body.update_filter);
    const version = this.#operationCount;
    const points = listOf(body.points, 'points').map((item) => this.#readPoint(objectOf(item, 'a point'), version));
    for (const point of points) {
      const existingPoint = this.#points.get(point.id);
      if (!existingPoint || mayUpdate(existingPoint)) this.#points.set(point.id, point);
    }
    return this.#operationCount++;
  }

  /** Deletes the points selected by `{points: ids}` or `{filter}`. Unknown ids are not an error. */
  delete(value: Json | undefined): number {
    const body = objectOf(value, 'a selector');
    if (body.points === undefined && body.filter === undefined) {
      throw createFormatError('data did not match any variant of untagged enum PointsSelector');
    }
    const ids =
      body.points === undefined
        ? this.findMatching(readFilter(body.filter)).map(({ id }) => id)
        : listOf(body.points, 'ids').map(idOf);
    for (const id of ids) this.#points.delete(id);
    return this.#operationCount++;
  }

  /**
   * Returns the matches, best first. Cosine similarity is computed as on the real server: as the 32-bit dot product of
   * unit vectors.
   */
  search(query: Json | undefined, using: string, test: PointTest): readonly SearchResult[] {
    const queryVector = readVector(this.vectors, using, query);
    return this.findMatching(test)
      .flatMap((point) => {
        const vector = point.vectors.get(using);
        const score = vector ? computeDotProduct(queryVector, vector) : null;
        return score === null ? [] : [{ point, score }];
      })
      .sort((a, b) => b.score - a.score);
  }

  /** Returns the number of matching points for each value of this payload key, most frequent first. */
  countByValue(key: string, test: PointTest): readonly { readonly value: Json; readonly count: number }[] {
    const groups = Map.groupBy(this.findMatching(test), ({ payload }) => payload[key]);
    return [...groups]
      .flatMap(([value, points]) => (value === undefined ? [] : [{ value, count: points.length }]))
      .sort((a, b) => b.count - a.count);
  }

  #readPoint(point: JsonObject, version: number): Point {
    const payload = point.payload === undefined || point.payload === null ? {} : objectOf(point.payload, 'a payload');
    return { id: idOf(point.id), vectors: readVectors(this.vectors, point.vector), payload, version };
  }
}
