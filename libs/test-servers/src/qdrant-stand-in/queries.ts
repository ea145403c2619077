import type { Collection, Scored } from './collection.ts';
import { type PointTest, readFilter } from './filters.ts';
import { isObject, type Json, type JsonObject, limitOf, listOf, objectOf, textOf } from './json-shapes.ts';
import type { PointId } from './point.ts';
import { formatError, wrongInput } from './refusal.ts';

/**
 * A query, whose prefetches are queries too. With prefetches, it searches only what they found; its filter applies to
 * theirs as well.
 */
export const runQuery = (
  collection: Collection,
  body: JsonObject,
  limit: number,
  inherited: PointTest = () => true,
): readonly Scored[] => {
  const own = readFilter(body.filter);
  const test: PointTest = (point) => inherited(point) && own(point);
  const prefetches = prefetchesOf(body.prefetch).map((item) => {
    const prefetch = objectOf(item, 'a prefetch');
    return runQuery(collection, prefetch, prefetch.limit === undefined ? 10 : limitOf(prefetch.limit), test);
  });
  const { query } = body;
  if (isObject(query) && query.formula !== undefined) return byFormula(query, prefetches).slice(0, limit);
  const using = body.using === undefined ? '' : textOf(body.using, 'using');
  if (prefetches.length === 0) return collection.search(query, using, test).slice(0, limit);
  const candidates = new Set<PointId>(prefetches.flat().map(({ point }) => point.id));
  return collection.search(query, using, ({ id }) => candidates.has(id)).slice(0, limit);
};

const prefetchesOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : isObject(value) ? [value] : listOf(value, 'prefetches');

/** Of the formulas only a sum of scores, each by its prefetch: of what that did not find, its default counts. */
const byFormula = (query: JsonObject, prefetches: readonly (readonly Scored[])[]): readonly Scored[] => {
  if (prefetches.length === 0) throw wrongInput('cannot apply Formula without prefetches');
  const defaults = objectOf(query.defaults ?? {}, 'the defaults');
  const terms = listOf(objectOf(query.formula, 'a formula').sum, 'terms').map((term) => {
    const name = textOf(term, 'a term');
    const place = /^\$score\[(\d+)\]$/.exec(name)?.[1];
    if (place === undefined) throw formatError(`invalid variable ${name}`);
    const scores = new Map((prefetches[Number(place)] ?? []).map(({ point, score }) => [point.id, score]));
    return (id: PointId) => scores.get(id) ?? Number(defaults[name] ?? 0);
  });
  const points = new Map(prefetches.flat().map(({ point }) => [point.id, point]));
  return [...points.values()]
    .map((point) => ({ point, score: Math.fround(terms.reduce((sum, term) => sum + term(point.id), 0)) }))
    .sort((a, b) => b.score - a.score);
};
