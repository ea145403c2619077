import { isJsonArray, isJsonObject, type Json } from '@portico/domain';

const typeNames: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
};

/** Returns whether the value has this JSON Schema type, a value of the `type` keyword. 1.0 is an integer. */
export function hasType(type: string, value: Json): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return isJsonArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Returns a message if the value has none of these JSON Schema types; otherwise null. */
export function findTypeFault(type: string | readonly string[], value: Json): string | null {
  const types = typeof type === 'string' ? [type] : type;
  if (types.some((typeName) => hasType(typeName, value))) return null;
  return `must be ${types.map((typeName) => typeNames[typeName] ?? typeName).join(' or ')}`;
}

/** Formats values for a message: strings in quotes, others as JSON. */
export const formatList = (values: readonly Json[], separator = ', '): string =>
  values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(separator);

/** Returns the same string for equal values, regardless of the order of members. */
export function toCanonicalJson(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name] ?? null)}`).join(',')}}`;
}

/** Returns whether two values are equal, regardless of the order of members, as for `enum` and `const`. */
export const isSameJson = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && toCanonicalJson(a) === toCanonicalJson(b));
