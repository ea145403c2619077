import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolved, type Source, type Trail } from './references.ts';

/** A body of required members alone, whose values are placeholders, as deep as fits into that many characters. */
export function exampleBody(source: Source, schema: Json | undefined, charactersMax: number): Json {
  for (let depth = depthMax; depth > 0; depth--) {
    const example = exampleOf(source, schema, 'BODY', { depth, trail: null, left: { values: valuesMax } });
    if (JSON.stringify(example).length <= charactersMax) return example;
  }
  return {};
}

/** Stands for the content of a file, as curl reads it in a form. */
export const fileValue = '@FILE';

const depthMax = 5;
const valuesMax = 200;

interface Within {
  readonly depth: number;
  readonly trail: Trail | null;
  /** How many values may still be made. */
  readonly left: { values: number };
}

function exampleOf(source: Source, value: Json | undefined, name: string, within: Within): Json {
  const { schema, trail } = resolved(source, value, within.trail);
  if (typeof schema === 'boolean' || within.left.values-- <= 0) return placeholder(name);
  const given = [schema['const'], ...listed(schema['enum'])].find((one) => one !== undefined && !isLong(one));
  if (given !== undefined) return given;
  const inside: Within = { ...within, depth: within.depth - 1, trail };
  const members = requiredMembers(source, schema, { ...within, trail });
  if (members.size > 0 || isOf(schema, 'object') || isJsonObject(schema['properties'])) {
    if (within.depth <= 0) return {};
    return Object.fromEntries([...members].map(([key, one]) => [key, exampleOf(source, one, key, inside)]));
  }
  if (isOf(schema, 'array')) return within.depth > 0 ? [exampleOf(source, schema['items'], name, inside)] : [];
  if (isOf(schema, 'boolean')) return true;
  if (isOf(schema, 'integer') || isOf(schema, 'number'))
    return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
  const [part] = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => listed(schema[keyword]).slice(0, 1));
  if (part !== undefined && within.depth > 0) return exampleOf(source, part, name, inside);
  if (schema['format'] === 'binary') return fileValue;
  return isOf(schema, 'null') ? null : placeholder(name);
}

/** The required members of a schema and of all that it is combined with. */
function requiredMembers(source: Source, schema: JsonObject, within: Within): Map<string, Json | undefined> {
  const found = new Map<string, Json | undefined>();
  if (within.depth <= 0) return found;
  const properties = schema['properties'];
  for (const name of listed(schema['required'])) {
    if (typeof name !== 'string') continue;
    found.set(name, isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined);
  }
  for (const part of [
    ...listed(schema['allOf']),
    ...listed(schema['oneOf']).slice(0, 1),
    ...listed(schema['anyOf']).slice(0, 1),
  ]) {
    const next = resolved(source, part, within.trail);
    if (typeof next.schema === 'boolean' || within.left.values-- <= 0) continue;
    const inside = { ...within, depth: within.depth - 1, trail: next.trail };
    for (const [name, one] of requiredMembers(source, next.schema, inside)) found.set(name, found.get(name) ?? one);
  }
  for (const [name, one] of found) {
    if (one === undefined && isJsonObject(properties) && Object.hasOwn(properties, name))
      found.set(name, properties[name]);
  }
  return found;
}

const listed = (value: Json | undefined): readonly Json[] => (isJsonArray(value) ? value : []);

const isOf = (schema: JsonObject, type: string): boolean =>
  schema['type'] === type || listed(schema['type']).includes(type);

const isLong = (value: Json): boolean => JSON.stringify(value).length > 60;

/** A name in capitals: `petId` is `PET_ID`. */
export const placeholder = (name: string): string =>
  name
    .slice(0, 60)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'VALUE';
