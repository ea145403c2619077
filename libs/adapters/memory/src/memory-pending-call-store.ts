import {
  type CallFilter,
  type CallPage,
  type Instant,
  type ListedCall,
  type PendingCall,
  type PendingCallStore,
  PorticoError,
  type ProfileId,
  type SealedArguments,
  type SealedCall,
  statusAt,
  type StoredCall,
} from '@portico/domain';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase } from './memory-database.ts';
import { listLiveAccessGrants } from './memory-memberships.ts';

export const createMemoryPendingCallStore = (database: MemoryDatabase): PendingCallStore => {
  const { profiles, collections, calls } = database;

  return {
    async create(caller, collectionId, now, decide) {
      const change = decide({
        profile: profiles.get(caller) ?? null,
        collectionName: collections.get(collectionId)?.name ?? null,
        waitingCalls: waitingCallsOf(database, caller, now),
      });
      if (!change) return;
      rejectDangling(database, change.call);
      commit(database, change, () => calls.set(change.call.id, copyFrozen(change.call)));
    },

    async find(id) {
      const call = calls.get(id);
      return call ? toStoredCall(database, call) : null;
    },

    async countWaiting(now) {
      return [...calls.values()].filter((call) => statusAt(call, now) === 'waiting').length;
    },

    async list(filter, now, page) {
      const matches = [...calls.values()].filter((call) => matchesFilter(filter, call, now)).sort(compareOldestFirst);
      if (page.order === 'newest first') matches.reverse();
      return matches
        .filter((call) => isAfterCursor(call, page))
        .slice(0, page.limit)
        .map((call) => omitSealed(toStoredCall(database, call)));
    },

    async decide(id, now, decide) {
      const call = calls.get(id);
      const profile = call && profiles.get(call.profileId);
      if (!profile) throw new PorticoError('call_not_found');
      const hasGrant = listLiveAccessGrants(database, call.profileId, call.collectionId, now).length > 0;
      const change = decide({ call: toStoredCall(database, call), profile, hasGrant });
      if (!change) return;
      const { status, expiresAt, decidedAt, decidedBy, reason, sealed } = change.call;
      commit(database, change, () =>
        calls.set(id, copyFrozen({ ...call, status, expiresAt, decidedAt, decidedBy, reason, sealed })),
      );
    },

    async expire(now, limit) {
      const expiredCalls = [...calls.values()]
        .filter((call) => call.status !== 'expired' && statusAt(call, now) === 'expired')
        .sort((a, b) => a.expiresAt - b.expiresAt || compareCodePoints(a.id, b.id))
        .slice(0, limit);
      for (const call of expiredCalls) expireCall(database, call);
      return expiredCalls.length;
    },

    async prune(before, limit) {
      const oldCalls = [...calls.values()]
        .filter(({ requestedAt }) => requestedAt < before)
        .sort(compareOldestFirst)
        .slice(0, limit);
      for (const { id } of oldCalls) calls.delete(id);
      return oldCalls.length;
    },

    listSealed: async () => listSealedArguments(database),
  };
};

export const listSealedArguments = ({ calls }: MemoryDatabase): readonly SealedArguments[] =>
  [...calls.values()].flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }]));

export const expireCall = ({ calls }: MemoryDatabase, call: SealedCall): void => {
  calls.set(call.id, copyFrozen({ ...call, status: 'expired', sealed: null }));
};

const waitingCallsOf = ({ calls }: MemoryDatabase, caller: ProfileId, now: Instant): readonly SealedCall[] =>
  [...calls.values()]
    .filter((call) => call.profileId === caller && statusAt(call, now) === 'waiting')
    .sort(compareOldestFirst);

const rejectDangling = ({ profiles, collections }: MemoryDatabase, { profileId, collectionId }: PendingCall): void => {
  if (!profiles.has(profileId) || !collections.has(collectionId))
    throw new Error('A call needs a profile and a collection.');
};

const toStoredCall = ({ profiles, collections }: MemoryDatabase, call: SealedCall): StoredCall => {
  const [profile, collection] = [profiles.get(call.profileId), collections.get(call.collectionId)];
  if (!profile || !collection) throw new Error(`Call ${call.id} outlived its profile or collection.`);
  return { ...call, email: profile.email, collectionName: collection.name };
};

const omitSealed = ({ sealed: _sealed, ...call }: StoredCall): ListedCall => call;

const matchesFilter = ({ status, profileId, collectionId }: CallFilter, call: PendingCall, now: Instant): boolean =>
  (status === null || statusAt(call, now) === status) &&
  (profileId === null || call.profileId === profileId) &&
  (collectionId === null || call.collectionId === collectionId);

type Cursor = Pick<PendingCall, 'requestedAt' | 'id'>;

const compareOldestFirst = (a: Cursor, b: Cursor): number =>
  a.requestedAt - b.requestedAt || compareCodePoints(a.id, b.id);

const isAfterCursor = (call: Cursor, { order, after }: CallPage): boolean =>
  after === null ||
  (order === 'oldest first' ? compareOldestFirst(call, after) > 0 : compareOldestFirst(call, after) < 0);
