/** A value that JSON can represent. */
export type Json = null | boolean | number | ExactNumber | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A number of a JSON text whose digits a `number` would change, such as `1.0` or an integer beyond 2^53.
 * `JSON.stringify` writes it as it is.
 */
export class ExactNumber {
  readonly text: string;

  /** `text` must be a number in the grammar of JSON (RFC 8259, section 6). */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }
}

/** Missing from TypeScript's library: <https://tc39.es/proposal-json-parse-with-source/>. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Member names through which an object could reach its prototype. Others, such as `prototype`, are plain data. */
export const pollutingKeys: readonly string[] = ['__proto__', 'constructor'];

/**
 * Matches the escapes of a JSON text one by one: half a surrogate pair or U+0000 (named `unstorable`), or any other. A
 * backslash occurs only within strings, and all unescaped text is well-formed and contains no control characters.
 */
const escapeSequences =
  /\\(?:(?<unstorable>u0000|u[Dd][89ABab]..(?!\\u[Dd][C-Fc-f])|u[Dd][C-Fc-f])|u[Dd][89ABab]..\\u[Dd][C-Fc-f]|.)/g;

/**
 * Returns the index at which a valid JSON text contains an escaped U+0000 or lone surrogate, which not every store can
 * hold; null if there is none. Checks values and names, including duplicate names (specification, section 1).
 */
export const findUnstorableEscape = (text: string): number | null => {
  if (!text.includes('\\')) return null;
  for (const { index, groups } of text.matchAll(escapeSequences)) if (groups?.['unstorable']) return index;
  return null;
};
