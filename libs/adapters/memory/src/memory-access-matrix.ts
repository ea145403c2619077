import {
  type AccessMatrix,
  isLive,
  type MatrixFilter,
  type MatrixCursor,
  type MatrixRow,
  nameKey,
} from '@portico/domain';
import { byCodePoints, type MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';
import { withEmail } from './memory-profile-store.ts';

export const createMemoryAccessMatrix = (database: MemoryDatabase): AccessMatrix => ({
  async rows(filter, after, limit) {
    const { profile } = filter;
    const id = profile?.by === 'name' ? (withEmail(database, profile.name)?.id ?? null) : (profile?.id ?? null);
    return allRows(database)
      .filter((row) => (profile === null || row.client.id === id) && matches(filter, row))
      .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
      .filter((row) => after === null || comparePlaces(placeOf(row), after) > 0)
      .slice(0, limit);
  },

  async keyExpiries(of) {
    const expiries = of.map((id) => [id, database.keys.get(id)?.expiresAt ?? null] as const);
    return new Map(expiries.flatMap(([id, expiresAt]) => (expiresAt === null ? [] : [[id, expiresAt]])));
  },
});

const allRows = (database: MemoryDatabase): MatrixRow[] =>
  [...database.profiles.values()]
    .filter(({ role }) => role === 'client')
    .flatMap((client) =>
      [...waysOf(database, client.id)].flatMap(([id, ways]) => {
        const name = database.collections.get(id)?.name;
        return name === undefined ? [] : ways.map((way) => ({ client, collection: { id, name }, way }));
      }),
    );

const matches = (
  { group, collection, expiringBefore, liveAt }: MatrixFilter,
  { collection: { id, name }, way }: MatrixRow,
): boolean =>
  (group === null || (group.by === 'id' ? way.group?.id === group.id : way.group?.name === group.name)) &&
  (collection === null || (collection.by === 'id' ? id === collection.id : name === collection.name)) &&
  (expiringBefore === null || (way.expiresAt !== null && way.expiresAt < expiringBefore)) &&
  (liveAt === null || isLive(way, liveAt));

const placeOf = ({ client, collection, way }: MatrixRow): MatrixCursor => ({
  email: client.email,
  nameKey: nameKey(collection.name),
  collectionId: collection.id,
  groupName: way.group?.name ?? '',
});

const comparePlaces = (a: MatrixCursor, b: MatrixCursor): number =>
  byCodePoints(a.email, b.email) ||
  byCodePoints(a.nameKey, b.nameKey) ||
  byCodePoints(a.collectionId, b.collectionId) ||
  byCodePoints(a.groupName, b.groupName);
