import { firstCharacters } from '../characters.ts';
import { plainLines, plainName } from '../line.ts';

/** In characters (Unicode code points), after trimming (specification, section 1). */
export const collectionNameMax = 200;

/** In characters (Unicode code points), after trimming (specification, section 1). */
export const collectionDescriptionMax = 10_000;

/** In characters (Unicode code points), with variables replaced (specification, section 4). */
export const baseUrlMax = 2_048;

/** In characters (Unicode code points), after trimming: of the source that a document was imported from. */
export const importKeyMax = 1_000;

/** In characters (Unicode code points): of the header, parameter or cookie with a credential (specification, section 4). */
export const parameterNameMax = 200;

/** In characters (Unicode code points), after trimming: of the credential itself. */
export const credentialMax = 8_192;

/**
 * Derives the name of a collection from text: a `plainName`, truncated to `collectionNameMax`; null if it is empty. A
 * document's title is cleaned, not rejected: the user who imports a document has not written it.
 */
export const nameFrom = (text: string): string | null =>
  plainName(firstCharacters(plainName(beginning(text, collectionNameMax)), collectionNameMax)) || null;

/**
 * Derives the description of a collection from text: plain lines, truncated to `collectionDescriptionMax`; may be `''`.
 */
export const descriptionFrom = (text: string): string => {
  const storable = plainLines(beginning(text, collectionDescriptionMax)).trim();
  return firstCharacters(storable, collectionDescriptionMax).trim();
};

/** Returns the start of a text, longer than can be stored, so that the rest of a huge text costs nothing. */
const beginning = (text: string, max: number): string => firstCharacters(text.trimStart(), 4 * max);
