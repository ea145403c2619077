import {
  type AccessRequest,
  type CollectionId,
  allGroups,
  foldCase,
  type Group,
  type GroupId,
  type GroupMember,
  type GroupStore,
  isLive,
  type Instant,
  type ListedGroup,
  type MemberState,
  PorticoError,
  type ProfileId,
  type GroupRename,
} from '@portico/domain';
import { sortInListOrder, updateCollections } from './memory-collection-store.ts';
import {
  compareCodePoints,
  commit,
  copyFrozen,
  type MemoryDatabase,
  removeCredentialsOf,
  touchGrants,
} from './memory-database.ts';
import { groupsOf, membershipIn } from './memory-memberships.ts';

export const createMemoryGroupStore = (database: MemoryDatabase): GroupStore => ({
  async add(group, effects) {
    rejectTakenName(database, group);
    rejectUnknownTier(database, null, group);
    commit(database, effects, () => {
      database.groups.set(group.id, copyFrozen(group));
      database.groupsEpoch += 1;
    });
  },

  async list(now, { containing, limit, after } = allGroups) {
    const remainingGroups = findGroupsContaining(database, containing).filter(
      ({ name }) => after === null || compareCodePoints(name, after) > 0,
    );
    return remainingGroups
      .slice(0, limit ?? remainingGroups.length)
      .map((group) => toListedGroup(database, group, now));
  },

  async count(containing) {
    return findGroupsContaining(database, containing).length;
  },

  async find(id, now) {
    const group = database.groups.get(id);
    return group ? toListedGroup(database, group, now) : null;
  },

  async findByNames(names) {
    return [...database.groups.values()].filter(({ name }) => names.includes(name));
  },

  async update(id, decide, renaming = null) {
    const currentGroup = requireGroup(database, id);
    const change = decide(currentGroup, renaming ? listRequestsByClaim(database, currentGroup, renaming) : []);
    const group = copyFrozen({ ...change.group, id });
    rejectTakenName(database, group);
    rejectUnknownTier(database, currentGroup.tier, group);
    commit(database, change, () => {
      database.groups.set(id, group);
      database.groupsEpoch += 1;
      storeRequests(database, change.requests);
    });
    return group;
  },

  async remove(id, decide) {
    const effects = decide(requireGroup(database, id));
    commit(database, effects, () => {
      database.groups.delete(id);
      database.groupMembers.delete(id);
      database.grants.delete(id);
      updateCollections(database, ({ ownerGroup }) => (ownerGroup === id ? { ownerGroup: null } : null));
      removeCredentialsOf(database, id);
      database.groupsEpoch += 1;
    });
  },

  async listCollections(id, now) {
    if (!database.groups.has(id)) return null;
    const grants = database.grants.get(id);
    return sortInListOrder([...database.collections.values()]).flatMap((collection) => {
      const grant = grants?.get(collection.id);
      return grant && isLive(grant, now) ? [{ id: collection.id, name: collection.name, ...grant }] : [];
    });
  },

  ...membersOf(database),
});

const membersOf = (
  database: MemoryDatabase,
): Pick<GroupStore, 'listMembers' | 'listByProfile' | 'updateMembers' | 'syncClaims' | 'clearClaims'> => ({
  async listMembers(id) {
    const group = database.groups.get(id);
    return group ? membersIn(database, group) : null;
  },

  async listByProfile(profile) {
    return groupsOf(database, profile).flatMap((group) => {
      const membership = membershipIn(database, profile, group);
      return membership ? [{ ...group, ...membership }] : [];
    });
  },

  async updateMembers(id, profiles, now, decide) {
    const group = requireGroup(database, id);
    const change = decide(
      group,
      profiles.map((profile) => memberStateOf(database, group, profile, now)),
    );
    const { add = [], remove = [] } = change;
    if (add.some((member) => !database.profiles.has(member.id))) throw new Error('A member needs a profile.');
    commit(database, change, () => {
      const members = new Map(database.groupMembers.get(id));
      for (const member of add) members.set(member.id, member.addedAt);
      for (const profile of remove) members.delete(profile);
      database.groupMembers.set(id, members);
      for (const profile of [...add.map((member) => member.id), ...remove]) touchGrants(database, profile);
      storeRequests(database, change.requests);
    });
  },

  async syncClaims(profile, claims, decide) {
    const currentClaims = database.claims.get(profile) ?? null;
    if (!database.profiles.has(profile) || (currentClaims && currentClaims.issuedAt > claims.issuedAt)) return;
    const claimedGroups = [...database.groups.values()].filter(({ name }) => claims.names.includes(name));
    const change = decide(
      currentClaims,
      pendingRequestsOf(database, profile, collectionsOf(database, claimedGroups, claims.seenAt)),
    );
    commit(database, change, () => {
      database.claims.set(profile, copyFrozen(claims));
      if (String(currentClaims?.names ?? []) !== String(claims.names)) touchGrants(database, profile);
      storeRequests(database, change.requests);
    });
  },

  async clearClaims() {
    const profiles = [...database.claims.keys()];
    database.claims.clear();
    for (const profile of profiles) touchGrants(database, profile);
    return profiles.length;
  },
});

const sortByName = <T extends Pick<Group, 'name'>>(groups: T[]): T[] =>
  groups.sort((a, b) => compareCodePoints(a.name, b.name));

const findGroupsContaining = (database: MemoryDatabase, containing: string | null): Group[] =>
  sortByName(
    [...database.groups.values()].filter(
      ({ name }) => containing === null || foldCase(name).includes(foldCase(containing)),
    ),
  );

const membersIn = (database: MemoryDatabase, group: Group): readonly GroupMember[] =>
  [...database.profiles.values()]
    .flatMap(({ id, email, fullName }) => {
      const membership = membershipIn(database, id, group);
      return membership ? [{ profileId: id, email, fullName, ...membership }] : [];
    })
    .sort((a, b) => compareCodePoints(a.email, b.email));

const toListedGroup = (database: MemoryDatabase, group: Group, now: Instant): ListedGroup => ({
  ...group,
  members: membersIn(database, group).length,
  collections: collectionsOf(database, [group], now).size,
});

const requireGroup = ({ groups }: MemoryDatabase, id: GroupId): Group => {
  const group = groups.get(id);
  if (!group) throw new PorticoError('group_not_found');
  return group;
};

const rejectTakenName = ({ groups }: MemoryDatabase, { id, name }: Group): void => {
  if ([...groups.values()].some((otherGroup) => otherGroup.name === name && otherGroup.id !== id))
    throw new PorticoError('group_taken');
};

const rejectUnknownTier = ({ tiers }: MemoryDatabase, previousTier: string | null, { tier }: Group): void => {
  if (tier !== null && tier !== previousTier && !tiers.has(tier)) throw new PorticoError('tier_not_found');
};

const memberStateOf = (database: MemoryDatabase, group: Group, id: ProfileId, now: Instant): MemberState => ({
  id,
  profile: database.profiles.get(id) ?? null,
  ...(membershipIn(database, id, group) ?? { addedAt: null, claimedAt: null }),
  requests: pendingRequestsOf(database, id, collectionsOf(database, [group], now)),
});

const collectionsOf = ({ grants }: MemoryDatabase, groups: readonly Group[], now: Instant): ReadonlySet<CollectionId> =>
  new Set(
    groups.flatMap(({ id }) =>
      [...(grants.get(id) ?? [])].filter(([, grant]) => isLive(grant, now)).map(([collection]) => collection),
    ),
  );

const pendingRequestsOf = (
  { requests }: MemoryDatabase,
  profile: ProfileId,
  collections: ReadonlySet<CollectionId>,
): readonly AccessRequest[] =>
  [...requests.values()].filter(
    ({ status, profileId, collectionId }) =>
      status === 'pending' && profileId === profile && collections.has(collectionId),
  );

const listRequestsByClaim = (
  database: MemoryDatabase,
  group: Group,
  { name, now }: GroupRename,
): readonly AccessRequest[] =>
  [...database.claims]
    .filter(([, { names }]) => names.includes(name))
    .flatMap(([profile]) => pendingRequestsOf(database, profile, collectionsOf(database, [group], now)));

const storeRequests = ({ requests }: MemoryDatabase, decidedRequests: readonly AccessRequest[] = []): void => {
  for (const request of decidedRequests) requests.set(request.id, copyFrozen(request));
};
