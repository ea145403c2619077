import { aGroup, manyGrantsContract } from '@portico/contracts';
import type { AccessWay, ClientAccess, GrantChange, GrantState, Pair } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant } from '../test/stale-grant.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

const { clientsOf, update } = breachesOf('grants');

/** Decisions that see changed states. */
const misleading = (alter: (state: GrantState, database: MemoryDatabase) => Partial<GrantState>) =>
  update.misleading(([states], _asked, database) => [states.map((state) => ({ ...state, ...alter(state, database) }))]);

/** Changes of which only a part is stored. */
const storing = (part: (change: GrantChange) => Pick<GrantChange, 'put' | 'remove'>) =>
  update.deciding((change) => ({ ...change, put: [], remove: [], ...part(change) }));

const ofProfiles = (pairs: readonly Pair[]): readonly Pair[] =>
  pairs.filter(({ grantee }) => grantee.kind === 'profile');

const listingClients = (alter: (clients: readonly ClientAccess[]) => readonly ClientAccess[]) =>
  clientsOf.returning((clients) => clients && alter(clients));

proveStores('the memory grant store, of many pairs', manyGrantsContract, {
  'a decision sees the state of each pair in their order, of profiles and groups, and of a pair given twice':
    update.misleading(([states]) => [
      [...new Map(states.map((state) => [state.grantee.id + state.collection, state] as const)).values()],
    ]),
  'the decision for a group sees null for a missing group or collection': misleading(({ group }) => ({
    group: group ?? aGroup(),
  })),
  "a grant of a group is not its members' own, nor a member's one of the group": misleading(
    ({ client, collection, grant }, database) => ({
      grant: client ? (waysOf(database, client.id).get(collection)?.[0] ?? null) : grant,
    }),
  ),
  'grants of profiles and groups are put and removed together': storing(({ put = [], remove = [] }) => ({
    put,
    remove: put.length > 0 ? [] : remove,
  })),
  'a grant that is put again takes the place of the one before': update.deciding((change, [states]) => {
    const put = change.put?.map((grant, index) => ({
      ...grant,
      expiresAt: states[index]?.grant?.expiresAt ?? grant.expiresAt,
    }));
    return { ...change, ...(put && { put }) };
  }),
  'an update whose decision throws changes no pair': update.leaking(),
  'ten thousand pairs are decided and stored together': storing(({ put = [], remove = [] }) => ({
    put: put.slice(0, 9_999),
    remove,
  })),
  'an update of no pairs decides, and writes its effects': update.withoutEffects(),
  'of concurrent grants for one pair of a group, exactly one sees no grant': staleGrant,
  'a grant does not outlive a group or collection that is removed concurrently': staleGrant,
  'a grant of a group is seen by every read about its members, and about nobody else': update.followed(
    ({ grants, profiles }, [pairs]) => {
      for (const id of profiles.keys())
        grants.set(id, new Map(pairs.map(({ collection }) => [collection, { grantedAt: 0, expiresAt: null }])));
    },
  ),
  'no read sees a grant of a group once its revocation is fulfilled': storing(({ put = [], remove = [] }) => ({
    put,
    remove: ofProfiles(remove),
  })),
  'an update makes the grants epoch grow of each profile with a change, and of no other': update.followed(
    (database, [pairs]) => {
      for (const { grantee } of pairs) touchGrants(database, grantee.id);
    },
  ),
  'the groups epoch grows with each change of the grants of a group, and of no profile': update.followed(
    (database, [pairs]) => {
      if (ofProfiles(pairs).length > 0) database.groupsEpoch += 1;
    },
  ),
  'the ways of a client are its own grant first, then those of its groups by name': listingClients((clients) =>
    clients.map((access) => ({
      ...access,
      ways: [...access.ways].sort((a, b) =>
        nameOf(a).localeCompare(nameOf(b), 'en'),
      ) as unknown as ClientAccess['ways'],
    })),
  ),
  'the clients of a collection are the members of its groups too, each once, by e-mail': listingClients((clients) =>
    clients.flatMap(({ profile, ways }) => ways.map((way) => ({ profile, ways: [way] as const }))),
  ),
});

const nameOf = ({ group }: AccessWay): string => group?.name ?? '';
