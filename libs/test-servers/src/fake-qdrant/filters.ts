import { idOf, type Json, type JsonObject, listOf, objectOf, textOf } from './json-shapes.ts';
import type { Point, PointId } from './point.ts';
import { createFormatError } from './request-error.ts';

export type PointTest = (point: Point) => boolean;

/** Reads `must`, `should` and `must_not`, with ids, exact matches and ranges. Without a filter, every point matches. */
export const readFilter = (value: Json | undefined): PointTest => {
  if (value === undefined || value === null) return () => true;
  const filter = objectOf(value, 'a filter');
  const unknownKey = Object.keys(filter).find((key) => !['must', 'should', 'must_not'].includes(key));
  if (unknownKey !== undefined) throw createFormatError(`unknown field \`${unknownKey}\``);
  const [must, should, mustNot] = [filter.must, filter.should, filter.must_not].map(readConditions);
  return (point) =>
    (must ?? []).every((test) => test(point)) &&
    (!should || should.length === 0 || should.some((test) => test(point))) &&
    !(mustNot ?? []).some((test) => test(point));
};

const readConditions = (value: Json | undefined): readonly PointTest[] | undefined =>
  value === undefined || value === null
    ? undefined
    : (Array.isArray(value) ? listOf(value, 'conditions') : [value]).map(readCondition);

const readCondition = (value: Json | undefined): PointTest => {
  const condition = objectOf(value, 'a condition');
  if (condition.has_id !== undefined) {
    const ids = new Set<PointId>(listOf(condition.has_id, 'ids').map(idOf));
    return ({ id }) => ids.has(id);
  }
  if (condition.key === undefined) return readFilter(condition);
  const key = textOf(condition.key, 'the key');
  if (condition.match !== undefined) return readMatch(key, objectOf(condition.match, 'a match'));
  if (condition.range !== undefined) return readRange(key, objectOf(condition.range, 'a range'));
  throw createFormatError('data did not match any variant of untagged enum Condition');
};

const readMatch = (key: string, match: JsonObject): PointTest => {
  const values: readonly (Json | undefined)[] = match.any === undefined ? [match.value] : listOf(match.any, 'values');
  if (values.some((value) => value === undefined || value === null || typeof value === 'object')) {
    throw createFormatError('data did not match any variant of untagged enum Match');
  }
  return ({ payload }) => values.includes(payload[key]);
};

const readRange = (key: string, { lt, lte, gt, gte }: JsonObject): PointTest => {
  const bounds = [lt, lte, gt, gte].map((bound) => {
    if (bound === undefined || bound === null) return undefined;
    if (typeof bound !== 'number')
      throw createFormatError('data did not match any variant of untagged enum RangeInterface');
    return bound;
  });
  const [exclusiveMax, inclusiveMax, exclusiveMin, inclusiveMin] = bounds;
  return ({ payload }) => {
    const value = payload[key];
    return (
      typeof value === 'number' &&
      value < (exclusiveMax ?? Infinity) &&
      value <= (inclusiveMax ?? Infinity) &&
      value > (exclusiveMin ?? -Infinity) &&
      value >= (inclusiveMin ?? -Infinity)
    );
  };
};
