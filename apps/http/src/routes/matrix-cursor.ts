import type { MatrixPlace } from '@portico/domain';
import { z } from 'zod';

const part = '([A-Za-z0-9_-]*)';
const shape = new RegExp(`^${[part, part, part, part].join('\\.')}$`);

/** Returns the cursor of a row of the matrix: opaque to the caller, who sends it back as it is. */
export const matrixCursorOf = ({ email, nameKey, collectionId, groupName }: MatrixPlace): string =>
  [email, nameKey, collectionId, groupName].map((text) => Buffer.from(text).toString('base64url')).join('.');

/** Parses a cursor. Anything of its shape names a place, whether or not a row was ever there. */
export const matrixCursor = z
  .string()
  .regex(shape, { error: 'is not one that was given out' })
  .transform((given): MatrixPlace => {
    const [, email = '', nameKey = '', collectionId = '', groupName = ''] = shape.exec(given) ?? [];
    return {
      email: textOf(email),
      nameKey: textOf(nameKey),
      collectionId: textOf(collectionId),
      groupName: textOf(groupName),
    };
  });

/** No stored text contains U+0000, and PostgreSQL cannot compare with it. */
const textOf = (encoded: string): string => Buffer.from(encoded, 'base64url').toString('utf8').replaceAll('\0', '');
