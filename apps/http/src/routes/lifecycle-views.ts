import { toIsoOrNull, type Lifecycle } from '@portico/domain';
import { z } from 'zod';
import { timestamp, uuid } from './wire.ts';

const state = z.enum(['active', 'deprecated', 'retired']).meta({
  description:
    '`deprecated`: still works, but should not be used for anything new. `retired`: cannot be found, granted or called ' +
    'any more, only read.',
});

export const lifecycle = z
  .object({
    state,
    since: timestamp.nullable().meta({ description: 'When it was or will be deprecated; null if it is active.' }),
    sunset: timestamp.nullable().meta({ description: 'When it stops working; null if that is not known.' }),
    successor: uuid.nullable().meta({ description: 'The id of the collection to use instead; null if there is none.' }),
    text: z.string().nullable().meta({ description: 'A note for callers.' }),
  })
  .meta({ id: 'Lifecycle' });

export const tagList = z.array(z.string()).meta({ description: 'In the order that was set.' });

export const toLifecycleView = (value: Lifecycle): z.input<typeof lifecycle> => ({
  state: value.state,
  since: toIsoOrNull(value.since),
  sunset: toIsoOrNull(value.sunset),
  successor: value.successor,
  text: value.text,
});
