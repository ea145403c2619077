import { nameKey, type CollectionId, type ListPage } from '@portico/domain';
import { z } from 'zod';

type Place = NonNullable<ListPage['after']>;

const shape = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]*)$/;

/** The place of a collection in a list as a caller carries it: opaque, to be sent back as it is. */
export const cursorOf = ({ id, name }: { readonly id: CollectionId; readonly name: string }): string =>
  `${id}.${Buffer.from(nameKey(name)).toString('base64url')}`;

/** The place that a cursor names. Whatever has its shape names one, also where no collection is or ever was. */
export const cursor = z
  .string()
  .regex(shape, { error: 'is not one that was given out' })
  .transform((given): Place => {
    const [, id = '', key = ''] = shape.exec(given) ?? [];
    const text = Buffer.from(key, 'base64url').toString('utf8');
    // No name has U+0000, which PostgreSQL cannot compare with either.
    return { nameKey: text.replaceAll('\0', ''), id: id as CollectionId };
  });
