import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isInteger, isNumber, toNumber } from './numbers.ts';

/** How a keyword's value is written. */
export type KeywordKind =
  /** Unchanged. */
  | 'value'
  /** A text for people, which may be shortened. */
  | 'text'
  /** Schemas: one, a list of them, or one for each name. */
  | 'schema'
  | 'schemas'
  | 'names'
  /** A schema that must be complete, because an incomplete one could reject values that the complete one accepts. */
  | 'exact'
  | 'exactNames';

export interface Keyword {
  readonly kind: KeywordKind;
  /** Whether JSON Schema allows the value; any other value has no effect, and is omitted. */
  readonly accepts: (value: Json) => boolean;
}

/**
 * The JSON Schema 2020-12 keywords that a slice contains, in the order they are written. All others are omitted: names
 * and comments (`title`, `xml`, `externalDocs`, `x-…`), and keywords that treat schemas as files (`$id`, `$defs`).
 */
export const schemaKeywords: Readonly<Record<string, Keyword>> = {
  $ref: { kind: 'value', accepts: isString },
  type: { kind: 'value', accepts: isType },
  format: { kind: 'value', accepts: isString },
  description: { kind: 'text', accepts: isString },
  enum: { kind: 'value', accepts: (value) => isJsonArray(value) && value.length > 0 },
  const: { kind: 'value', accepts: () => true },
  default: { kind: 'value', accepts: () => true },
  examples: { kind: 'value', accepts: (value) => isJsonArray(value) && value.length > 0 },
  deprecated: { kind: 'value', accepts: (value) => value === true },
  readOnly: { kind: 'value', accepts: (value) => value === true },
  writeOnly: { kind: 'value', accepts: (value) => value === true },
  multipleOf: { kind: 'value', accepts: (value) => isNumber(value) && toNumber(value) > 0 },
  minimum: { kind: 'value', accepts: isNumber },
  exclusiveMinimum: { kind: 'value', accepts: isNumber },
  maximum: { kind: 'value', accepts: isNumber },
  exclusiveMaximum: { kind: 'value', accepts: isNumber },
  minLength: { kind: 'value', accepts: isCount },
  maxLength: { kind: 'value', accepts: isCount },
  pattern: { kind: 'value', accepts: isPattern },
  minItems: { kind: 'value', accepts: isCount },
  maxItems: { kind: 'value', accepts: isCount },
  uniqueItems: { kind: 'value', accepts: (value) => value === true },
  minContains: { kind: 'value', accepts: isCount },
  maxContains: { kind: 'value', accepts: isCount },
  minProperties: { kind: 'value', accepts: isCount },
  maxProperties: { kind: 'value', accepts: isCount },
  required: { kind: 'value', accepts: (value) => isNameList(value) && value.length > 0 },
  dependentRequired: {
    kind: 'value',
    accepts: (value) => isJsonObject(value) && Object.values(value).every(isNameList),
  },
  contentEncoding: { kind: 'value', accepts: isString },
  contentMediaType: { kind: 'value', accepts: isString },
  discriminator: { kind: 'value', accepts: isJsonObject },
  properties: { kind: 'names', accepts: isJsonObject },
  patternProperties: {
    kind: 'names',
    accepts: (value) => isJsonObject(value) && Object.keys(value).every(isPattern),
  },
  additionalProperties: { kind: 'schema', accepts: isSchema },
  unevaluatedProperties: { kind: 'exact', accepts: isSchema },
  propertyNames: { kind: 'exact', accepts: isSchema },
  prefixItems: { kind: 'schemas', accepts: isSchemaList },
  items: { kind: 'schema', accepts: isSchema },
  unevaluatedItems: { kind: 'exact', accepts: isSchema },
  contains: { kind: 'exact', accepts: isSchema },
  allOf: { kind: 'schemas', accepts: isSchemaList },
  anyOf: { kind: 'schemas', accepts: isSchemaList },
  oneOf: { kind: 'schemas', accepts: isSchemaList },
  not: { kind: 'exact', accepts: isSchema },
  if: { kind: 'exact', accepts: isSchema },
  then: { kind: 'exact', accepts: isSchema },
  else: { kind: 'exact', accepts: isSchema },
  dependentSchemas: { kind: 'exactNames', accepts: isJsonObject },
};

/** Keywords that describe values without constraining them. */
const annotations = new Set(['$comment', 'summary', 'title', 'description', 'default', 'example', 'examples']);
for (const name of ['deprecated', 'readOnly', 'writeOnly', 'xml', 'externalDocs', 'discriminator']) {
  annotations.add(name);
}

export const isConstraint = (name: string): boolean => !name.startsWith('x-') && !annotations.has(name);

/** The OpenAPI version that determines the dialect of a document's schemas. */
export type Dialect = '3.0' | '3.1';

/**
 * Translates one level of a schema object to JSON Schema 2020-12: its valid keywords, in the table's order. In OpenAPI
 * 3.0, `nullable` adds `null` to an existing type, a flag makes bounds exclusive (it is also read in 3.1, because
 * documents still use it), and `example` becomes one of `examples`.
 */
export function translateSchema(schema: JsonObject, dialect: Dialect): Map<string, Json> {
  const keywords = new Map<string, Json>();
  const getOwnValue = (name: string): Json | undefined => (Object.hasOwn(schema, name) ? schema[name] : undefined);
  for (const [name, { accepts }] of Object.entries(schemaKeywords)) {
    const value = keywordValueOf(name, getOwnValue, dialect);
    if (value !== undefined && accepts(value)) keywords.set(name, value);
  }
  for (const [bound, exclusive] of bounds) if (getOwnValue(exclusive) === true) keywords.delete(bound);
  return keywords;
}

const bounds: readonly (readonly [bound: string, exclusive: string])[] = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
];

function keywordValueOf(
  name: string,
  getOwnValue: (name: string) => Json | undefined,
  dialect: Dialect,
): Json | undefined {
  const value = getOwnValue(name);
  switch (name) {
    case 'type':
      return dialect === '3.0' && getOwnValue('nullable') === true && typeof value === 'string'
        ? [value, 'null']
        : value;
    case 'exclusiveMinimum':
      return value === true ? getOwnValue('minimum') : value;
    case 'exclusiveMaximum':
      return value === true ? getOwnValue('maximum') : value;
    case 'examples':
      return value ?? (getOwnValue('example') === undefined ? undefined : [getOwnValue('example') ?? null]);
    case 'required':
      return isJsonArray(value) ? [...new Set(value.filter((item) => typeof item === 'string'))] : undefined;
    case 'discriminator':
      return discriminatorOf(value);
    case 'additionalProperties':
      // In 3.0, `true` has no effect; in 3.1, it determines which members count as evaluated.
      return value === true && dialect === '3.0' ? undefined : value;
    default:
      return value;
  }
}

/** Returns a discriminator without its mapping: the alternatives contain their values. */
function discriminatorOf(value: Json | undefined): Json | undefined {
  const name = isJsonObject(value) ? value['propertyName'] : undefined;
  return typeof name === 'string' ? { propertyName: name } : undefined;
}

const types: readonly Json[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function isType(value: Json): boolean {
  if (!isJsonArray(value)) return types.includes(value);
  return value.length > 0 && value.every((item) => types.includes(item)) && new Set(value).size === value.length;
}

function isString(value: Json): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isCount(value: Json): boolean {
  return isNumber(value) && isInteger(value) && toNumber(value) >= 0;
}

function isNameList(value: Json): value is readonly string[] {
  return isJsonArray(value) && value.every((item) => typeof item === 'string') && new Set(value).size === value.length;
}

function isSchema(value: Json): boolean {
  return typeof value === 'boolean' || isJsonObject(value);
}

function isSchemaList(value: Json): boolean {
  return isJsonArray(value) && value.length > 0;
}

/** Whether the value is a regular expression in either grammar of ECMA-262; it is only compiled, never run. */
function isPattern(value: Json): boolean {
  if (typeof value !== 'string') return false;
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(value, flags));
    } catch {
      return false; // Invalid in this grammar.
    }
  });
}
