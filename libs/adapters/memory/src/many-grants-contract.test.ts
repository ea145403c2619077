import { aGroup, manyGrantsContract } from '@portico/contracts';
import type { AccessGrant, ClientAccess, GrantChange, GrantState, Pair } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant } from '../test/stale-grant.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';
import { accessGrantsOf } from './memory-memberships.ts';

const { listClients, update } = breachesOf('grants');

/** Changes each state that is passed to a decision. */
const mapState = (alter: (state: GrantState, database: MemoryDatabase) => Partial<GrantState>) =>
  update.mapDecisionInput(([states], _args, database) => [
    states.map((state) => ({ ...state, ...alter(state, database) })),
  ]);

/** Stores only part of each change. */
const storeOnly = (selectPart: (change: GrantChange) => Pick<GrantChange, 'put' | 'remove'>) =>
  update.mapDecision((change) => ({ ...change, put: [], remove: [], ...selectPart(change) }));

const profilePairsOf = (pairs: readonly Pair[]): readonly Pair[] =>
  pairs.filter(({ grantee }) => grantee.kind === 'profile');

const mapClients = (alter: (clients: readonly ClientAccess[]) => readonly ClientAccess[]) =>
  listClients.mapResult((clients) => clients && alter(clients));

proveStores('the memory grant store, on many pairs', manyGrantsContract, {
  'a decision sees the state of each pair of profiles and groups in the given order, including duplicates':
    update.mapDecisionInput(([states]) => [
      [...new Map(states.map((state) => [state.grantee.id + state.collection, state] as const)).values()],
    ]),
  'the decision about a group sees null if the group or the collection does not exist': mapState(({ group }) => ({
    group: group ?? aGroup(),
  })),
  'a grant of a group is not a grant of its members, and a grant of a member is not a grant of the group': mapState(
    ({ client, collection, grant }, database) => ({
      grant: client ? (accessGrantsOf(database, client.id).get(collection)?.[0] ?? null) : grant,
    }),
  ),
  'grants of profiles and groups can be added and removed in one call': storeOnly(({ put = [], remove = [] }) => ({
    put,
    remove: put.length > 0 ? [] : remove,
  })),
  'a grant that is added again replaces the previous one': update.mapDecision((change, [states]) => {
    const put = change.put?.map((grant, index) => ({
      ...grant,
      expiresAt: states[index]?.grant?.expiresAt ?? grant.expiresAt,
    }));
    return { ...change, ...(put && { put }) };
  }),
  'an update whose decision throws changes no pair': update.writeEntryOnFailure(),
  'ten thousand pairs can be decided and stored in one call': storeOnly(({ put = [], remove = [] }) => ({
    put: put.slice(0, 9_999),
    remove,
  })),
  'an update without pairs calls the decision and writes its effects': update.dropEffects(),
  'when the same pair of a group is granted concurrently, only one decision sees no grant': staleGrant,
  'a grant is not kept if its group or collection is removed concurrently': staleGrant,
  'a grant of a group is seen only by reads about its members': update.runAfter(({ grants, profiles }, [pairs]) => {
    for (const id of profiles.keys())
      grants.set(
        id,
        new Map(pairs.map(({ collection }) => [collection, { grantedAt: 0, expiresAt: null, rule: null }])),
      );
  }),
  'no read sees a grant of a group once the promise of its revocation is fulfilled': storeOnly(
    ({ put = [], remove = [] }) => ({
      put,
      remove: profilePairsOf(remove),
    }),
  ),
  'an update increases the grants epoch of the changed profiles only': update.runAfter((database, [pairs]) => {
    for (const { grantee } of pairs) touchGrants(database, grantee.id);
  }),
  'changing the grants of a group increases the groups epoch, and changing those of a profile does not':
    update.runAfter((database, [pairs]) => {
      if (profilePairsOf(pairs).length > 0) database.groupsEpoch += 1;
    }),
  "a client's access is listed with its own grant first, then the grants of its groups by name": mapClients((clients) =>
    clients.map((access) => ({
      ...access,
      grants: [...access.grants].sort((a, b) =>
        nameOf(a).localeCompare(nameOf(b), 'en'),
      ) as unknown as ClientAccess['grants'],
    })),
  ),
  'the clients of a collection include each member of its groups once, ordered by email': mapClients((clients) =>
    clients.flatMap(({ profile, grants }) => grants.map((grant) => ({ profile, grants: [grant] as const }))),
  ),
});

const nameOf = ({ group }: AccessGrant): string => group?.name ?? '';
