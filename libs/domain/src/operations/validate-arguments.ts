import { ExactNumber, isJsonArray, isJsonObject, type Json } from '../json.ts';
import { memberOf } from '../documents/document-value.ts';
import type { ValueError } from '../errors.ts';
import { compareNumbers, isInteger, isNumber, isSameValue } from './numbers.ts';
import { matchesPattern } from './patterns.ts';

export interface ValidatedValue {
  /** The value, with numbers and booleans in place of texts that are exactly that. */
  readonly value: Json;
  readonly errors: readonly ValueError[];
}

/** The number of errors that are reported. */
export const errorsMax = 20;

/**
 * Validates a value with a schema in the form of a tool. Some models write every number and boolean as text: such a
 * text is accepted where a string is not.
 */
export function validateValue(schema: Json | undefined, input: Json, pointer: string): ValidatedValue {
  if (schema === false) return { value: input, errors: [{ pointer, message: 'is not allowed' }] };
  if (!isJsonObject(schema)) return { value: input, errors: [] };
  const value = convertText(input, listTypes(schema));
  const errors: ValueError[] = [];
  const reject = (message: string): void => void errors.push({ pointer, message });
  const alternatives = memberOf(schema, 'anyOf');
  const types = listTypes(schema);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    reject(`must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`);
    return { value, errors };
  }
  const list = memberOf(schema, 'enum');
  if (isJsonArray(list) && !list.some((item) => isSameValue(item, value)))
    reject(
      `must be ${list.length === 1 ? '' : 'one of '}${shorten(list.map((item) => JSON.stringify(item)).join(', '))}`,
    );
  if (isNumber(value)) validateNumber(schema, value, reject);
  if (typeof value === 'string') validateText(schema, value, reject);
  let result = value;
  if (isJsonArray(value)) result = validateItems(schema, value, pointer, errors);
  else if (isJsonObject(value)) result = validateMembers(schema, value, pointer, errors);
  if (isJsonArray(alternatives)) result = validateAlternatives(alternatives, result, pointer, errors);
  return { value: result, errors: errors.slice(0, errorsMax) };
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

const listTypes = (schema: Json): readonly string[] => {
  const type = memberOf(schema, 'type');
  return (type === undefined ? [] : isJsonArray(type) ? type : [type]) as readonly string[];
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

type Reject = (message: string) => void;

function validateNumber(schema: Json, value: number | ExactNumber, reject: Reject): void {
  const [minimum, maximum] = [memberOf(schema, 'minimum'), memberOf(schema, 'maximum')];
  if (isNumber(minimum) && compareNumbers(value, minimum) < 0) reject(`must be at least ${JSON.stringify(minimum)}`);
  if (isNumber(maximum) && compareNumbers(value, maximum) > 0) reject(`must be at most ${JSON.stringify(maximum)}`);
}

function validateText(schema: Json, value: string, reject: Reject): void {
  const [minLength, maxLength, pattern] = ['minLength', 'maxLength', 'pattern'].map((name) => memberOf(schema, name));
  const length = Array.from(value).length;
  if (typeof minLength === 'number' && length < minLength) reject(`must have at least ${minLength} characters`);
  if (typeof maxLength === 'number' && length > maxLength) reject(`must have at most ${maxLength} characters`);
  if (typeof pattern === 'string' && matchesPattern(pattern, value) === false) reject(`must match ${shorten(pattern)}`);
}

function validateItems(schema: Json, value: readonly Json[], pointer: string, errors: ValueError[]): Json {
  const [minItems, maxItems] = [memberOf(schema, 'minItems'), memberOf(schema, 'maxItems')];
  if (typeof minItems === 'number' && value.length < minItems)
    errors.push({ pointer, message: `must have at least ${minItems} items` });
  if (typeof maxItems === 'number' && value.length > maxItems)
    errors.push({ pointer, message: `must have at most ${maxItems} items` });
  const items = memberOf(schema, 'items');
  return value.map((item, index) => {
    const result = errors.length < errorsMax ? validateValue(items, item, `${pointer}/${index}`) : null;
    errors.push(...(result?.errors ?? []));
    return result?.value ?? item;
  });
}

function validateMembers(
  schema: Json,
  value: { readonly [name: string]: Json },
  pointer: string,
  errors: ValueError[],
): Json {
  const [required, properties] = [memberOf(schema, 'required'), memberOf(schema, 'properties')];
  for (const name of isJsonArray(required) ? required : [])
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      errors.push({ pointer: `${pointer}/${escapeToken(name)}`, message: 'is required' });
  const additional = memberOf(schema, 'additionalProperties');
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    const declared = memberOf(properties, name);
    const result = validateValue(declared ?? additional, member, `${pointer}/${escapeToken(name)}`);
    const isUnknown = declared === undefined && additional === false;
    errors.push(
      ...(isUnknown
        ? [{ pointer: `${pointer}/${escapeToken(name)}`, message: 'is not a known member' }]
        : result.errors),
    );
    return [name, result.value];
  });
  return Object.fromEntries(members);
}

/** Accepts a value that one alternative accepts; else reports the errors of the alternative with the fewest. */
function validateAlternatives(alternatives: readonly Json[], value: Json, pointer: string, errors: ValueError[]): Json {
  let closest: ValidatedValue | null = null;
  for (const alternative of alternatives) {
    const result = validateValue(alternative, value, pointer);
    if (result.errors.length === 0) return result.value;
    if (!closest || result.errors.length < closest.errors.length) closest = result;
  }
  const [first] = closest?.errors ?? [];
  const reason = first ? `; the closest one: ${first.pointer || 'the value'} ${first.message}` : '';
  if (closest) errors.push({ pointer, message: `matches none of ${alternatives.length} alternatives${reason}` });
  return value;
}

export const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);
