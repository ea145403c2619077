/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
