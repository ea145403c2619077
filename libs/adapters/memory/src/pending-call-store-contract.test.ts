import { pendingCallStoreContract, start } from '@portico/contracts';
import type { CallState, NewCallState, SealedCall, StoredCall } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { create, countWaiting, decide, expire, find, list, listSealed, prune } = breachesOf('calls');
const { remove: removeProfile } = breachesOf('profiles');

/** Changes the state that is passed to the decision about a new call. */
const mapNewState = (alter: (state: NewCallState, database: MemoryDatabase) => Partial<NewCallState>) =>
  create.mapDecisionInput(([state], _args, database) => [{ ...state, ...alter(state, database) }]);

/** Changes the state that is passed to the decision about a call. */
const mapState = (alter: (state: CallState, database: MemoryDatabase) => Partial<CallState>) =>
  decide.mapDecisionInput(([state], _args, database) => [{ ...state, ...alter(state, database) }]);

/** Expires the calls in the order in which they were added. */
const expireInOrder = async (
  [now, limit]: readonly [now: number, limit: number],
  { calls }: MemoryDatabase,
): Promise<number> => {
  const expiredCalls = [...calls.values()].filter((call) => call.status !== 'expired' && call.expiresAt <= now);
  for (const call of expiredCalls.slice(0, limit)) calls.set(call.id, { ...call, status: 'expired', sealed: null });
  return Math.min(expiredCalls.length, limit);
};

proveStores('the memory store of pending calls', pendingCallStoreContract, {
  'the decision about a new call sees the caller and the name of the collection, or null if they do not exist':
    mapNewState(({ profile }, { profiles }) => ({ profile: profile ?? [...profiles.values()][0] ?? null })),
  'the decision about a new call sees the calls of the caller that wait and have not expired, oldest first':
    mapNewState(({ profile }, { calls }) => ({
      waitingCalls: [...calls.values()].filter((call) => call.profileId === profile?.id && call.status === 'waiting'),
    })),
  'every read returns a new call with the names of its caller and its collection, and only a list omits the arguments':
    list.mapResult((listedCalls, _args, { calls }) =>
      listedCalls.map((call) => ({ ...call, sealed: calls.get(call.id)?.sealed ?? null })),
    ),
  'creating a call writes its effects': create.dropEffects(),
  'creating a call rethrows an error from the decision and changes nothing': create.writeEntryOnFailure(),
  'a decision about a new call that returns null writes nothing': create.runAfter(({ entries, profiles }) => {
    const [profile] = profiles.values();
    entries.push({
      ...{ id: 'e' as never, source: 'system', actorId: profile?.id ?? null, message: '{}', timestamp: '' },
      ...{ instant: start, receivedAt: start, facets: { clientId: null, collectionId: null, action: null } },
    });
  }),
  'creating a call starts to commit before its deadline or writes nothing': create.ignoreDeadline(),
  'when calls of the same caller are created concurrently, each decision sees those added before it':
    create.applyStaleDecision(),
  'a missing call is not found': find.replaceWith(async ([id], original) => {
    const call = await original.find(id);
    return call ?? ({ id } as StoredCall);
  }),
  'removing a profile or a collection removes its calls, but a call outlives the profile that decided it':
    removeProfile.runAfter(({ calls }, [id]) => {
      for (const call of calls.values()) if (call.decidedBy === id) calls.delete(call.id);
    }),
  'the calls that wait at an instant are counted': countWaiting.mapArguments(() => [start]),
  'a list contains the calls that match the filter': list.mapArguments(([filter, ...rest]) => [
    { ...filter, collectionId: null },
    ...rest,
  ]),
  'a list filters by the status at an instant, at which waiting and approved calls may have expired': list.mapArguments(
    ([filter, , page]) => [filter, start, page],
  ),
  'a list is sorted by time in either direction, and its pages are contiguous': list.mapArguments(
    ([filter, now, page]) => [filter, now, { ...page, order: 'oldest first' }],
  ),
  'the decision about a call sees it with its arguments and its caller': mapState(({ call }) => ({
    call: { ...call, sealed: null },
  })),
  'the decision about a call sees a grant of the caller or of its groups until it expires': mapState(
    ({ call, profile }, { grants }) => ({ hasGrant: grants.get(profile.id)?.has(call.collectionId) ?? false }),
  ),
  'a missing call cannot be decided': decide.ignoreErrors(),
  'a decision changes only the status, the expiry, the decision and the arguments': decide.restoreAfter(
    ({ calls }, [id]) => {
      const original = calls.get(id);
      return () => {
        const call = calls.get(id);
        if (call && original) calls.set(id, { ...call, expiresAt: original.expiresAt });
      };
    },
  ),
  'a decision writes its effects': decide.dropEffects(),
  'a decision that returns null or throws changes nothing': decide.writeEntryOnFailure(),
  'a decision starts to commit before its deadline or writes nothing': decide.ignoreDeadline(),
  'when the same call is decided concurrently, only one decision sees the status that it changes':
    decide.applyStaleDecision(),
  'expired calls lose their arguments, those that expired first before others, up to the limit': expire.replaceWith(
    (args, _original, database) => expireInOrder(args, database),
  ),
  'calls that were requested before an instant are removed, the oldest first, up to the limit': prune.mapArguments(
    ([before, limit]) => [before + 1, limit],
  ),
  'the calls that still have arguments are returned': listSealed.mapResult((_sealed, _args, { calls }) =>
    [...calls.values()].map(({ id, sealed }: SealedCall) => ({ id, sealed: sealed ?? '' })),
  ),
});
