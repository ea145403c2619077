import type { DeadLetterCursor, JobId } from '@portico/domain';
import { z } from 'zod';

const shape = /^(\d{1,15})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Returns the cursor of a dead letter in the list: opaque to the caller, which sends it back unchanged. */
export const jobCursorOf = ({ since, id }: DeadLetterCursor): string => `${since}.${id}`;

/** Parses a cursor. Any text of this form is a position in the list, even if no dead letter was ever there. */
export const jobCursor = z
  .string()
  .regex(shape, { error: 'was not issued by this service' })
  .transform((text): DeadLetterCursor => {
    const [, since = '', id = ''] = shape.exec(text) ?? [];
    return { since: Number(since), id: id as JobId };
  });
