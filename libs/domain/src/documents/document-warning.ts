import { firstCharacters } from '../characters.ts';
import type { DocumentPath, DocumentWarning, SchemaViolation } from './document.ts';

/** In UTF-16 units, before `~` and `/` are escaped. */
const pointerMax = 2_000;

/** In characters (Unicode code points). */
const messageMax = 500;

/**
 * A violation as it is told: no document makes its warnings larger than some kilobytes. The JSON Pointer (RFC 6901, section 3)
 * ends at the last place above that is short enough, where names of the document would make it longer than anyone can use; a long
 * message is cut.
 */
export const warningOf = ({ path, message }: SchemaViolation): DocumentWarning => {
  const shown = firstCharacters(message, messageMax);
  return { pointer: pointerOf(path), message: shown.length < message.length ? `${shown}…` : message };
};

const pointerOf = (path: DocumentPath): string => {
  let pointer = '';
  for (const token of path) {
    const name = String(token);
    if (pointer.length + name.length > pointerMax) break;
    pointer += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
};
