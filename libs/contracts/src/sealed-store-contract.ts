import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type {
  Collection,
  Profile,
  ProfileId,
  SealedCall,
  SealedSecrets,
  SecretsReset,
  ServiceAccount,
} from '@portico/domain';
import { assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCall,
  aCollection,
  aCredential,
  aDocumentContent,
  aJob,
  aKey,
  aMailJob,
  anAccount,
  anAccountKey,
  anAdmin,
  aProfile,
  endOfTime,
  jobEffectsOf,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import { addUnrelatedRecords } from './memberships.ts';
import type { Stores } from './stores.ts';
import { aWebhook } from './webhook-records.ts';

/** The contract of `SealedStore`. */
export const sealedStoreContract = {
  'a new database contains no sealed secrets': async (stores) => {
    await addCollection(stores, aCollection());
    deepStrictEqual(await stores.sealed.read(), noSealedSecrets);
  },

  'a read returns the collections with a credential, in list order': async (stores) => {
    const [roads, acorns] = [aSealedCollection({ name: 'roads' }), aSealedCollection({ name: 'Acorns' })];
    const collectionWithoutCredential = aSealedCollection({
      storedAuthentication: { ...scheme, sealedValue: null, origins: null },
    });
    for (const collection of [roads, acorns, collectionWithoutCredential, aCollection()])
      await addCollection(stores, collection);
    deepStrictEqual((await stores.sealed.read()).collections, [acorns, roads]);
  },

  'a read returns the credentials for security schemes, in the order of lists and then by scheme': async (stores) => {
    const [roads, acorns] = [aCollection({ name: 'roads' }), aCollection({ name: 'Acorns' })];
    for (const collection of [roads, acorns, aCollection({ name: 'Bare' })]) await addCollection(stores, collection);
    const [b, a] = await putCredentials(stores, roads, 'b', 'a');
    const [z] = await putCredentials(stores, acorns, 'z');
    const { client, group } = await addUnrelatedRecords(stores);
    const subjects = [
      { kind: 'group', id: group.id },
      { kind: 'profile', id: client.id },
    ] as const;
    const subjectCredentials = [aCredential('a'), aCredential('a')] as const;
    for (const [index, subject] of subjects.entries())
      await stores.credentials.updateSubject(roads.id, 'a', subject, () => ({
        credential: subjectCredentials[index] ?? null,
        ...noEffects,
      }));
    const expected = [
      [acorns, z, null],
      [roads, a, null],
      ...subjectCredentials.map((credential, index) => [roads, credential, subjects[index]] as const),
      [roads, b, null],
    ] as const;
    deepStrictEqual(
      (await stores.sealed.read()).credentials,
      expected.map(([{ id, name }, credential, subject]) => ({
        id: credential?.id,
        collection: { id, name },
        scheme: credential?.scheme,
        subject,
        sealed: 'c2VhbGVk',
      })),
    );
  },

  'a reset removes only the listed credentials for security schemes, and the collection counts as changed': async (
    stores,
  ) => {
    const [roads, acorns] = [aCollection({ name: 'roads' }), aCollection({ name: 'Acorns' })];
    for (const collection of [roads, acorns]) await addCollection(stores, collection);
    const [a, b, c] = await putCredentials(stores, roads, 'a', 'b', 'c');
    await putCredentials(stores, acorns, 'a', 'b', 'c');
    const { client } = await addUnrelatedRecords(stores);
    const subject = { kind: 'profile', id: client.id } as const;
    const [lost, other] = [aCredential('a'), aCredential('b')];
    for (const credential of [lost, other])
      await stores.credentials.updateSubject(roads.id, credential.scheme, subject, () => ({
        credential,
        ...noEffects,
      }));
    const credentials = [a, c, lost].flatMap((credential) =>
      credential ? [{ collectionId: roads.id, id: credential.id }] : [],
    );
    await stores.sealed.reset(() => ({ ...emptyReset, credentials }));
    deepStrictEqual(await stores.credentials.list(roads.id), [b]);
    deepStrictEqual(
      (await stores.credentials.listSubjects(roads.id)).map(({ id }) => id),
      [other.id],
    );
    deepStrictEqual((await stores.credentials.list(acorns.id)).length, 3);
    const collection = await stores.collections.find(roads.id);
    deepStrictEqual(collection?.credentialSchemes, ['b']);
    ok(collection.revision > roads.revision);
    ok(collection.updatedAt > roads.updatedAt);
    deepStrictEqual((await stores.collections.find(acorns.id))?.credentialSchemes, ['a', 'b', 'c']);
  },

  'a read returns the waiting emails with a secret, including leased and postponed ones, but no dead letters': async (
    stores,
  ) => {
    const profileId = nextId<ProfileId>();
    const jobs = Array.from({ length: 4 }, () => aMailJob(profileId));
    const [freeJob, leasedJob, postponedJob, failedJob] = jobs as [
      (typeof jobs)[0],
      (typeof jobs)[0],
      (typeof jobs)[0],
      (typeof jobs)[0],
    ];
    await stores.embeddingJobs.enqueue(jobEffectsOf(...jobs, aJob()));
    await stores.outbox.claim(leasedJob.id, start, endOfTime);
    await stores.outbox.retry(postponedJob.id, endOfTime, 'busy');
    await stores.outbox.deadLetter(failedJob.id, start, 'no use');
    deepStrictEqual(
      (await stores.sealed.read()).mails.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [freeJob, leasedJob, postponedJob].map(({ id }) => ({ id, profileId, sealed: 'c2VhbGVk' })),
    );
  },

  'a read returns the calls that have arguments': async (stores) => {
    const { call, otherCall } = await setUpCalls(stores);
    await stores.calls.decide(otherCall.id, start, () => ({ call: { ...otherCall, sealed: null }, ...noEffects }));
    deepStrictEqual((await stores.sealed.read()).calls, [{ id: call.id, sealed: call.sealed }]);
  },

  'a reset expires only the listed calls, which lose their arguments': async (stores) => {
    const { call, otherCall } = await setUpCalls(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, calls: [call.id] }));
    const stateOf = async ({ id }: SealedCall) => {
      const storedCall = await stores.calls.find(id);
      return [storedCall?.status, storedCall?.sealed];
    };
    deepStrictEqual(await stateOf(call), ['expired', null]);
    deepStrictEqual(await stateOf(otherCall), ['waiting', otherCall.sealed]);
  },

  'a read returns the webhooks that have a secret': async (stores) => {
    const [webhook, bareWebhook] = [aWebhook(), aWebhook({ sealed: null })];
    for (const newWebhook of [webhook, bareWebhook])
      await stores.webhooks.add(() => ({ webhook: newWebhook, ...noEffects }));
    deepStrictEqual((await stores.sealed.read()).webhooks, [{ id: webhook.id, sealed: webhook.sealed }]);
  },

  'a reset deactivates only the listed webhooks, which lose their secrets': async (stores) => {
    const [webhook, otherWebhook] = [aWebhook(), aWebhook()];
    for (const newWebhook of [webhook, otherWebhook])
      await stores.webhooks.add(() => ({ webhook: newWebhook, ...noEffects }));
    await stores.sealed.reset(() => ({ ...emptyReset, webhooks: [webhook.id] }));
    deepStrictEqual(await stores.webhooks.list(), [
      { ...webhook, sealed: null, previousUntil: null, isActive: false },
      otherWebhook,
    ]);
  },

  'every profile with an API key is counted, even if the key is inactive': async (stores) => {
    await addProfileWithKey(stores, aProfile());
    await addProfileWithKey(stores, anAdmin());
    await stores.profiles.add(aProfile(), noEffects);
    strictEqual((await stores.sealed.read()).apiKeys, 2);
  },

  'every service account with a key is counted': async (stores) => {
    const [account] = [await addAccountWithKey(stores), await addAccountWithKey(stores)];
    await stores.serviceAccounts.update(account.id, () => ({ account, key: null, ...noEffects }));
    strictEqual((await stores.sealed.read()).accountKeys, 1);
  },

  'the first pepper is stored and returned to all later calls': async (stores) => {
    strictEqual(await stores.sealed.ensurePepper('one'), 'one');
    strictEqual(await stores.sealed.ensurePepper('two'), 'one');
    strictEqual((await stores.sealed.read()).pepper, 'one');
  },

  'when first peppers are stored concurrently, only one is stored, and it is returned to all callers': async (
    stores,
  ) => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => stores.sealed.ensurePepper(`pepper ${index}`)),
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

  'a reset bases its decision on the result of a read': async (stores) => {
    await setUp(stores);
    let capturedSecrets: unknown;
    await stores.sealed.reset((sealed) => {
      capturedSecrets = sealed;
      return null;
    });
    deepStrictEqual(capturedSecrets, await stores.sealed.read());
  },

  'a reset whose decision returns null or throws changes nothing': async (stores) => {
    await setUp(stores);
    const before = await stores.sealed.read();
    await stores.sealed.reset(() => null);
    await assertRejects(stores.sealed.reset(failDecision), 'already_approved');
    deepStrictEqual(await stores.sealed.read(), before);
  },

  'a collection that loses its credential keeps everything else, and counts as changed': async (stores) => {
    const { roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id], resetAt: start + 9 }));
    deepStrictEqual(await stores.collections.find(roads.id), {
      ...roads,
      storedAuthentication: { ...scheme, sealedValue: null, origins: null },
      updatedAt: start + 9,
      revision: roads.revision + 1,
    });
  },

  'a collection that was last changed at the time of the reset gets a later updatedAt': async (stores) => {
    const { roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id], resetAt: roads.updatedAt }));
    strictEqual((await stores.collections.find(roads.id))?.updatedAt, roads.updatedAt + 1);
  },

  'a collection that is not listed keeps its credential': async (stores) => {
    const { roads, acorns } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id] }));
    deepStrictEqual((await stores.sealed.read()).collections, [acorns]);
  },

  'a reset invalidates cached lists': async (stores) => {
    const { client, roads } = await setUp(stores);
    const before = (await rowOf(stores, client)).epochs.catalog;
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id] }));
    ok((await rowOf(stores, client)).epochs.catalog > before);
  },

  'a lost mail is given up with the reason and without its secret, and the others are still waiting': async (
    stores,
  ) => {
    const { mail, other } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, mails: [mail.id], resetAt: start + 9, reason: 'lost' }));
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

  'a new pepper removes the API key of every profile, but not its client id': async (stores) => {
    const { client, admin } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, pepper: 'new' }));
    const { pepper, apiKeys } = await stores.sealed.read();
    deepStrictEqual({ pepper, apiKeys }, { pepper: 'new', apiKeys: 0 });
    for (const profile of [client, admin]) {
      const row = await rowOf(stores, profile);
      deepStrictEqual([row.key, row.profile], [null, profile]);
    }
  },

  'a new pepper removes the key of every service account, but not the account': async (stores) => {
    const { account } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, pepper: 'new' }));
    strictEqual((await stores.sealed.read()).accountKeys, 0);
    const row = await stores.callers.findByAccountId(account.id, null);
    deepStrictEqual([row?.key, row?.account], [null, account]);
  },

  'without a new pepper, every service account keeps its key': async (stores) => {
    const { account, roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id] }));
    strictEqual((await stores.sealed.read()).accountKeys, 1);
    deepStrictEqual((await stores.callers.findByAccountId(account.id, null))?.key, anAccountKey());
  },

  'without a new pepper, the stored pepper and every API key are kept': async (stores) => {
    const { client, roads } = await setUp(stores);
    await stores.sealed.reset(() => ({ ...emptyReset, collections: [roads.id] }));
    const { pepper, apiKeys } = await stores.sealed.read();
    deepStrictEqual({ pepper, apiKeys }, { pepper: 'pepper', apiKeys: 2 });
    deepStrictEqual((await rowOf(stores, client)).key, aKey());
  },

  'a reset writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.sealed.reset(() => ({ ...emptyReset, ...effects }));
    await assertWritten(stores, effects);
  },
} satisfies Contract<Stores>;

const noSealedSecrets: SealedSecrets = {
  collections: [],
  credentials: [],
  mails: [],
  calls: [],
  webhooks: [],
  pepper: null,
  apiKeys: 0,
  accountKeys: 0,
};

const scheme = { type: 'apiKey', name: 'X-Key', in: 'header' } as const;

const aSealedCollection = (fields: Partial<Collection> = {}): Collection =>
  aCollection({
    storedAuthentication: { ...scheme, sealedValue: 'c2VhbGVk', origins: ['https://roads.example.com'] },
    ...fields,
  });

const emptyReset: SecretsReset = {
  collections: [],
  credentials: [],
  mails: [],
  calls: [],
  webhooks: [],
  pepper: null,
  resetAt: start,
  reason: '',
  ...noEffects,
};

const addCollection = ({ collections }: Stores, collection: Collection) =>
  collections.add(collection, aDocumentContent(), noEffects);

const putCredentials = async ({ credentials }: Stores, { id }: Collection, ...schemes: readonly string[]) => {
  const newCredentials = schemes.map((name) => aCredential(name));
  await credentials.update(id, (collection) => ({ collection, credentials: newCredentials, ...noEffects }));
  return newCredentials;
};

/** Adds the profile with a key whose previous secret is still valid after the last rotation. */
const addProfileWithKey = async ({ profiles }: Stores, profile: Profile): Promise<Profile> => {
  await profiles.add(profile, noEffects);
  return profiles.update(profile.id, (state) => ({ ...noEffects, profile: state.profile, key: aKey() }));
};

const addAccountWithKey = async ({ serviceAccounts }: Stores): Promise<ServiceAccount> => {
  const account = anAccount();
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  return account;
};

/** Adds two calls with arguments. */
const setUpCalls = async (stores: Stores) => {
  const [profile, collection] = [aProfile(), aCollection()];
  await stores.profiles.add(profile, noEffects);
  await addCollection(stores, collection);
  const [call, otherCall] = [aCall(profile, collection), aCall(profile, collection)];
  for (const newCall of [call, otherCall])
    await stores.calls.create(profile.id, collection.id, start, () => ({ call: newCall, ...noEffects }));
  return { call, otherCall };
};

/** Adds records of every kind whose secrets can be lost. */
const setUp = async (stores: Stores) => {
  const [roads, acorns] = [aSealedCollection({ name: 'roads' }), aSealedCollection({ name: 'Acorns' })];
  for (const collection of [roads, acorns]) await addCollection(stores, collection);
  const [client, admin] = [await addProfileWithKey(stores, aProfile()), await addProfileWithKey(stores, anAdmin())];
  const account = await addAccountWithKey(stores);
  const [mail, other] = [aMailJob(client.id), aMailJob(client.id)];
  await stores.embeddingJobs.enqueue(jobEffectsOf(mail, other));
  await stores.sealed.ensurePepper('pepper');
  return { roads, acorns, client, admin, account, mail, other };
};
