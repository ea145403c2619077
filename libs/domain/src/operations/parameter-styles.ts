import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isNumber } from './numbers.ts';
import type { ParameterStyle } from './parameters.ts';

/** How a value is written. */
export interface Serialisation {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Encodes one name or value. */
  readonly encode: (text: string) => string;
}

/** A name and a value, both encoded. */
export type Pair = readonly [name: string, value: string];

/**
 * Returns a value as the pairs of a query, a cookie or a form (OpenAPI 3.1, section 4.8.12.4). An empty array or object
 * has none. OpenAPI does not define values within values: they are JSON, and `deepObject` nests their names.
 */
export function toPairs(name: string, value: Json, { style, explode, encode }: Serialisation): readonly Pair[] {
  const encodedName = encode(name);
  if (style === 'deepObject' && (isJsonArray(value) || isJsonObject(value))) return toDeepPairs(name, value, encode);
  if (isJsonArray(value)) {
    if (explode) return value.map((item) => [encodedName, encode(toText(item))]);
    const text = value.map((item) => encode(toText(item))).join(delimiterOf(style, encode));
    return value.length === 0 ? [] : [[encodedName, text]];
  }
  if (isJsonObject(value)) {
    const members = membersOf(value, encode);
    if (explode) return members;
    return members.length === 0 ? [] : [[encodedName, members.flat().join(delimiterOf(style, encode))]];
  }
  return [[encodedName, encode(toText(value))]];
}

const delimiterOf = (style: ParameterStyle, encode: Serialisation['encode']): string =>
  style === 'spaceDelimited' ? encode(' ') : style === 'pipeDelimited' ? encode('|') : ',';

function toDeepPairs(name: string, value: Json, encode: Serialisation['encode']): readonly Pair[] {
  if (isJsonArray(value)) return value.flatMap((item, index) => toDeepPairs(`${name}[${index}]`, item, encode));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, member]) => toDeepPairs(`${name}[${key}]`, member, encode));
  return [[encode(name), encode(toText(value))]];
}

/** Returns a value as a part of a path or a header (OpenAPI 3.1, section 4.8.12.4). */
export function toSegment(name: string, value: Json, { style, explode, encode }: Serialisation): string {
  const encodedName = encode(name);
  if (!isJsonArray(value) && !isJsonObject(value)) {
    const text = encode(toText(value));
    return style === 'label' ? `.${text}` : style === 'matrix' ? toMatrix(encodedName, text) : text;
  }
  const isArray = isJsonArray(value);
  const members = isArray ? [] : membersOf(value, encode);
  if (style === 'matrix' && explode) {
    const pairs = isArray ? value.map((item) => [encodedName, encode(toText(item))] as const) : members;
    return pairs.map(([key, text]) => toMatrix(key, text)).join('');
  }
  const items = isArray
    ? value.map((item) => encode(toText(item)))
    : explode
      ? members.map(([key, text]) => `${key}=${text}`)
      : members.flat();
  if (style === 'label') return items.map((item, index) => `${index === 0 || explode ? '.' : ','}${item}`).join('');
  return style === 'matrix' ? toMatrix(encodedName, items.join(',')) : items.join(',');
}

/** An empty value has no equals sign (RFC 6570, section 3.2.7). */
const toMatrix = (name: string, text: string): string => (text === '' ? `;${name}` : `;${name}=${text}`);

const membersOf = (value: Json, encode: Serialisation['encode']): Pair[] =>
  isJsonObject(value) ? Object.entries(value).map(([key, member]) => [encode(key), encode(toText(member))]) : [];

/** Returns the text of a value: a string as it is, and an array or object as JSON. */
export const toText = (value: Json): string =>
  typeof value === 'string'
    ? value
    : value === null
      ? ''
      : isNumber(value)
        ? JSON.stringify(value)
        : JSON.stringify(value);

/** Encodes everything but unreserved characters (RFC 3986, section 2.3). */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Encodes a text of a query but keeps reserved characters, except those that end the value. */
export const encodeReserved = (text: string): string =>
  encodeURI(text.toWellFormed()).replace(/[#&+]|%25(?=[0-9a-f]{2})/gi, (part) =>
    part.startsWith('%') ? '%' : percentEncode(part),
  );
