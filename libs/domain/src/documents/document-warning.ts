import { firstCharacters } from '../characters.ts';
import type { DocumentPath, DocumentWarning, SchemaViolation } from './document.ts';

/** In UTF-16 units, before `~` and `/` are escaped. */
const pointerMax = 2_000;

/** In characters (Unicode code points). */
const messageMax = 500;

/**
 * Turns a violation into a warning of a few kilobytes at most. A JSON Pointer (RFC 6901, section 3) that the document's
 * names would make too long to use ends at its last ancestor that fits; a long message is cut.
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
