import { aGroup, manyGrantsContract } from '@portico/contracts';
import type { AccessWay, ClientAccess, GrantChange, GrantState, Pair } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant } from '../test/stale-grant.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

const { clientsOf, update } = breachesOf('grants');

/** Changes each state that is passed to a decision. */
const mapState = (alter: (state: GrantState, database: MemoryDatabase) => Partial<GrantState>) =>
  update.mapDecisionInput(([states], _args, database) => [
    states.map((state) => ({ ...state, ...alter(state, database) })),
  ]);

/** Stores only part of each change. */
const storeOnly = (part: (change: GrantChange) => Pick<GrantChange, 'put' | 'remove'>) =>
  update.mapDecision((change) => ({ ...change, put: [], remove: [], ...part(change) }));

const ofProfiles = (pairs: readonly Pair[]): readonly Pair[] =>
  pairs.filter(({ grantee }) => grantee.kind === 'profile');

const mapClients = (alter: (clients: readonly ClientAccess[]) => readonly ClientAccess[]) =>
  clientsOf.mapResult((clients) => clients && alter(clients));

proveStores('the memory grant store, on many pairs', manyGrantsContract, {
  'a decision sees the state of each pair in the given order, of profiles and groups, including duplicates':
    update.mapDecisionInput(([states]) => [
      [...new Map(states.map((state) => [state.grantee.id + state.collection, state] as const)).values()],
    ]),
  'the decision about a group sees null for a missing group or collection': mapState(({ group }) => ({
    group: group ?? aGroup(),
  })),
  "a grant of a group is not a grant of its members, and a member's grant is not one of the group": mapState(
    ({ client, collection, grant }, database) => ({
      grant: client ? (waysOf(database, client.id).get(collection)?.[0] ?? null) : grant,
    }),
  ),
  'grants of profiles and groups are put and removed together': storeOnly(({ put = [], remove = [] }) => ({
    put,
    remove: put.length > 0 ? [] : remove,
  })),
  'a grant that is put again replaces the previous one': update.mapDecision((change, [states]) => {
    const put = change.put?.map((grant, index) => ({
      ...grant,
      expiresAt: states[index]?.grant?.expiresAt ?? grant.expiresAt,
    }));
    return { ...change, ...(put && { put }) };
  }),
  'an update whose decision throws changes no pair': update.writeEntryOnFailure(),
  'ten thousand pairs are decided and stored together': storeOnly(({ put = [], remove = [] }) => ({
    put: put.slice(0, 9_999),
    remove,
  })),
  'an update of no pairs decides, and writes its effects': update.withoutEffects(),
  'of concurrent grants for one pair of a group, exactly one sees no grant': staleGrant,
  'a grant does not outlive a group or collection that is removed concurrently': staleGrant,
  'a grant of a group is seen by every read about its members, and about no other profile': update.runAfter(
    ({ grants, profiles }, [pairs]) => {
      for (const id of profiles.keys())
        grants.set(id, new Map(pairs.map(({ collection }) => [collection, { grantedAt: 0, expiresAt: null }])));
    },
  ),
  'no read sees a grant of a group once its revocation is fulfilled': storeOnly(({ put = [], remove = [] }) => ({
    put,
    remove: ofProfiles(remove),
  })),
  'an update increases the grants epoch of each changed profile, and of no other': update.runAfter(
    (database, [pairs]) => {
      for (const { grantee } of pairs) touchGrants(database, grantee.id);
    },
  ),
  'the groups epoch grows with each change of the grants of a group, but not of a profile': update.runAfter(
    (database, [pairs]) => {
      if (ofProfiles(pairs).length > 0) database.groupsEpoch += 1;
    },
  ),
  'the ways of access of a client are its own grant, then those of its groups by name': mapClients((clients) =>
    clients.map((access) => ({
      ...access,
      ways: [...access.ways].sort((a, b) =>
        nameOf(a).localeCompare(nameOf(b), 'en'),
      ) as unknown as ClientAccess['ways'],
    })),
  ),
  'the clients of a collection include the members of its groups, each once, by e-mail': mapClients((clients) =>
    clients.flatMap(({ profile, ways }) => ways.map((way) => ({ profile, ways: [way] as const }))),
  ),
});

const nameOf = ({ group }: AccessWay): string => group?.name ?? '';
