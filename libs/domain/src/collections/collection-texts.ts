import { takeFirstCharacters } from '../characters.ts';
import { toPlainLines, toPlainName } from '../line.ts';

/** The maximum length of a name, in characters (Unicode code points), after trimming (specification, section 1). */
export const collectionNameMax = 200;

/**
 * The maximum length of a description, in characters (Unicode code points), after trimming (specification, section 1).
 */
export const collectionDescriptionMax = 10_000;

/**
 * The maximum length of a base URL, in characters (Unicode code points), with variables replaced (specification,
 * section 4).
 */
export const baseUrlMax = 2_048;

/**
 * The maximum length of an import key, which names the source of a document, in characters (Unicode code points), after
 * trimming.
 */
export const importKeyMax = 1_000;

/**
 * The maximum length of the name of a header, parameter or cookie that carries a credential, in characters (Unicode
 * code points; specification, section 4).
 */
export const parameterNameMax = 200;

/** The maximum length of a credential, in characters (Unicode code points), after trimming. */
export const credentialMax = 8_192;

/** The maximum length of a base URL that an admin sets, in characters (Unicode code points), after trimming. */
export const baseUrlSettingMax = 2_000;

/** The maximum number of server variables of a collection. */
export const serverVariablesMax = 50;

/** The maximum length of the name of a server variable, in characters (Unicode code points). */
export const serverVariableNameMax = 100;

/** The maximum length of the value of a server variable, in characters (Unicode code points), after trimming. */
export const serverVariableValueMax = 500;

/** The maximum length of the name of a security scheme with a credential, in characters (Unicode code points). */
export const schemeNameMax = 200;

/** The maximum number of security schemes that are read from a document, and of credentials of a collection. */
export const schemesMax = 100;

/** The maximum number of groups and profiles with a credential for one security scheme of a collection. */
export const subjectsMax = 1_000;

/** The maximum number of origins that a credential is bound to. */
export const originsMax = 200;

/**
 * Derives the name of a collection from text: a plain name (`toPlainName`), truncated to `collectionNameMax`; null if the result is
 * empty. A document's title is cleaned, not rejected: the user who imports a document did not write its title.
 */
export const nameFrom = (text: string): string | null =>
  toPlainName(takeFirstCharacters(toPlainName(takeRoughPrefix(text, collectionNameMax)), collectionNameMax)) || null;

/**
 * Derives the description of a collection from text: plain lines, truncated to `collectionDescriptionMax`; may be `''`.
 */
export const descriptionFrom = (text: string): string => {
  const storableText = toPlainLines(takeRoughPrefix(text, collectionDescriptionMax)).trim();
  return takeFirstCharacters(storableText, collectionDescriptionMax).trim();
};

/**
 * Returns the beginning of a text, with more characters than can be stored, so that the rest of a huge text costs
 * nothing.
 */
const takeRoughPrefix = (text: string, max: number): string => takeFirstCharacters(text.trimStart(), 4 * max);
