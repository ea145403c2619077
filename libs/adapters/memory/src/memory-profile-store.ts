import { matchesFilter, isSameEmail, PorticoError } from '@portico/domain';
import type { Effects, Profile, ProfileId, ProfilePage, ProfileState, ProfileStore } from '@portico/domain';
import { byCodePoints, commit, frozenCopy, type MemoryDatabase } from './memory-database.ts';

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
      return withEmail(database, email);
    },

    async list() {
      return oldestFirst([...profiles.values()]);
    },

    ...selectionsOf(database),

    async admins() {
      return adminsOf(database);
    },

    async pending(limit) {
      const pending = [...profiles.values()].filter(({ status }) => status === 'pending');
      const newest = pending.sort((a, b) => b.createdAt - a.createdAt || byCodePoints(b.id, a.id)).slice(0, limit);
      return { total: pending.length, newest };
    },
  };
};

const changesOf = (database: MemoryDatabase): Pick<ProfileStore, Change> => {
  const { profiles, keys } = database;
  return {
    async add(profile, effects) {
      rejectTaken(database, profile);
      commit(database, effects, () => profiles.set(profile.id, frozenCopy(profile)));
    },

    async update(id, decide) {
      const state = stateOf(database, id);
      const change = decide(state);
      rejectTaken(database, change.profile);
      rejectUnknownTier(database, state.profile, change.profile);
      const profile = frozenCopy(change.profile);
      commit(database, change, () => {
        profiles.set(id, profile);
        if (change.key) keys.set(id, frozenCopy(change.key));
        else keys.delete(id);
      });
      return profile;
    },

    async remove(id, decide) {
      const effects = decide(stateOf(database, id));
      commit(database, effects, () => removeCascading(database, id));
    },

    async claimAdmin({ uid, email }, decide) {
      const match = withUid(database, uid) ?? withEmail(database, email);
      const change = decide({ admins: adminsOf(database), match });
      return change && storeClaimed(database, change);
    },
  };
};

export const withUid = (database: MemoryDatabase, uid: string): Profile | null =>
  [...database.profiles.values()].find((profile) => profile.uid === uid) ?? null;

export const withEmail = ({ profiles }: Pick<MemoryDatabase, 'profiles'>, email: string): Profile | null => {
  const all = oldestFirst([...profiles.values()]);
  return all.find((one) => one.email === email) ?? all.find((one) => isSameEmail(one.email, email)) ?? null;
};

const selectionsOf = ({ profiles }: MemoryDatabase): Pick<ProfileStore, 'select' | 'count'> => ({
  async select(filter, { order, limit, after }) {
    const matches = oldestFirst([...profiles.values()].filter((profile) => matchesFilter(filter, profile)));
    const ordered = order === 'oldest' ? matches : matches.reverse();
    const remaining = after ? ordered.filter((profile) => isAfterCursor(profile, after, order)) : ordered;
    return limit === null ? remaining : remaining.slice(0, limit);
  },

  async count(filter) {
    return [...profiles.values()].filter((profile) => matchesFilter(filter, profile)).length;
  },
});

type Cursor = NonNullable<ProfilePage['after']>;

const byAge = (a: Cursor, b: Cursor): number => a.createdAt - b.createdAt || byCodePoints(a.id, b.id);

const oldestFirst = (profiles: Profile[]): Profile[] => profiles.sort(byAge);

const isAfterCursor = (profile: Profile, cursor: Cursor, order: ProfilePage['order']): boolean =>
  order === 'oldest' ? byAge(profile, cursor) > 0 : byAge(profile, cursor) < 0;

const adminsOf = (database: MemoryDatabase): readonly Profile[] =>
  oldestFirst([...database.profiles.values()].filter(({ role }) => role === 'admin'));

const stateOf = (database: MemoryDatabase, id: ProfileId): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsOf(database) };
};

const rejectTaken = (database: MemoryDatabase, { id, email, uid }: Profile): void => {
  const sameEmail = withEmail(database, email);
  if (sameEmail && sameEmail.id !== id) throw new PorticoError('email_taken');
  const sameUid = withUid(database, uid);
  if (sameUid && sameUid.id !== id) throw new PorticoError('identity_taken');
};

const rejectUnknownTier = ({ tiers }: MemoryDatabase, before: Profile, { tier }: Profile): void => {
  if (tier !== null && tier !== before.tier && !tiers.has(tier)) throw new PorticoError('tier_not_found');
};

const storeClaimed = (database: MemoryDatabase, change: Effects & { readonly profile: Profile }): Profile => {
  rejectTaken(database, change.profile);
  const profile = frozenCopy(change.profile);
  commit(database, change, () => database.profiles.set(profile.id, profile));
  return profile;
};

const removeCascading = (database: MemoryDatabase, id: ProfileId): void => {
  const { profiles, keys, grants, groupMembers, claims, requests, overrides, jobs, uses } = database;
  profiles.delete(id);
  claims.delete(id);
  for (const members of groupMembers.values()) members.delete(id);
  for (const request of requests.values()) if (request.profileId === id) requests.delete(request.id);
  keys.delete(id);
  grants.delete(id);
  for (const { profile, override } of overrides.values()) {
    if (profile === id) overrides.delete(override.id);
  }
  for (const { job } of jobs.values()) {
    if ('profileId' in job.task && job.task.profileId === id) jobs.delete(job.id);
  }
  for (const [key, { profileId }] of uses) if (profileId === id) uses.delete(key);
};
