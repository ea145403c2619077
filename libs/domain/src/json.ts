/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Names of members by which an object could reach its prototype. Others, such as `prototype`, are plain data. */
export const pollutingKeys: readonly string[] = ['__proto__', 'constructor'];

/**
 * Matches the escapes of a JSON text one by one: half a surrogate pair or U+0000 (named `unstorable`), or any other. A
 * backslash occurs only within strings, and everything unescaped is well-formed and not a control character.
 */
const escapes =
  /\\(?:(?<unstorable>u0000|u[Dd][89ABab]..(?!\\u[Dd][C-Fc-f])|u[Dd][C-Fc-f])|u[Dd][89ABab]..\\u[Dd][C-Fc-f]|.)/g;

/**
 * Returns where a valid JSON text spells U+0000 or a lone surrogate, which not every store can hold; null if it does
 * not. Values and names count, duplicate names too (specification, section 1).
 */
export const unstorableAt = (text: string): number | null => {
  if (!text.includes('\\')) return null;
  for (const { index, groups } of text.matchAll(escapes)) if (groups?.['unstorable']) return index;
  return null;
};
