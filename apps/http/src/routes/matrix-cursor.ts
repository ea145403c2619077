import type { MatrixCursor } from '@portico/domain';
import { z } from 'zod';

const part = '([A-Za-z0-9_-]*)';
const shape = new RegExp(`^${[part, part, part, part].join('\\.')}$`);

/** Returns the cursor of a row of the matrix: opaque to the caller, which sends it back unchanged. */
export const matrixCursorOf = ({ email, nameKey, collectionId, groupName }: MatrixCursor): string =>
  [email, nameKey, collectionId, groupName].map((text) => Buffer.from(text).toString('base64url')).join('.');

/** Parses a cursor. Any text of this form is a position, even if no row was ever there. */
export const matrixCursor = z
  .string()
  .regex(shape, { error: 'was not issued by this service' })
  .transform((cursorText): MatrixCursor => {
    const [, email = '', nameKey = '', collectionId = '', groupName = ''] = shape.exec(cursorText) ?? [];
    return {
      email: textOf(email),
      nameKey: textOf(nameKey),
      collectionId: textOf(collectionId),
      groupName: textOf(groupName),
    };
  });

/** Decodes a text. Removes U+0000, which no stored text contains and PostgreSQL cannot compare. */
const textOf = (encoded: string): string => Buffer.from(encoded, 'base64url').toString('utf8').replaceAll('\0', '');
