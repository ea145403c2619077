import { toNameKey, type CollectionId, type ListPage } from '@portico/domain';
import { z } from 'zod';

type Position = NonNullable<ListPage['after']>;

const shape = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]*)$/;

/** Returns the cursor of a collection in a list: opaque to the caller, which sends it back unchanged. */
export const cursorOf = ({ id, name }: { readonly id: CollectionId; readonly name: string }): string =>
  `${id}.${Buffer.from(toNameKey(name)).toString('base64url')}`;

/** Parses a cursor. Any text of this form is a position in the list, even if no collection was ever there. */
export const cursor = z
  .string()
  .regex(shape, { error: 'was not issued by this service' })
  .transform((cursorText): Position => {
    const [, id = '', key = ''] = shape.exec(cursorText) ?? [];
    const text = Buffer.from(key, 'base64url').toString('utf8');
    // No name contains U+0000, and PostgreSQL cannot compare with it.
    return { nameKey: text.replaceAll('\0', ''), id: id as CollectionId };
  });

/** Returns the collections after a position in a complete list. UTF-8 bytes sort by code point, like lists. */
export const filterCollectionsAfter = <Line extends { readonly id: CollectionId; readonly name: string }>(
  lines: readonly Line[],
  position: Position | null,
): readonly Line[] => {
  if (!position) return lines;
  const key = Buffer.from(position.nameKey);
  return lines.filter(
    ({ id, name }) =>
      (Buffer.compare(Buffer.from(toNameKey(name)), key) || (id < position.id ? -1 : Number(id > position.id))) > 0,
  );
};
