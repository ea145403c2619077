import { callerLookupContract, type Sabotages, type Stores } from '@portico/contracts';
import type { AccountRow, CallerLookup, CallerRow, ClientId, CollectionHead, Pair, ProfileId } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { touchGrants } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Both reads with parts of the row changed. */
const altering = (alter: Alter) => breaking('callers', (right) => altered(right, alter));

type Alter = <Found extends CollectionHead>(row: CallerRow<Found>) => CallerRow<Found>;

const altered = (right: CallerLookup, alter: Alter): CallerLookup => ({
  byClientId: async (clientId, target, now) => {
    const row = await right.byClientId(clientId, target, now);
    return row && alter(row);
  },
  byUid: async (uid, target, now) => {
    const row = await right.byUid(uid, target, now);
    return row && alter(row);
  },
  byEitherId: async (id, now) => {
    const row = await right.byEitherId(id, now);
    return row && alter(row);
  },
  byAccountId: (id, target) => right.byAccountId(id, target),
});

/** Reads of service accounts with parts of the row changed. */
const alteringAccounts = (alter: <Found extends CollectionHead>(row: AccountRow<Found>) => AccountRow<Found>) =>
  breaking('callers', (right) => ({
    byAccountId: async (id, target) => {
      const row = await right.byAccountId(id, target);
      return row && alter(row);
    },
  }));

/** Reads that cache their first result. */
const remembering = breaking('callers', (right) => {
  // The part does not matter: nothing reads it.
  const rows = new Map<string, CallerRow<never> | null>();
  return {
    byUid: async (uid, target, now) => {
      const name = `${uid} ${target?.id}`;
      const row = rows.get(name) ?? ((await right.byUid(uid, target, now)) as CallerRow<never> | null);
      rows.set(name, row);
      return row;
    },
  };
});

const withEpoch = (epoch: Exclude<keyof CallerRow['epochs'], 'searchModel'>, value: number) =>
  altering((row) => ({ ...row, epochs: { ...row.epochs, [epoch]: value } }));

const sabotages: Sabotages<typeof callerLookupContract, Stores> = {
  'a caller is found by API client identifier': breaking('callers', () => ({ byClientId: async () => null })),
  'a caller is found by API client identifier even if its key is asleep': breaking('callers', (right) => ({
    byClientId: async (clientId, target, now) => {
      const row = await right.byClientId(clientId, target, now);
      return row?.profile.role === 'admin' ? null : row;
    },
  })),
  'an unknown API client identifier finds nothing': breaking('callers', (right, _stores, { profiles }) => ({
    byClientId: async (clientId, target, now) => {
      const [first] = profiles.values();
      return (await right.byClientId(clientId, target, now)) ?? (first ? right.byUid(first.uid, target, now) : null);
    },
  })),
  'a caller is found by uid': breaking('callers', () => ({ byUid: async () => null })),
  'a uid that no profile has, or one in a different case, finds nothing': breaking(
    'callers',
    (right, _stores, { profiles }) => ({
      byUid: async (uid, target, now) => {
        const same = [...profiles.values()].find((profile) => profile.uid.toLowerCase() === uid.toLowerCase());
        return right.byUid(same?.uid ?? uid, target, now);
      },
    }),
  ),
  'a caller is found by either id: the API client identifier or the profile id': breaking('callers', (right) => ({
    byEitherId: (id, now) => right.byClientId(id as ClientId, null, now),
  })),
  'an API client identifier takes precedence over an equal profile id': breaking(
    'callers',
    (right, _stores, { profiles }) => ({
      byEitherId: async (id, now) => {
        const profile = profiles.get(id as ProfileId);
        return profile ? right.byUid(profile.uid, null, now) : right.byEitherId(id, now);
      },
    }),
  ),
  'an id that no profile has finds nothing': breaking('callers', (right, _stores, { profiles }) => ({
    byEitherId: async (id, now) => {
      const [first] = profiles.keys();
      return (await right.byEitherId(id, now)) ?? (first ? right.byEitherId(first, now) : null);
    },
  })),
  'a service account is found by its id, with its key and the epochs, expired or not': alteringAccounts((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 0 },
  })),
  'an id that no service account has finds none': breaking('callers', (right, _stores, { serviceAccounts }) => ({
    byAccountId: async (id, target) => {
      const [first = id] = serviceAccounts.keys();
      return right.byAccountId(serviceAccounts.has(id) ? id : first, target);
    },
  })),
  "a service account's row holds the requested part of the target collection": alteringAccounts((row) => ({
    ...row,
    target: null,
  })),
  "a service account's row reflects every change that was acknowledged before the read": breaking(
    'callers',
    (right) => {
      const rows = new Map<string, AccountRow<never> | null>();
      return {
        byAccountId: async (id, target) => {
          const row = rows.get(id) ?? ((await right.byAccountId(id, target)) as AccountRow<never> | null);
          rows.set(id, row);
          return row;
        },
      };
    },
  ),
  'a profile without an override and with a tier that is gone has neither limit': breaking('callers', (right) =>
    altered(right, (row) => {
      const { tier } = row.profile;
      return tier ? { ...row, limits: { ...row.limits, tier: { tier, allowed: 600, windowSeconds: 60 } } } : row;
    }),
  ),
  "a caller's row is the same by uid and by API client identifier": breaking('callers', (right) => ({
    byClientId: async (clientId, target, now) => {
      const row = await right.byClientId(clientId, target, now);
      return row && { ...row, granted: false };
    },
  })),
  'a row holds the key': altering((row) => ({ ...row, key: row.key && { ...row.key, previous: null } })),
  'a row holds the active override and no other': breaking('callers', (right, _stores, { overrides }) =>
    altered(right, (row) => {
      const [first] = [...overrides.values()].filter(({ profile }) => profile === row.profile.id);
      return { ...row, limits: { ...row.limits, override: first?.override ?? null } };
    }),
  ),
  "a row holds the profile's tier if it is active": breaking('callers', (right, _stores, { tiers }) =>
    altered(right, (row) => {
      const tier = tiers.get(row.profile.tier ?? '');
      const rule = tier && { tier: tier.tier, allowed: tier.allowed, windowSeconds: tier.windowSeconds };
      return { ...row, limits: { ...row.limits, tier: rule ?? null } };
    }),
  ),
  'a row holds the requested part of the target collection, and no more': breaking('callers', (right) => ({
    byUid: (uid, target, now) => right.byUid(uid, target && ({ ...target, part: 'whole' } as typeof target), now),
  })),
  'a row has no target if none was requested or it does not exist': breaking(
    'callers',
    (right, _stores, { collections }) =>
      altered(right, (row) => Object.assign({}, row, row.target ? {} : { target: [...collections.values()][0] })),
  ),
  'a row says whether the caller has a grant for the target': breaking('callers', (right, _stores, { grants }) =>
    altered(right, (row) => ({ ...row, granted: (grants.get(row.profile.id)?.size ?? 0) > 0 })),
  ),
  'a row reflects every change that was acknowledged before the read': remembering,
  'the grants epoch grows with each grant and each revocation for this profile': breaking(
    'grants',
    (right, _stores, { grantEpochs }) => ({
      update: async (pairs, decide) => {
        const before = new Map(grantEpochs);
        let revoked: readonly Pair[] = [];
        await right.update(pairs, (states) => {
          const change = decide(states);
          revoked = change.remove ?? [];
          return change;
        });
        for (const { grantee } of revoked) grantEpochs.set(grantee.id, before.get(grantee.id) ?? 0);
      },
    }),
  ),
  'the grants epoch grows when a granted collection is removed': breaking(
    'collections',
    (right, _stores, database) => ({
      remove: async (id, decide) => {
        const before = [...database.grantEpochs];
        await right.remove(id, decide);
        before.forEach(([profile, epoch]) => database.grantEpochs.set(profile, epoch));
      },
    }),
  ),
  'the grants epoch of a profile stays when another profile gets a grant': breaking(
    'grants',
    (right, _stores, database) => ({
      update: async (pairs, decide) => {
        await right.update(pairs, decide);
        for (const id of database.profiles.keys()) touchGrants(database, id);
      },
    }),
  ),
  'the catalog epoch grows with each creation, change and deletion of a collection': breaking(
    'collections',
    (right, _stores, database) => ({
      update: async (id, decide) => {
        const answer = await right.update(id, decide);
        database.catalogEpoch -= 1;
        return answer;
      },
    }),
  ),
  'the embeddings epoch is the highest sequence of an embedding': withEpoch('embeddings', 1),
  'the embeddings epoch does not fall when the latest embedding is removed': breaking(
    'callers',
    (right, _stores, { embeddings }) =>
      altered(right, (row) => {
        const highest = Math.max(0, ...[...embeddings.values()].map(({ sequence }) => sequence));
        return { ...row, epochs: { ...row.epochs, embeddings: highest } };
      }),
  ),
  'a caller is read with the model that searches use': breaking('callers', (right) => {
    let first: string | null = null;
    return altered(right, (row) => {
      first ??= row.epochs.searchModel;
      return { ...row, epochs: { ...row.epochs, searchModel: first } };
    });
  }),
};

describe('the memory caller reads', () => {
  proveContract(callerLookupContract, sabotages, createMemoryStores);
});
