import {
  type AccessGrant,
  type CollectionId,
  type Group,
  type GroupId,
  type Instant,
  isLive,
  type Membership,
  type OperationRule,
  type ProfileId,
  unrestrictedRule,
} from '@portico/domain';
import { compareCodePoints, type MemoryDatabase } from './memory-database.ts';

/** Returns how a profile belongs to a group; null if it is not a member. */
export const membershipIn = (
  { groupMembers, claims }: MemoryDatabase,
  profile: ProfileId,
  { id, name }: Pick<Group, 'id' | 'name'>,
): Membership | null => {
  const addedAt = groupMembers.get(id)?.get(profile) ?? null;
  const groupClaims = claims.get(profile);
  const claimedAt = groupClaims?.names.includes(name) ? groupClaims.seenAt : null;
  return addedAt === null && claimedAt === null ? null : { addedAt, claimedAt };
};

/** Returns the groups of a profile, sorted by name. */
export const groupsOf = (database: MemoryDatabase, profile: ProfileId): readonly Group[] =>
  [...database.groups.values()]
    .filter((group) => membershipIn(database, profile, group) !== null)
    .sort((a, b) => compareCodePoints(a.name, b.name));

/**
 * Returns a profile's grants by collection, including expired ones: its own grants first, then those of its groups,
 * ordered by group name.
 */
export const accessGrantsOf = (
  database: MemoryDatabase,
  profile: ProfileId,
): ReadonlyMap<CollectionId, readonly AccessGrant[]> => {
  const accessGrants = new Map<CollectionId, AccessGrant[]>();
  const addAll = (grantee: ProfileId | GroupId, group: AccessGrant['group']) => {
    for (const [collection, grant] of database.grants.get(grantee) ?? [])
      accessGrants.set(collection, [...(accessGrants.get(collection) ?? []), { group, ...grant }]);
  };
  addAll(profile, null);
  for (const { id, name } of groupsOf(database, profile)) addAll(id, { id, name });
  return accessGrants;
};

/** Returns a profile's grants for a collection that have not expired at `now`. */
export const listLiveAccessGrants = (
  database: MemoryDatabase,
  profile: ProfileId,
  collection: CollectionId,
  now: Instant,
): readonly AccessGrant[] =>
  (accessGrantsOf(database, profile).get(collection) ?? []).filter((grant) => isLive(grant, now));

/** Returns whether the profile is a member of the group that owns the collection. */
export const ownsCollection = (database: MemoryDatabase, profile: ProfileId, id: CollectionId): boolean => {
  const ownerGroup = database.collections.get(id)?.ownerGroup ?? null;
  return ownerGroup !== null && groupsOf(database, profile).some((group) => group.id === ownerGroup);
};

/** Returns the rules of these grants; only `unrestrictedRule` if one of them has no rule. */
export const listLiveRules = (
  database: MemoryDatabase,
  profile: ProfileId,
  collection: CollectionId,
  now: Instant,
): readonly OperationRule[] => {
  const rules = listLiveAccessGrants(database, profile, collection, now).map(({ rule }) => rule);
  return rules.includes(null) ? [unrestrictedRule] : rules.filter((rule) => rule !== null);
};
