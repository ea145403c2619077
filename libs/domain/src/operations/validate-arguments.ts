import { ExactNumber, isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ValueError } from '../errors.ts';
import { compareNumbers, isInteger, isNumber, keyOf } from './numbers.ts';
import { matchesPattern } from './patterns.ts';
import { propertiesOf, requiredNamesOf, typesOf, type Schema, type SchemaNode } from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

export interface ValidatedValue {
  /** The value, with numbers and booleans in place of texts that are exactly that. */
  readonly value: Json;
  readonly errors: readonly ValueError[];
}

/** The number of errors that are reported. */
export const errorsMax = 20;

/** Whether one of the schemas that apply to a value declares a member that requests must not contain. */
type IsHidden = (name: string) => boolean;

/** The number of values that are compared with a schema; a document can apply many schemas to one value. */
const comparisonsMax = 200_000;

/**
 * Validates values with the schemas of a document, as JSON Schema 2020-12 says, but more leniently where documents are
 * often wrong or a caller cannot know better:
 *
 * - Some models write every number and boolean as text: such a text is accepted where a string is not.
 * - Several alternatives of `oneOf` may accept a value.
 * - Where several schemas apply to a value, a limit of additional members that only refers to the members of one of them
 *   has no effect: it would forbid the members of the others.
 * - `format`, `multipleOf`, `not`, `propertyNames`, lists of objects, and keywords that depend on other members or items
 *   are left to the API.
 *
 * Values beyond a limit, and schemas that the reader cannot read, are accepted.
 */
export class ArgumentValidator {
  readonly #reader: SchemaReader;
  readonly #restartedNodes = new WeakMap<SchemaNode, SchemaNode>();
  #comparisonsLeft = comparisonsMax;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
  }

  /** Returns the value and at most `errorsMax` errors; their pointers start with `pointer`. */
  validate(node: SchemaNode, input: Json, pointer: string): ValidatedValue {
    return this.#validateNode(this.#restart(node), input, pointer, () => false);
  }

  #validateNode(node: SchemaNode, input: Json, pointer: string, isHiddenAround: IsHidden): ValidatedValue {
    const isHidden: IsHidden = (name) => isHiddenAround(name) || this.#reader.hiddenNamesOf(node).has(name);
    return this.#validate(this.#reader.read(node), input, pointer, isHidden);
  }

  #validate(schema: Schema, input: Json, pointer: string, isHidden: IsHidden): ValidatedValue {
    if (this.#comparisonsLeft-- <= 0) return { value: input, errors: [] };
    if (!schema.isSatisfiable) return { value: input, errors: [{ pointer, message: 'is not allowed' }] };
    const types = typesOf(schema);
    const value = convertText(input, types);
    if (types.length > 0 && !types.some((type) => hasType(value, type))) {
      const message = `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`;
      return { value, errors: [{ pointer, message }] };
    }
    const errors: ValueError[] = listValueErrors(schema, value).map((message) => ({ pointer, message }));
    let result = value;
    if (isJsonArray(value)) result = this.#validateItems(schema, value, pointer, errors);
    else if (isJsonObject(value)) result = this.#validateMembers(schema, value, pointer, errors, isHidden);
    for (const keyword of ['anyOf', 'oneOf'])
      result = this.#validateAlternatives(schema.lists.get(keyword) ?? [], result, pointer, errors, isHidden);
    for (const part of schema.lists.get('allOf') ?? []) {
      const { nodes, ...others } = this.#reader.read(part);
      const openNodes = new Map(nodes);
      openNodes.delete('additionalProperties');
      const validated = this.#validate({ ...others, nodes: openNodes }, result, pointer, isHidden);
      errors.push(...validated.errors);
      result = validated.value;
    }
    return { value: result, errors: errors.slice(0, errorsMax) };
  }

  #validateItems(schema: Schema, value: readonly Json[], pointer: string, errors: ValueError[]): Json {
    const first = schema.lists.get('prefixItems') ?? [];
    const others = schema.nodes.get('items');
    return value.map((item, index) => {
      const node = first[index] ?? others;
      if (!node || errors.length >= errorsMax) return item;
      const result = this.validate(node, item, `${pointer}/${index}`);
      errors.push(...result.errors);
      return result.value;
    });
  }

  #validateMembers(schema: Schema, value: JsonObject, pointer: string, errors: ValueError[], isHidden: IsHidden): Json {
    for (const name of requiredNamesOf(schema))
      if (!Object.hasOwn(value, name) && !isHidden(name))
        errors.push({ pointer: `${pointer}/${escapeToken(name)}`, message: 'is required' });
    const patterns = [...(schema.maps.get('patternProperties') ?? [])];
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      const declared = propertiesOf(schema).get(name);
      this.#comparisonsLeft -= patterns.length;
      if (this.#comparisonsLeft <= 0) return [name, member];
      const matching = patterns.filter(([pattern]) => matchesPattern(pattern, name) !== false);
      const nodes = [...(declared ? [declared] : []), ...matching.map(([, node]) => node)];
      const additional = schema.nodes.get('additionalProperties');
      if (nodes.length === 0 && additional) nodes.push(additional);
      let result = member;
      for (const node of nodes) {
        const memberPointer = `${pointer}/${escapeToken(name)}`;
        const validated = this.validate(node, result, memberPointer);
        const isUnknown = node === additional && !this.#reader.read(node).isSatisfiable;
        errors.push(...(isUnknown ? [{ pointer: memberPointer, message: 'is not a known member' }] : validated.errors));
        result = validated.value;
      }
      return [name, result];
    });
    return Object.fromEntries(members);
  }

  /**
   * Accepts a value that one alternative accepts, if possible without a change; else adds the errors of the alternative
   * with the fewest.
   */
  #validateAlternatives(
    alternatives: readonly SchemaNode[],
    value: Json,
    pointer: string,
    errors: ValueError[],
    isHidden: IsHidden,
  ): Json {
    if (alternatives.length === 0) return value;
    const results: ValidatedValue[] = [];
    for (const alternative of alternatives) {
      const result = this.#validateNode(alternative, value, pointer, isHidden);
      if (result.errors.length === 0 && JSON.stringify(result.value) === JSON.stringify(value)) return value;
      results.push(result);
    }
    const [closest] = results.sort((a, b) => a.errors.length - b.errors.length);
    const [first] = closest?.errors ?? [];
    if (!first) return closest?.value ?? value;
    const reason = `; the closest one: ${first.pointer || 'the value'} ${first.message}`;
    errors.push({ pointer, message: `matches none of ${alternatives.length} alternatives${reason}` });
    return value;
  }

  /** Returns a schema apart from those around it: a value and its members may have the same schema. */
  #restart(node: SchemaNode): SchemaNode {
    const restarted = this.#restartedNodes.get(node) ?? {
      ...node,
      parts: node.parts.map((part) => ({ ...part, trail: null })),
    };
    this.#restartedNodes.set(node, restarted);
    return restarted;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function hasType(value: Json, type: string): boolean {
  switch (type) {
    case 'array':
      return isJsonArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    case 'number':
      return isNumber(value);
    case 'integer':
      return isNumber(value) && isInteger(value);
    default:
      return typeof value === type;
  }
}

function convertText(value: Json, types: readonly string[]): Json {
  if (typeof value !== 'string' || types.length === 0 || types.includes('string')) return value;
  if (types.includes('boolean') && /^(?:true|false)$/.test(value)) return value === 'true';
  const isNumeric = types.includes('number') || types.includes('integer');
  if (!isNumeric || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return value;
  return `${Number(value)}` === value ? Number(value) : new ExactNumber(value);
}

/** Lists the errors of a value itself, apart from those of its members and items. */
function listValueErrors({ values }: Schema, value: Json): readonly string[] {
  const errors: string[] = [];
  const constant = values.get('const');
  const list = constant === undefined ? values.get('enum') : [constant];
  const keys = isJsonArray(list) ? keysOf(list) : null;
  if (isJsonArray(list) && keys && !(isScalar(value) && keys.has(textOf(value))))
    errors.push(
      `must be ${list.length === 1 ? '' : 'one of '}${shorten(list.map((item) => JSON.stringify(item)).join(', '))}`,
    );
  if (isNumber(value)) errors.push(...listNumberErrors(values, value));
  const pattern = values.get('pattern');
  if (typeof value === 'string') {
    errors.push(...listCountErrors(values, 'Length', Array.from(value).length, 'characters'));
    if (typeof pattern === 'string' && matchesPattern(pattern, value) === false)
      errors.push(`must match ${shorten(pattern)}`);
  } else if (isJsonArray(value)) {
    errors.push(...listCountErrors(values, 'Items', value.length, 'items'));
    if (values.has('uniqueItems') && new Set(value.map(keyOf)).size < value.length)
      errors.push('must not have an item twice');
  } else if (isJsonObject(value))
    errors.push(...listCountErrors(values, 'Properties', Object.keys(value).length, 'members'));
  return errors;
}

const isScalar = (value: Json): boolean => !isJsonArray(value) && !isJsonObject(value);

const cachedKeys = new WeakMap<readonly Json[], ReadonlySet<string> | null>();

/** Returns the texts of the values in a list; null if it has objects, whose members have no order. */
function keysOf(list: readonly Json[]): ReadonlySet<string> | null {
  const cached = cachedKeys.get(list);
  if (cached !== undefined) return cached;
  const keys = list.every(isScalar) ? new Set(list.map(textOf)) : null;
  cachedKeys.set(list, keys);
  return keys;
}

/** A number and the same number as text have the same text: documents mix them in lists of values. */
const textOf = (value: Json): string =>
  typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? keyOf(new ExactNumber(value)) : keyOf(value);

function listNumberErrors(values: Schema['values'], value: number | ExactNumber): readonly string[] {
  const bounds = [
    ['minimum', 'at least', 0],
    ['exclusiveMinimum', 'more than', 1],
    ['maximum', 'at most', 0],
    ['exclusiveMaximum', 'less than', 1],
  ] as const;
  return bounds.flatMap(([name, words, min]) => {
    const bound = values.get(name);
    if (!isNumber(bound)) return [];
    const difference = compareNumbers(value, bound) * (/max/i.test(name) ? -1 : 1);
    return difference < min ? [`must be ${words} ${JSON.stringify(bound)}`] : [];
  });
}

function listCountErrors(values: Schema['values'], suffix: string, count: number, noun: string): readonly string[] {
  const [min, max] = [values.get(`min${suffix}`), values.get(`max${suffix}`)];
  return [
    ...(typeof min === 'number' && count < min ? [`must have at least ${min} ${noun}`] : []),
    ...(typeof max === 'number' && count > max ? [`must have at most ${max} ${noun}`] : []),
  ];
}

export const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);
