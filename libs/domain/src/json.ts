/** A value that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Names of members by which an object could reach its prototype. Others, such as `prototype`, are plain data. */
export const pollutingKeys: readonly string[] = ['__proto__', 'constructor'];

/**
 * The escapes of a JSON text one after the other, each either of half a surrogate pair or of U+0000 (named `unstorable`), or any other.
 * A backslash stands nowhere in a JSON text but in a string, and what is not escaped is well-formed and no control character.
 */
const escapes =
  /\\(?:(?<unstorable>u0000|u[Dd][89ABab]..(?!\\u[Dd][C-Fc-f])|u[Dd][C-Fc-f])|u[Dd][89ABab]..\\u[Dd][C-Fc-f]|.)/g;

/**
 * Where a valid JSON text spells U+0000 or a lone surrogate, which not every store can hold, in a value or in a name, be it doubled
 * (specification, section 1); null where it does nowhere.
 */
export const unstorableAt = (text: string): number | null => {
  for (const { index, groups } of text.matchAll(escapes)) if (groups?.['unstorable']) return index;
  return null;
};
