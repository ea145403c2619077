import { firstCharacters } from '../characters.ts';
import { plainLines, plainName } from '../line.ts';

/** In characters (Unicode code points), once trimmed (specification, section 1). */
export const collectionNameMax = 200;

/** In characters (Unicode code points), once trimmed (specification, section 1). */
export const collectionDescriptionMax = 10_000;

/** In characters (Unicode code points), variables replaced (specification, section 4). */
export const baseUrlMax = 2_048;

/** In characters (Unicode code points), once trimmed: of what tells where a document was imported from. */
export const importKeyMax = 1_000;

/** In characters (Unicode code points): of the header, parameter or cookie with a credential (specification, section 4). */
export const parameterNameMax = 200;

/** In characters (Unicode code points), once trimmed: of the credential itself. */
export const credentialMax = 8_192;

/**
 * Returns the name that a text gives a collection: a `plainName`, cut to `collectionNameMax`; null if nothing is left.
 * A document's title is cleaned, not refused: whoever imports a document has not written it.
 */
export const nameIn = (text: string): string | null =>
  plainName(firstCharacters(plainName(beginning(text, collectionNameMax)), collectionNameMax)) || null;

/** Returns the description that a text gives a collection: plain lines, cut to `collectionDescriptionMax`; may be `''`. */
export const descriptionIn = (text: string): string => {
  const storable = plainLines(beginning(text, collectionDescriptionMax)).trim();
  return firstCharacters(storable, collectionDescriptionMax).trim();
};

/** The start of a text, longer than what can be kept, so that the rest of a huge text costs nothing. */
const beginning = (text: string, most: number): string => firstCharacters(text.trimStart(), 4 * most);
