import { firstCharacters } from '../characters.ts';
import { plainLine, plainLines } from '../line.ts';

/** In characters (Unicode code points), once trimmed (specification, section 1). */
export const collectionNameMax = 200;

/** In characters (Unicode code points), once trimmed (specification, section 1). */
export const collectionDescriptionMax = 10_000;

/** In characters (Unicode code points), variables replaced (specification, section 4). */
export const baseUrlMax = 2_048;

/** In characters (Unicode code points): of the header, parameter or cookie that carries a credential (specification, section 4). */
export const parameterNameMax = 200;

/** In characters (Unicode code points), once trimmed: of the credential itself. */
export const credentialMax = 8_192;

/** What of a text can name a collection: one plain line, cut to `collectionNameMax`; null where nothing is left. */
export const nameIn = (text: string): string | null =>
  firstCharacters(plainLine(beginning(text, collectionNameMax)), collectionNameMax).trim() || null;

/** What of a text can describe a collection: plain lines, cut to `collectionDescriptionMax`; may be `''`. */
export const descriptionIn = (text: string): string => {
  const storable = plainLines(beginning(text, collectionDescriptionMax)).trim();
  return firstCharacters(storable, collectionDescriptionMax).trim();
};

/** More of a text than can be kept, so that what is far behind costs nothing. */
const beginning = (text: string, most: number): string => firstCharacters(text.trimStart(), 4 * most);
