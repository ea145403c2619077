import type { Json } from './json.ts';

/**
 * The first character of a string that stands for a number, from Unicode's private use area. A string that happens to
 * begin with it gets a second one.
 */
const marker = '\ue000';
const numberMarker = `${marker}#`;

/** TypeScript does not know these parts of the language yet ("JSON.parse source text access"). */
interface RawJson {
  rawJSON(text: string): object;
  parse(text: string, reviver: (name: string, value: Json, context: { readonly source?: string }) => Json): Json;
}
const rawJson = JSON as unknown as RawJson;

/**
 * Parses a JSON text for code that rearranges its values, without loss of digits: a number that `JSON.parse` would
 * change, such as `1.10` or 9007199254740993, becomes a string, which `writeMarkedJson` writes as that number.
 */
export const parseMarkedJson = (text: string): Json =>
  rawJson.parse(text, (_name, value, { source }) => {
    if (typeof value === 'string') return value.startsWith(marker) ? `${marker}${value}` : value;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? `${numberMarker}${source}`
      : value;
  });

/** Writes a value from `parseMarkedJson`, with each number in its own notation. Omits undefined members. */
export const writeMarkedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'string' || !part.startsWith(marker)) return part;
    return part.startsWith(numberMarker) ? rawJson.rawJSON(part.slice(numberMarker.length)) : part.slice(marker.length);
  });
