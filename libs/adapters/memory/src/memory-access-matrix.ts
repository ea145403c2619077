import {
  type AccessMatrix,
  isLive,
  type MatrixFilter,
  type MatrixCursor,
  type MatrixRow,
  toNameKey,
} from '@portico/domain';
import { compareCodePoints, type MemoryDatabase } from './memory-database.ts';
import { accessGrantsOf } from './memory-memberships.ts';
import { findProfileByEmail } from './memory-profile-store.ts';

export const createMemoryAccessMatrix = (database: MemoryDatabase): AccessMatrix => ({
  async listRows(filter, after, limit) {
    const { profile } = filter;
    const id =
      profile?.by === 'name' ? (findProfileByEmail(database, profile.name)?.id ?? null) : (profile?.id ?? null);
    return listAllRows(database)
      .filter((row) => (profile === null || row.client.id === id) && matchesFilter(filter, row))
      .sort((a, b) => compareCursors(cursorOf(a), cursorOf(b)))
      .filter((row) => after === null || compareCursors(cursorOf(row), after) > 0)
      .slice(0, limit);
  },

  async findKeyExpiries(profileIds) {
    const expiries = profileIds.map((id) => [id, database.keys.get(id)?.expiresAt ?? null] as const);
    return new Map(expiries.flatMap(([id, expiresAt]) => (expiresAt === null ? [] : [[id, expiresAt]])));
  },
});

const listAllRows = (database: MemoryDatabase): MatrixRow[] =>
  [...database.profiles.values()]
    .filter(({ role }) => role === 'client')
    .flatMap((client) =>
      [...accessGrantsOf(database, client.id)].flatMap(([id, grants]) => {
        const name = database.collections.get(id)?.name;
        return name === undefined ? [] : grants.map((grant) => ({ client, collection: { id, name }, grant }));
      }),
    );

const matchesFilter = (
  { group, collection, expiringBefore, liveAt }: MatrixFilter,
  { collection: { id, name }, grant }: MatrixRow,
): boolean =>
  (group === null || (group.by === 'id' ? grant.group?.id === group.id : grant.group?.name === group.name)) &&
  (collection === null || (collection.by === 'id' ? id === collection.id : name === collection.name)) &&
  (expiringBefore === null || (grant.expiresAt !== null && grant.expiresAt < expiringBefore)) &&
  (liveAt === null || isLive(grant, liveAt));

const cursorOf = ({ client, collection, grant }: MatrixRow): MatrixCursor => ({
  email: client.email,
  nameKey: toNameKey(collection.name),
  collectionId: collection.id,
  groupName: grant.group?.name ?? '',
});

const compareCursors = (a: MatrixCursor, b: MatrixCursor): number =>
  compareCodePoints(a.email, b.email) ||
  compareCodePoints(a.nameKey, b.nameKey) ||
  compareCodePoints(a.collectionId, b.collectionId) ||
  compareCodePoints(a.groupName, b.groupName);
