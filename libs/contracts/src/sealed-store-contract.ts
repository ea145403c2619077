import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Collection, Profile, ProfileId, SealedSecrets, SecretsReset, ServiceAccount } from '@portico/domain';
import { assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aContent,
  aJob,
  aKey,
  aMailJob,
  anAccount,
  anAccountKey,
  anAdmin,
  aProfile,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `SealedStore`. */
export const sealedStoreContract = {
  'before the first start, nothing is sealed': async (stores) => {
    await addCollection(stores, aCollection());
    deepStrictEqual(await stores.sealed.read(), nothingSealed);
  },

  'a read returns the collections with a credential, in the order of lists': async (stores) => {
    const [roads, acorns] = [sealedCollection({ name: 'roads' }), sealedCollection({ name: 'Acorns' })];
    const schemeOnly = sealedCollection({ storedAuthentication: { ...scheme, sealedValue: null } });
    for (const collection of [roads, acorns, schemeOnly, aCollection()]) await addCollection(stores, collection);
    deepStrictEqual((await stores.sealed.read()).collections, [acorns, roads]);
  },

  'a read returns the waiting mails with a secret, including leased and postponed ones, and no dead letter': async (
    stores,
  ) => {
    const profileId = nextId<ProfileId>();
    const jobs = Array.from({ length: 4 }, () => aMailJob(profileId));
    const [free, leased, postponed, failed] = jobs as [
      (typeof jobs)[0],
      (typeof jobs)[0],
      (typeof jobs)[0],
      (typeof jobs)[0],
    ];
    await stores.embeddingJobs.enqueue(jobsOnly(...jobs, aJob()));
    await stores.outbox.claim(leased.id, start, endOfTime);
    await stores.outbox.retry(postponed.id, endOfTime, 'busy');
    await stores.outbox.deadLetter(failed.id, start, 'no use');
    deepStrictEqual(
      (await stores.sealed.read()).mails.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [free, leased, postponed].map(({ id }) => ({ id, profileId, sealed: 'c2VhbGVk' })),
    );
  },

  'every profile with an API key counts, even if the key is inactive': async (stores) => {
    await addWithKey(stores, aProfile());
    await addWithKey(stores, anAdmin());
    await stores.profiles.add(aProfile(), noEffects);
    strictEqual((await stores.sealed.read()).apiKeys, 2);
  },

  'every service account with a key counts': async (stores) => {
    const [account] = [await addAccountWithKey(stores), await addAccountWithKey(stores)];
    await stores.serviceAccounts.update(account.id, () => ({ account, key: null, ...noEffects }));
    strictEqual((await stores.sealed.read()).accountKeys, 1);
  },

  'the first pepper is stored and returned to all later calls': async (stores) => {
    strictEqual(await stores.sealed.ensurePepper('one'), 'one');
    strictEqual(await stores.sealed.ensurePepper('two'), 'one');
    strictEqual((await stores.sealed.read()).pepper, 'one');
  },

  'of concurrent first peppers, one is stored and returned to all': async (stores) => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, at) => stores.sealed.ensurePepper(`pepper ${at}`)),
    );
    deepStrictEqual([...new Set(results)], [(await stores.sealed.read()).pepper]);
  },

  'a resealed pepper replaces the stored one': async (stores) => {
    await stores.sealed.ensurePepper('before');
    strictEqual(await stores.sealed.resealPepper('before', 'after'), true);
    strictEqual((await stores.sealed.read()).pepper, 'after');
  },

  'a pepper that has changed in the meantime is not resealed': async (stores) => {
    strictEqual(await stores.sealed.resealPepper('before', 'after'), false);
    await stores.sealed.ensurePepper('another');
    strictEqual(await stores.sealed.resealPepper('before', 'after'), false);
    strictEqual((await stores.sealed.read()).pepper, 'another');
  },

  'a reset decides on the result of a read': async (stores) => {
    await setUp(stores);
    let seen: unknown;
    await stores.sealed.reset((sealed) => {
      seen = sealed;
      return null;
    });
    deepStrictEqual(seen, await stores.sealed.read());
  },

  'a reset whose decision is null or throws changes nothing': async (stores) => {
    await setUp(stores);
    const before = await stores.sealed.read();
    await stores.sealed.reset(() => null);
    await assertRejects(stores.sealed.reset(failDecision), 'already_approved');
    deepStrictEqual(await stores.sealed.read(), before);
  },

  'a collection that loses its credential keeps the rest, and counts as changed': async (stores) => {
    const { roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id], at: start + 9 }));
    deepStrictEqual(await stores.collections.find(roads.id), {
      ...roads,
      storedAuthentication: { ...scheme, sealedValue: null },
      updatedAt: start + 9,
      revision: roads.revision + 1,
    });
  },

  'a collection last changed at the time of the reset gets a later updatedAt': async (stores) => {
    const { roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id], at: roads.updatedAt }));
    strictEqual((await stores.collections.find(roads.id))?.updatedAt, roads.updatedAt + 1);
  },

  'a collection that is not listed keeps its credential': async (stores) => {
    const { roads, acorns } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id] }));
    deepStrictEqual((await stores.sealed.read()).collections, [acorns]);
  },

  'a reset invalidates cached lists': async (stores) => {
    const { client, roads } = await setUp(stores);
    const before = (await rowOf(stores, client)).epochs.catalog;
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id] }));
    ok((await rowOf(stores, client)).epochs.catalog > before);
  },

  'a lost mail is given up with the reason and without its secret; the others are still waiting': async (stores) => {
    const { mail, other } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, mails: [mail.id], at: start + 9, reason: 'lost' }));
    deepStrictEqual(
      (await stores.deadLetters.list(9)).map(({ id, error, since, secretRemoved }) => ({
        id,
        error,
        since,
        secretRemoved,
      })),
      [{ id: mail.id, error: 'lost', since: start + 9, secretRemoved: true }],
    );
    deepStrictEqual(
      (await stores.sealed.read()).mails.map(({ id }) => id),
      [other.id],
    );
  },

  'with a new pepper, no profile has an API key, and each keeps its client id': async (stores) => {
    const { client, admin } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, pepper: 'new' }));
    const { pepper, apiKeys } = await stores.sealed.read();
    deepStrictEqual({ pepper, apiKeys }, { pepper: 'new', apiKeys: 0 });
    for (const profile of [client, admin]) {
      const row = await rowOf(stores, profile);
      deepStrictEqual([row.key, row.profile], [null, profile]);
    }
  },

  'with a new pepper, no service account has a key, and each stays': async (stores) => {
    const { account } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, pepper: 'new' }));
    strictEqual((await stores.sealed.read()).accountKeys, 0);
    const row = await stores.callers.byAccountId(account.id, null);
    deepStrictEqual([row?.key, row?.account], [null, account]);
  },

  'without a new pepper, the key of every service account stays': async (stores) => {
    const { account, roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id] }));
    strictEqual((await stores.sealed.read()).accountKeys, 1);
    deepStrictEqual((await stores.callers.byAccountId(account.id, null))?.key, anAccountKey());
  },

  'without a new pepper, the stored one and every API key stay': async (stores) => {
    const { client, roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...resetNothing, collections: [roads.id] }));
    const { pepper, apiKeys } = await stores.sealed.read();
    deepStrictEqual({ pepper, apiKeys }, { pepper: 'pepper', apiKeys: 2 });
    deepStrictEqual((await rowOf(stores, client)).key, aKey());
  },

  'a reset writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.sealed.reset(() => ({ ...resetNothing, ...effects }));
    await assertWritten(stores, effects);
  },
} satisfies Contract<Stores>;

const nothingSealed: SealedSecrets = { collections: [], mails: [], pepper: null, apiKeys: 0, accountKeys: 0 };

const scheme = { type: 'apiKey', name: 'X-Key', in: 'header' } as const;

const sealedCollection = (facts: Partial<Collection> = {}): Collection =>
  aCollection({ storedAuthentication: { ...scheme, sealedValue: 'c2VhbGVk' }, ...facts });

const resetNothing: SecretsReset = { collections: [], mails: [], pepper: null, at: start, reason: '', ...noEffects };

const addCollection = ({ collections }: Stores, collection: Collection) =>
  collections.add(collection, aContent(), noEffects);

/** Adds the profile with a key whose previous secret is still valid after the last rotation. */
const addWithKey = async ({ profiles }: Stores, profile: Profile): Promise<Profile> => {
  await profiles.add(profile, noEffects);
  return profiles.update(profile.id, (state) => ({ ...noEffects, profile: state.profile, key: aKey() }));
};

const addAccountWithKey = async ({ serviceAccounts }: Stores): Promise<ServiceAccount> => {
  const account = anAccount();
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  return account;
};

/** Adds records of every kind whose secrets can be lost. */
const setUp = async (stores: Stores) => {
  const [roads, acorns] = [sealedCollection({ name: 'roads' }), sealedCollection({ name: 'Acorns' })];
  for (const collection of [roads, acorns]) await addCollection(stores, collection);
  const [client, admin] = [await addWithKey(stores, aProfile()), await addWithKey(stores, anAdmin())];
  const account = await addAccountWithKey(stores);
  const [mail, other] = [aMailJob(client.id), aMailJob(client.id)];
  await stores.embeddingJobs.enqueue(jobsOnly(mail, other));
  await stores.sealed.ensurePepper('pepper');
  return { roads, acorns, client, admin, account, mail, other };
};
