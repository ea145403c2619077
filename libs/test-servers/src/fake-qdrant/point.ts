import type { JsonObject } from './json-shapes.ts';
import type { Vector } from './vectors.ts';

export type PointId = string | number;

export interface Point {
  readonly id: PointId;
  /** The vectors by name. An unnamed vector has the name ''. */
  readonly vectors: ReadonlyMap<string, Vector>;
  readonly payload: JsonObject;
  readonly version: number;
}
