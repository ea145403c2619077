import type { JsonObject } from './json-shapes.ts';

export type PointId = string | number;

export interface Point {
  readonly id: PointId;
  readonly vector: Float32Array;
  readonly payload: JsonObject;
  readonly version: number;
}
