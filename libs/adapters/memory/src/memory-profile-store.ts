import { matchesFilter, isSameEmail, PorticoError } from '@portico/domain';
import type { Effects, Profile, ProfileId, ProfilePage, ProfileState, ProfileStore } from '@portico/domain';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase, removeCredentialsOf } from './memory-database.ts';

export const createMemoryProfileStore = (database: MemoryDatabase): ProfileStore => ({
  ...readsOf(database),
  ...changesOf(database),
});

type Change = 'add' | 'update' | 'remove' | 'claimAdmin';

const readsOf = (database: MemoryDatabase): Omit<ProfileStore, Change> => {
  const { profiles } = database;
  return {
    async find(id) {
      return profiles.get(id) ?? null;
    },

    async findByEmail(email) {
      return findProfileByEmail(database, email);
    },

    async list() {
      return sortOldestFirst([...profiles.values()]);
    },

    ...selectionsOf(database),

    async listAdmins() {
      return adminsOf(database);
    },

    async readPending(limit) {
      const pendingProfiles = [...profiles.values()].filter(({ status }) => status === 'pending');
      const newestProfiles = pendingProfiles
        .sort((a, b) => b.createdAt - a.createdAt || compareCodePoints(b.id, a.id))
        .slice(0, limit);
      return { total: pendingProfiles.length, newest: newestProfiles };
    },
  };
};

const changesOf = (database: MemoryDatabase): Pick<ProfileStore, Change> => {
  const { profiles, keys } = database;
  return {
    async add(profile, effects) {
      rejectDuplicateIdentity(database, profile);
      commit(database, effects, () => profiles.set(profile.id, copyFrozen(profile)));
    },

    async update(id, decide) {
      const state = stateOf(database, id);
      const change = decide(state);
      rejectDuplicateIdentity(database, change.profile);
      rejectUnknownTier(database, state.profile, change.profile);
      const profile = copyFrozen(change.profile);
      commit(database, change, () => {
        profiles.set(id, profile);
        if (change.key) keys.set(id, copyFrozen(change.key));
        else keys.delete(id);
      });
      return profile;
    },

    async remove(id, decide) {
      const effects = decide(stateOf(database, id));
      commit(database, effects, () => removeCascading(database, id));
    },

    async claimAdmin({ uid, email }, decide) {
      const match = findProfileByUid(database, uid) ?? findProfileByEmail(database, email);
      const change = decide({ admins: adminsOf(database), match });
      return change && storeClaimedProfile(database, change);
    },
  };
};

export const findProfileByUid = (database: MemoryDatabase, uid: string): Profile | null =>
  [...database.profiles.values()].find((profile) => profile.uid === uid) ?? null;

export const findProfileByEmail = ({ profiles }: Pick<MemoryDatabase, 'profiles'>, email: string): Profile | null => {
  const sortedProfiles = sortOldestFirst([...profiles.values()]);
  return (
    sortedProfiles.find((profile) => profile.email === email) ??
    sortedProfiles.find((profile) => isSameEmail(profile.email, email)) ??
    null
  );
};

const selectionsOf = ({ profiles }: MemoryDatabase): Pick<ProfileStore, 'select' | 'count'> => ({
  async select(filter, { order, limit, after }) {
    const matches = sortOldestFirst([...profiles.values()].filter((profile) => matchesFilter(filter, profile)));
    const orderedProfiles = order === 'oldest' ? matches : matches.reverse();
    const remainingProfiles = after
      ? orderedProfiles.filter((profile) => isAfterCursor(profile, after, order))
      : orderedProfiles;
    return limit === null ? remainingProfiles : remainingProfiles.slice(0, limit);
  },

  async count(filter) {
    return [...profiles.values()].filter((profile) => matchesFilter(filter, profile)).length;
  },
});

type Cursor = NonNullable<ProfilePage['after']>;

const compareAges = (a: Cursor, b: Cursor): number => a.createdAt - b.createdAt || compareCodePoints(a.id, b.id);

const sortOldestFirst = (profiles: Profile[]): Profile[] => profiles.sort(compareAges);

const isAfterCursor = (profile: Profile, cursor: Cursor, order: ProfilePage['order']): boolean =>
  order === 'oldest' ? compareAges(profile, cursor) > 0 : compareAges(profile, cursor) < 0;

const adminsOf = (database: MemoryDatabase): readonly Profile[] =>
  sortOldestFirst([...database.profiles.values()].filter(({ role }) => role === 'admin'));

const stateOf = (database: MemoryDatabase, id: ProfileId): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsOf(database) };
};

const rejectDuplicateIdentity = (database: MemoryDatabase, { id, email, uid }: Profile): void => {
  const emailOwner = findProfileByEmail(database, email);
  if (emailOwner && emailOwner.id !== id) throw new PorticoError('email_taken');
  const uidOwner = findProfileByUid(database, uid);
  if (uidOwner && uidOwner.id !== id) throw new PorticoError('identity_taken');
};

const rejectUnknownTier = ({ tiers }: MemoryDatabase, previousProfile: Profile, { tier }: Profile): void => {
  if (tier !== null && tier !== previousProfile.tier && !tiers.has(tier)) throw new PorticoError('tier_not_found');
};

const storeClaimedProfile = (database: MemoryDatabase, change: Effects & { readonly profile: Profile }): Profile => {
  rejectDuplicateIdentity(database, change.profile);
  const profile = copyFrozen(change.profile);
  commit(database, change, () => database.profiles.set(profile.id, profile));
  return profile;
};

const removeCascading = (database: MemoryDatabase, id: ProfileId): void => {
  const { profiles, keys, grants, groupMembers, claims, requests, calls, overrides, jobs, uses, operationUses } =
    database;
  profiles.delete(id);
  removeCredentialsOf(database, id);
  claims.delete(id);
  for (const members of groupMembers.values()) members.delete(id);
  for (const request of requests.values()) if (request.profileId === id) requests.delete(request.id);
  for (const call of calls.values()) if (call.profileId === id) calls.delete(call.id);
  keys.delete(id);
  grants.delete(id);
  for (const { profile, override } of overrides.values()) {
    if (profile === id) overrides.delete(override.id);
  }
  for (const { job } of jobs.values()) {
    if ('profileId' in job.task && job.task.profileId === id) jobs.delete(job.id);
  }
  for (const useMap of [uses, operationUses])
    for (const [key, { profileId }] of useMap) if (profileId === id) useMap.delete(key);
};
