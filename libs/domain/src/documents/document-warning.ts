import { takeFirstCharacters } from '../characters.ts';
import type { DocumentPath, DocumentWarning, SchemaViolation } from './document.ts';

/** The maximum length of a pointer, in UTF-16 units, before `~` and `/` are escaped. */
const pointerMax = 2_000;

/** The maximum length of a message, in characters (Unicode code points). */
const messageMax = 500;

/**
 * Converts a violation to a warning of at most a few kilobytes. If the document's names make a JSON Pointer (RFC 6901,
 * section 3) too long, it is truncated to its last ancestor that fits; a long message is truncated.
 */
export const warningOf = ({ path, message }: SchemaViolation): DocumentWarning => {
  const truncatedMessage = takeFirstCharacters(message, messageMax);
  return {
    pointer: pointerOf(path),
    message: truncatedMessage.length < message.length ? `${truncatedMessage}…` : message,
  };
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
