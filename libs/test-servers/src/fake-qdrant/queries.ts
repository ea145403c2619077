import type { Collection, SearchResult } from './collection.ts';
import { type PointTest, readFilter } from './filters.ts';
import { isObject, type Json, type JsonObject, limitOf, listOf, objectOf, textOf } from './json-shapes.ts';
import type { PointId } from './point.ts';
import { createFormatError, createWrongInputError } from './request-error.ts';

/**
 * Runs a query. Its prefetches are also queries. A query with prefetches searches only their results, and its filter
 * also applies to them.
 */
export const runQuery = (
  collection: Collection,
  body: JsonObject,
  limit: number,
  inheritedTest: PointTest = () => true,
): readonly SearchResult[] => {
  const filterTest = readFilter(body.filter);
  const test: PointTest = (point) => inheritedTest(point) && filterTest(point);
  const prefetches = prefetchesOf(body.prefetch).map((item) => {
    const prefetch = objectOf(item, 'a prefetch');
    return runQuery(collection, prefetch, prefetch.limit === undefined ? 10 : limitOf(prefetch.limit), test);
  });
  const { query } = body;
  if (isObject(query) && query.formula !== undefined) return scoreByFormula(query, prefetches).slice(0, limit);
  const using = body.using === undefined ? '' : textOf(body.using, 'using');
  if (prefetches.length === 0) return collection.search(query, using, test).slice(0, limit);
  const candidates = new Set<PointId>(prefetches.flat().map(({ point }) => point.id));
  return collection.search(query, using, ({ id }) => candidates.has(id)).slice(0, limit);
};

const prefetchesOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : isObject(value) ? [value] : listOf(value, 'prefetches');

/**
 * Scores points by a formula, which may only be a sum of the scores of prefetches. For points that a prefetch did not
 * find, its default counts.
 */
const scoreByFormula = (
  query: JsonObject,
  prefetches: readonly (readonly SearchResult[])[],
): readonly SearchResult[] => {
  if (prefetches.length === 0) throw createWrongInputError('cannot apply Formula without prefetches');
  const defaults = objectOf(query.defaults ?? {}, 'the defaults');
  const terms = listOf(objectOf(query.formula, 'a formula').sum, 'terms').map((term) => {
    const name = textOf(term, 'a term');
    const index = /^\$score\[(\d+)\]$/.exec(name)?.[1];
    if (index === undefined) throw createFormatError(`invalid variable ${name}`);
    const scores = new Map((prefetches[Number(index)] ?? []).map(({ point, score }) => [point.id, score]));
    return (id: PointId) => scores.get(id) ?? Number(defaults[name] ?? 0);
  });
  const points = new Map(prefetches.flat().map(({ point }) => [point.id, point]));
  return [...points.values()]
    .map((point) => ({ point, score: Math.fround(terms.reduce((sum, term) => sum + term(point.id), 0)) }))
    .sort((a, b) => b.score - a.score);
};
