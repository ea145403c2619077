import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveReference, type Source, type Trail } from './references.ts';

/**
 * Returns a body with only the required members and with placeholder values, nested as deeply as `charactersMax`
 * characters allow.
 */
export function buildExampleBody(source: Source, schema: Json | undefined, charactersMax: number): Json {
  for (let depth = depthMax; depth > 0; depth--) {
    const example = exampleOf(source, schema, 'BODY', { depth, trail: null, remaining: { values: valuesMax } });
    if (JSON.stringify(example).length <= charactersMax) return example;
  }
  return {};
}

/** A placeholder for the content of a file, in curl's syntax for forms. */
export const fileValue = '@FILE';

const depthMax = 5;
const valuesMax = 200;

interface Budget {
  readonly depth: number;
  readonly trail: Trail | null;
  /** The number of values that may still be created. */
  readonly remaining: { values: number };
}

function exampleOf(source: Source, value: Json | undefined, name: string, budget: Budget): Json {
  const { schema, trail } = resolveReference(source, value, budget.trail);
  if (typeof schema === 'boolean' || budget.remaining.values-- <= 0) return toPlaceholder(name);
  const fixedValue = [schema['const'], ...itemsOf(schema['enum'])].find(
    (candidate) => candidate !== undefined && !isLong(candidate),
  );
  if (fixedValue !== undefined) return fixedValue;
  const nested: Budget = { ...budget, depth: budget.depth - 1, trail };
  const members = requiredMembersOf(source, schema, { ...budget, trail });
  if (members.size > 0 || hasType(schema, 'object') || isJsonObject(schema['properties'])) {
    if (budget.depth <= 0) return {};
    return Object.fromEntries([...members].map(([key, member]) => [key, exampleOf(source, member, key, nested)]));
  }
  if (hasType(schema, 'array')) return budget.depth > 0 ? [exampleOf(source, schema['items'], name, nested)] : [];
  if (hasType(schema, 'boolean')) return true;
  if (hasType(schema, 'integer') || hasType(schema, 'number'))
    return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
  const [firstAlternative] = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => itemsOf(schema[keyword]).slice(0, 1));
  if (firstAlternative !== undefined && budget.depth > 0) return exampleOf(source, firstAlternative, name, nested);
  if (schema['format'] === 'binary') return fileValue;
  return hasType(schema, 'null') ? null : toPlaceholder(name);
}

/** Returns the required members of a schema and of all schemas that it is combined with. */
function requiredMembersOf(source: Source, schema: JsonObject, budget: Budget): Map<string, Json | undefined> {
  const members = new Map<string, Json | undefined>();
  if (budget.depth <= 0) return members;
  const properties = schema['properties'];
  for (const name of itemsOf(schema['required'])) {
    if (typeof name !== 'string') continue;
    members.set(name, isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined);
  }
  for (const subschema of [
    ...itemsOf(schema['allOf']),
    ...itemsOf(schema['oneOf']).slice(0, 1),
    ...itemsOf(schema['anyOf']).slice(0, 1),
  ]) {
    const resolution = resolveReference(source, subschema, budget.trail);
    if (typeof resolution.schema === 'boolean' || budget.remaining.values-- <= 0) continue;
    const nestedBudget = { ...budget, depth: budget.depth - 1, trail: resolution.trail };
    for (const [name, member] of requiredMembersOf(source, resolution.schema, nestedBudget))
      members.set(name, members.get(name) ?? member);
  }
  for (const [name, member] of members) {
    if (member === undefined && isJsonObject(properties) && Object.hasOwn(properties, name))
      members.set(name, properties[name]);
  }
  return members;
}

const itemsOf = (value: Json | undefined): readonly Json[] => (isJsonArray(value) ? value : []);

const hasType = (schema: JsonObject, type: string): boolean =>
  schema['type'] === type || itemsOf(schema['type']).includes(type);

const isLong = (value: Json): boolean => JSON.stringify(value).length > 60;

/** Returns a name in upper case: `petId` becomes `PET_ID`. */
export const toPlaceholder = (name: string): string =>
  name
    .slice(0, 60)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '') || 'VALUE';
