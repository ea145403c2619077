import { nameKey, parseId, PorticoError, type CollectionId, type ListPage } from '@portico/domain';

type Place = NonNullable<ListPage['after']>;

/** The place of a collection in a list as a caller carries it: opaque, to be sent back as it is. */
export const cursorOf = ({ id, name }: { readonly id: CollectionId; readonly name: string }): string =>
  Buffer.from(JSON.stringify([nameKey(name), id])).toString('base64url');

/** The place that a cursor names; raises `invalid_query` for one that was not given out. */
export const placeOf = (cursor: string): Place => {
  const place = readPlace(cursor);
  if (!place) throw new PorticoError('invalid_query', { because: 'cursor is not one that was given out' });
  return place;
};

const readPlace = (cursor: string): Place | null => {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const [key, id] = Array.isArray(read) && read.length === 2 ? (read as unknown[]) : [];
    const parsed = typeof id === 'string' ? parseId<CollectionId>(id) : null;
    return typeof key === 'string' && isStorable(key) && parsed ? { nameKey: key, id: parsed } : null;
  } catch {
    return null; // No JSON: not a cursor.
  }
};

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
