import { parseExactJson } from '../exact-json.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';

/**
 * Whether two JSON texts have the same content. The order of members and white space make no difference; numbers are the
 * same only if they are written in the same way, because an API may distinguish `1` from `1.0`. Both texts must be valid,
 * and nested no deeper than a request's body may be.
 */
export const areSameArguments = (a: string, b: string): boolean => a === b || canonicalTextOf(a) === canonicalTextOf(b);

const canonicalTextOf = (text: string): string => JSON.stringify(toCanonical(parseExactJson(text)));

/** Replaces each object by its members in code unit order. A marker distinguishes them from an array's items. */
const toCanonical = (value: Json): Json => {
  if (isJsonArray(value)) return ['array', ...value.map(toCanonical)];
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return ['object', ...names.flatMap((name) => [name, toCanonical(value[name] ?? null)])];
};
