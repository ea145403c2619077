import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { CallerRow, Collection, Profile, ServiceAccountId } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, revokeFromClient } from './granting.ts';
import {
  createAddDecision,
  aCollection,
  aDocumentContent,
  aKey,
  anAccount,
  anAccountKey,
  anAdmin,
  anEmbedding,
  anOverride,
  aProfile,
  aTier,
  nextId,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `CallerLookup`. */
export const callerLookupContract = {
  'a caller is found by API client identifier': async (stores) => {
    const { profile } = await addCaller(stores);
    ok(profile.clientId);
    deepStrictEqual((await stores.callers.findByClientId(profile.clientId, null, start))?.profile, profile);
  },

  'a caller is found by API client identifier even if its key is inactive': async (stores) => {
    const { profile } = await addCaller(stores, anAdmin({ clientId: nextId() }));
    ok(profile.clientId);
    deepStrictEqual((await stores.callers.findByClientId(profile.clientId, null, start))?.profile, profile);
  },

  'looking up an unknown API client identifier returns nothing': async (stores) => {
    await addCaller(stores, aProfile({ clientId: null }));
    await addCaller(stores);
    strictEqual(await stores.callers.findByClientId(nextId(), null, start), null);
  },

  'a caller is found by uid': async (stores) => {
    const { profile } = await addCaller(stores, aProfile({ uid: 'Größe|1' }));
    deepStrictEqual((await stores.callers.findByUid('Größe|1', null, start))?.profile, profile);
  },

  'looking up a uid that is unknown or in a different case returns nothing': async (stores) => {
    await addCaller(stores, aProfile({ uid: 'Ada' }));
    strictEqual(await stores.callers.findByUid('Bob', null, start), null);
    strictEqual(await stores.callers.findByUid('ada', null, start), null);
  },

  'a caller is found by either id: the API client identifier or the profile id': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    await addCaller(stores);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    ok(profile.clientId);
    const row = await rowOf(stores, profile);
    deepStrictEqual(await stores.callers.findByEitherId(profile.clientId, start), row);
    deepStrictEqual(await stores.callers.findByEitherId(profile.id, start), row);
  },

  'an API client identifier takes precedence over an equal profile id': async (stores) => {
    const { profile: profileWithId } = await addCaller(stores);
    const { profile: profileWithClientId } = await addCaller(stores, aProfile({ clientId: profileWithId.id as never }));
    deepStrictEqual((await stores.callers.findByEitherId(profileWithId.id, start))?.profile, profileWithClientId);
  },

  'looking up an unknown profile id returns nothing': async (stores) => {
    await stores.profiles.add(anAdmin(), noEffects);
    strictEqual(await stores.callers.findByEitherId(nextId<Profile['id']>(), start), null);
  },

  'a service account is found by its id with its key and the epochs, whether or not it has expired': async (stores) => {
    const account = anAccount({ expiresAt: 0 });
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    const { profile, collection } = await addCaller(stores);
    await stores.embeddings.put(anEmbedding(collection));
    const { epochs } = await rowOf(stores, profile);
    deepStrictEqual(await stores.callers.findByAccountId(account.id, null), {
      account,
      key: anAccountKey(),
      epochs: { ...epochs, grants: 0 },
      target: null,
    });
  },

  'looking up an id without a service account returns nothing': async (stores) => {
    const { profile } = await addCaller(stores);
    await stores.serviceAccounts.add(() => ({ account: anAccount(), key: anAccountKey(), ...noEffects }));
    strictEqual(await stores.callers.findByAccountId(profile.id as string as ServiceAccountId, null), null);
    strictEqual(await stores.callers.findByAccountId(nextId(), null), null);
  },

  'the row of a service account contains the requested part of the target collection': async (stores) => {
    const account = anAccount();
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    const { profile, collection } = await addCaller(stores);
    for (const target of [
      headTargetOf(collection),
      fullTargetOf(collection),
      { id: nextId<Collection['id']>(), detail: 'head' } as const,
    ]) {
      const expected = (await stores.callers.findByUid(profile.uid, target, start))?.target;
      deepStrictEqual((await stores.callers.findByAccountId(account.id, target))?.target, expected);
    }
  },

  'the row of a service account reflects every change that was acknowledged before the read': async (stores) => {
    const account = anAccount();
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    for (let round = 1; round <= 5; round += 1) {
      const updatedAccount = { ...account, name: `Ada ${round}` };
      await stores.serviceAccounts.update(account.id, () => ({ account: updatedAccount, key: null, ...noEffects }));
      const row = await stores.callers.findByAccountId(account.id, null);
      deepStrictEqual([row?.account, row?.key], [updatedAccount, null]);
    }
    await stores.serviceAccounts.remove(account.id, () => noEffects);
    strictEqual(await stores.callers.findByAccountId(account.id, null), null);
  },

  'a profile without an override whose tier was removed has no limits': async (stores) => {
    const { profile } = await addCaller(stores, aProfile({ tier: 'gold' }));
    deepStrictEqual((await stores.callers.findByEitherId(profile.id, start))?.limits, {
      override: null,
      tier: null,
      groupTier: null,
    });
  },

  'looking up a caller by uid or by API client identifier returns the same row': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    ok(profile.clientId);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    const row = await stores.callers.findByUid(profile.uid, fullTargetOf(collection), start);
    ok(row?.hasGrant);
    deepStrictEqual(await stores.callers.findByClientId(profile.clientId, fullTargetOf(collection), start), row);
  },

  'a row contains the key': async (stores) => {
    const { profile } = await addCaller(stores);
    strictEqual((await rowOf(stores, profile)).key, null);
    await stores.profiles.update(profile.id, () => ({ profile, key: aKey(), ...noEffects }));
    deepStrictEqual((await rowOf(stores, profile)).key, aKey());
  },

  'a row contains only the active override': async (stores) => {
    const { profile } = await addCaller(stores);
    await addCaller(stores).then((otherCaller) =>
      stores.limits.addOverride(otherCaller.profile.id, createAddDecision(anOverride())),
    );
    await stores.limits.addOverride(profile.id, createAddDecision(anOverride({ isActive: false })));
    strictEqual((await rowOf(stores, profile)).limits.override, null);
    const activeOverride = anOverride({ allowed: 5, windowSeconds: 30 });
    const { id } = await stores.limits.addOverride(profile.id, createAddDecision(activeOverride));
    deepStrictEqual((await rowOf(stores, profile)).limits.override, { id, allowed: 5, windowSeconds: 30 });
  },

  "a row contains the profile's tier if it is active": async (stores) => {
    const { profile } = await addCaller(stores, aProfile({ tier: 'gold' }));
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
    await stores.limits.addTier(aTier({ tier: 'silver' }), noEffects);
    await stores.limits.addTier(aTier({ tier: 'gold', allowed: 9, windowSeconds: 3 }), noEffects);
    deepStrictEqual((await rowOf(stores, profile)).limits.tier, { tier: 'gold', allowed: 9, windowSeconds: 3 });
    await stores.limits.updateTier('gold', (tier) => ({ tier: { ...tier, isActive: false }, ...noEffects }));
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
  },

  'a row contains only the requested part of the target collection': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    deepStrictEqual((await stores.callers.findByUid(profile.uid, fullTargetOf(collection), start))?.target, collection);
    const {
      contentRevision,
      descriptionDerived,
      baseUrl,
      derivedAuthentication,
      storedAuthentication,
      discoverable,
      baseUrlSetting,
      serverVariables,
      credentialSchemes,
      delivery,
      ownCredentials,
      importKey,
      ownerGroup,
      changePolicy,
      ...expected
    } = collection;
    ok(
      contentRevision &&
        !descriptionDerived &&
        !discoverable &&
        baseUrl &&
        derivedAuthentication &&
        storedAuthentication &&
        baseUrlSetting &&
        serverVariables['region'] &&
        credentialSchemes.length === 0 &&
        delivery === 'reveal' &&
        !ownCredentials &&
        importKey &&
        ownerGroup === null &&
        changePolicy.expected.length === 0,
    );
    deepStrictEqual((await stores.callers.findByUid(profile.uid, headTargetOf(collection), start))?.target, expected);
    ok(profile.clientId);
    deepStrictEqual(
      (await stores.callers.findByClientId(profile.clientId, headTargetOf(collection), start))?.target,
      expected,
    );
  },

  'a row has no target if none was requested or the target does not exist': async (stores) => {
    const { profile } = await addCaller(stores);
    strictEqual((await stores.callers.findByUid(profile.uid, null, start))?.target, null);
    for (const detail of ['head', 'full'] as const) {
      const row = await stores.callers.findByUid(profile.uid, { id: nextId(), detail }, start);
      deepStrictEqual([row?.target, row?.hasGrant], [null, false]);
    }
  },

  'a row shows whether the caller has a grant for the target': async (stores) => {
    const [{ profile, collection }, otherCaller] = [await addCaller(stores), await addCaller(stores)];
    const isGranted = async (caller: Profile, target: Collection) =>
      (await stores.callers.findByUid(caller.uid, headTargetOf(target), start))?.hasGrant;
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    strictEqual(await isGranted(profile, collection), true);
    strictEqual(await isGranted(profile, otherCaller.collection), false);
    strictEqual(await isGranted(otherCaller.profile, collection), false);
    strictEqual((await stores.callers.findByUid(profile.uid, null, start))?.hasGrant, false);
  },

  'a row reflects every change that was acknowledged before the read': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    for (let round = 1; round <= 20; round += 1) {
      const fullName = `Ada ${round}`;
      await stores.profiles.update(profile.id, (state) => ({
        ...state,
        profile: { ...profile, fullName },
        ...noEffects,
      }));
      await stores.collections.update(collection.id, (current) => ({
        collection: { ...current, baseUrl: fullName },
        ...noEffects,
      }));
      const row = await stores.callers.findByUid(profile.uid, fullTargetOf(collection), start);
      deepStrictEqual([row?.profile.fullName, row?.target?.baseUrl], [fullName, fullName]);
    }
  },

  'each grant and each revocation for a profile increases its grants epoch': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    await assertGrows(stores, profile, 'grants', () =>
      grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects })),
    );
    await assertGrows(stores, profile, 'grants', () =>
      revokeFromClient(stores.grants, profile.id, collection.id, () => noEffects),
    );
  },

  'removing a granted collection increases the grants epoch': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    await assertGrows(stores, profile, 'grants', () => stores.collections.remove(collection.id, () => noEffects));
  },

  'the grants epoch of a profile does not change when a different profile gets a grant': async (stores) => {
    const [{ profile, collection }, otherCaller] = [await addCaller(stores), await addCaller(stores)];
    const before = (await rowOf(stores, profile)).epochs.grants;
    await grantToClient(stores.grants, otherCaller.profile.id, collection.id, () => ({
      grantedAt: start,
      ...noEffects,
    }));
    strictEqual((await rowOf(stores, profile)).epochs.grants, before);
  },

  'adding, changing or removing a collection increases the catalog epoch': async (stores) => {
    const { profile } = await addCaller(stores);
    const collection = aCollection();
    await assertGrows(stores, profile, 'catalog', () =>
      stores.collections.add(collection, aDocumentContent(), noEffects),
    );
    await assertGrows(stores, profile, 'catalog', () =>
      stores.collections.update(collection.id, (current) => ({
        collection: { ...current, name: 'New' },
        ...noEffects,
      })),
    );
    await assertGrows(stores, profile, 'catalog', () => stores.collections.remove(collection.id, () => noEffects));
  },

  'the embeddings epoch is the highest sequence number of an embedding': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    const otherCaller = await addCaller(stores);
    for (const target of [collection, otherCaller.collection, collection]) {
      await assertGrows(stores, profile, 'embeddings', () => stores.embeddings.put(anEmbedding(target)));
      const lastChange = (await stores.embeddings.listChangedSince(0, 'm1', 9)).at(-1);
      strictEqual((await rowOf(stores, profile)).epochs.embeddings, lastChange?.sequence);
    }
  },

  'removing the latest embedding does not decrease the embeddings epoch': async (stores) => {
    const { profile, collection } = await addCaller(stores);
    await stores.embeddings.put(anEmbedding(collection));
    const before = (await rowOf(stores, profile)).epochs.embeddings;
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await rowOf(stores, profile)).epochs.embeddings, before);
  },

  'a row contains the model used by searches': async (stores) => {
    const { profile } = await addCaller(stores);
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, null);
    await stores.models.promote(null, 'm1');
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, 'm1');
    await stores.models.promote('m1', 'm2');
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, 'm2');
  },
} satisfies Contract<Stores>;

const headTargetOf = ({ id }: Collection) => ({ id, detail: 'head' }) as const;
const fullTargetOf = ({ id }: Collection) => ({ id, detail: 'full' }) as const;

/** Adds a profile and a collection that is not granted to it. */
const addCaller = async (stores: Stores, profile = aProfile()) => {
  const collection = aCollection({
    storedAuthentication: {
      type: 'apiKey',
      name: 'X-Key',
      in: 'header',
      sealedValue: 'c2VhbGVk',
      origins: ['https://roads.example.com'],
    },
    baseUrlSetting: `https://roads.example.com/${profile.id}`,
    serverVariables: { region: 'eu' },
    importKey: `roads/${profile.id}.json`,
  });
  await stores.profiles.add(profile, noEffects);
  await stores.collections.add(collection, aDocumentContent(), noEffects);
  return { profile, collection };
};

const assertGrows = async (
  stores: Stores,
  profile: Profile,
  epoch: Exclude<keyof CallerRow['epochs'], 'searchModel'>,
  change: () => Promise<unknown>,
): Promise<void> => {
  const before = (await rowOf(stores, profile)).epochs[epoch];
  await change();
  const after = (await rowOf(stores, profile)).epochs[epoch];
  ok(after > before, `the ${epoch} epoch was ${before} and is ${after}`);
};
