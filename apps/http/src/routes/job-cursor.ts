import type { DeadLetterPlace, JobId } from '@portico/domain';
import { z } from 'zod';

const shape = /^(\d{1,15})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Returns the cursor of a dead letter in their list: opaque to the caller, who sends it back as it is. */
export const jobCursorOf = ({ since, id }: DeadLetterPlace): string => `${since}.${id}`;

/** Parses a cursor. Anything of its shape names a place in the list, whether or not a dead letter was ever there. */
export const jobCursor = z
  .string()
  .regex(shape, { error: 'is not one that was given out' })
  .transform((given): DeadLetterPlace => {
    const [, since = '', id = ''] = shape.exec(given) ?? [];
    return { since: Number(since), id: id as JobId };
  });
