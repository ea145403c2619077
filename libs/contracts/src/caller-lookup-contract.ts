import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { CallerRow, Collection, Profile, ServiceAccountId } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, revokeFromClient } from './granting.ts';
import {
  adding,
  aCollection,
  aContent,
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
    const { profile } = await aCaller(stores);
    ok(profile.clientId);
    deepStrictEqual((await stores.callers.byClientId(profile.clientId, null, start))?.profile, profile);
  },

  'a caller is found by API client identifier even if its key is inactive': async (stores) => {
    const { profile } = await aCaller(stores, anAdmin({ clientId: nextId() }));
    ok(profile.clientId);
    deepStrictEqual((await stores.callers.byClientId(profile.clientId, null, start))?.profile, profile);
  },

  'an unknown API client identifier finds nothing': async (stores) => {
    await aCaller(stores, aProfile({ clientId: null }));
    await aCaller(stores);
    strictEqual(await stores.callers.byClientId(nextId(), null, start), null);
  },

  'a caller is found by uid': async (stores) => {
    const { profile } = await aCaller(stores, aProfile({ uid: 'Größe|1' }));
    deepStrictEqual((await stores.callers.byUid('Größe|1', null, start))?.profile, profile);
  },

  'an unknown uid, or one in a different case, finds nothing': async (stores) => {
    await aCaller(stores, aProfile({ uid: 'Ada' }));
    strictEqual(await stores.callers.byUid('Bob', null, start), null);
    strictEqual(await stores.callers.byUid('ada', null, start), null);
  },

  'a caller is found by either id: the API client identifier or the profile id': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    await aCaller(stores);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    ok(profile.clientId);
    const row = await rowOf(stores, profile);
    deepStrictEqual(await stores.callers.byEitherId(profile.clientId, start), row);
    deepStrictEqual(await stores.callers.byEitherId(profile.id, start), row);
  },

  'an API client identifier takes precedence over an equal profile id': async (stores) => {
    const { profile: byId } = await aCaller(stores);
    const { profile: byClientId } = await aCaller(stores, aProfile({ clientId: byId.id as never }));
    deepStrictEqual((await stores.callers.byEitherId(byId.id, start))?.profile, byClientId);
  },

  'an unknown profile id finds nothing': async (stores) => {
    await stores.profiles.add(anAdmin(), noEffects);
    strictEqual(await stores.callers.byEitherId(nextId<Profile['id']>(), start), null);
  },

  'a service account is found by its id, with its key and the epochs, expired or not': async (stores) => {
    const account = anAccount({ expiresAt: 0 });
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    const { profile, collection } = await aCaller(stores);
    await stores.embeddings.put(anEmbedding(collection));
    const { epochs } = await rowOf(stores, profile);
    deepStrictEqual(await stores.callers.byAccountId(account.id, null), {
      account,
      key: anAccountKey(),
      epochs: { ...epochs, grants: 0 },
      target: null,
    });
  },

  'an id without a service account finds none': async (stores) => {
    const { profile } = await aCaller(stores);
    await stores.serviceAccounts.add(() => ({ account: anAccount(), key: anAccountKey(), ...noEffects }));
    strictEqual(await stores.callers.byAccountId(profile.id as string as ServiceAccountId, null), null);
    strictEqual(await stores.callers.byAccountId(nextId(), null), null);
  },

  "a service account's row contains the requested part of the target collection": async (stores) => {
    const account = anAccount();
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    const { profile, collection } = await aCaller(stores);
    for (const target of [
      head(collection),
      whole(collection),
      { id: nextId<Collection['id']>(), part: 'head' } as const,
    ]) {
      const expected = (await stores.callers.byUid(profile.uid, target, start))?.target;
      deepStrictEqual((await stores.callers.byAccountId(account.id, target))?.target, expected);
    }
  },

  "a service account's row reflects every change that was acknowledged before the read": async (stores) => {
    const account = anAccount();
    await stores.serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
    for (let round = 1; round <= 5; round += 1) {
      const changed = { ...account, name: `Ada ${round}` };
      await stores.serviceAccounts.update(account.id, () => ({ account: changed, key: null, ...noEffects }));
      const row = await stores.callers.byAccountId(account.id, null);
      deepStrictEqual([row?.account, row?.key], [changed, null]);
    }
    await stores.serviceAccounts.remove(account.id, () => noEffects);
    strictEqual(await stores.callers.byAccountId(account.id, null), null);
  },

  'a profile without an override whose tier was removed has neither limit': async (stores) => {
    const { profile } = await aCaller(stores, aProfile({ tier: 'gold' }));
    deepStrictEqual((await stores.callers.byEitherId(profile.id, start))?.limits, {
      override: null,
      tier: null,
      groupTier: null,
    });
  },

  "a caller's row is the same by uid and by API client identifier": async (stores) => {
    const { profile, collection } = await aCaller(stores);
    ok(profile.clientId);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    const read = await stores.callers.byUid(profile.uid, whole(collection), start);
    ok(read?.granted);
    deepStrictEqual(await stores.callers.byClientId(profile.clientId, whole(collection), start), read);
  },

  'a row contains the key': async (stores) => {
    const { profile } = await aCaller(stores);
    strictEqual((await rowOf(stores, profile)).key, null);
    await stores.profiles.update(profile.id, () => ({ profile, key: aKey(), ...noEffects }));
    deepStrictEqual((await rowOf(stores, profile)).key, aKey());
  },

  'a row contains the active override and no other': async (stores) => {
    const { profile } = await aCaller(stores);
    await aCaller(stores).then((other) => stores.limits.addOverride(other.profile.id, adding(anOverride())));
    await stores.limits.addOverride(profile.id, adding(anOverride({ isActive: false })));
    strictEqual((await rowOf(stores, profile)).limits.override, null);
    const active = anOverride({ allowed: 5, windowSeconds: 30 });
    const { id } = await stores.limits.addOverride(profile.id, adding(active));
    deepStrictEqual((await rowOf(stores, profile)).limits.override, { id, allowed: 5, windowSeconds: 30 });
  },

  "a row contains the profile's tier if it is active": async (stores) => {
    const { profile } = await aCaller(stores, aProfile({ tier: 'gold' }));
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
    await stores.limits.addTier(aTier({ tier: 'silver' }), noEffects);
    await stores.limits.addTier(aTier({ tier: 'gold', allowed: 9, windowSeconds: 3 }), noEffects);
    deepStrictEqual((await rowOf(stores, profile)).limits.tier, { tier: 'gold', allowed: 9, windowSeconds: 3 });
    await stores.limits.updateTier('gold', (tier) => ({ tier: { ...tier, isActive: false }, ...noEffects }));
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
  },

  'a row contains the requested part of the target collection, and no more': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    deepStrictEqual((await stores.callers.byUid(profile.uid, whole(collection), start))?.target, collection);
    const {
      contentRevision,
      descriptionDerived,
      baseUrl,
      derivedAuthentication,
      storedAuthentication,
      discoverable,
      importKey,
      ...expected
    } = collection;
    ok(
      contentRevision &&
        !descriptionDerived &&
        !discoverable &&
        baseUrl &&
        derivedAuthentication &&
        storedAuthentication &&
        importKey,
    );
    deepStrictEqual((await stores.callers.byUid(profile.uid, head(collection), start))?.target, expected);
    ok(profile.clientId);
    deepStrictEqual((await stores.callers.byClientId(profile.clientId, head(collection), start))?.target, expected);
  },

  'a row has no target if none was requested or it does not exist': async (stores) => {
    const { profile } = await aCaller(stores);
    strictEqual((await stores.callers.byUid(profile.uid, null, start))?.target, null);
    for (const part of ['head', 'whole'] as const) {
      const row = await stores.callers.byUid(profile.uid, { id: nextId(), part }, start);
      deepStrictEqual([row?.target, row?.granted], [null, false]);
    }
  },

  'a row shows whether the caller has a grant for the target': async (stores) => {
    const [{ profile, collection }, other] = [await aCaller(stores), await aCaller(stores)];
    const granted = async (caller: Profile, target: Collection) =>
      (await stores.callers.byUid(caller.uid, head(target), start))?.granted;
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    strictEqual(await granted(profile, collection), true);
    strictEqual(await granted(profile, other.collection), false);
    strictEqual(await granted(other.profile, collection), false);
    strictEqual((await stores.callers.byUid(profile.uid, null, start))?.granted, false);
  },

  'a row reflects every change that was acknowledged before the read': async (stores) => {
    const { profile, collection } = await aCaller(stores);
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
      const row = await stores.callers.byUid(profile.uid, whole(collection), start);
      deepStrictEqual([row?.profile.fullName, row?.target?.baseUrl], [fullName, fullName]);
    }
  },

  'the grants epoch grows with each grant and each revocation for this profile': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    await assertGrows(stores, profile, 'grants', () =>
      grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects })),
    );
    await assertGrows(stores, profile, 'grants', () =>
      revokeFromClient(stores.grants, profile.id, collection.id, () => noEffects),
    );
  },

  'the grants epoch grows when a granted collection is removed': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    await grantToClient(stores.grants, profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    await assertGrows(stores, profile, 'grants', () => stores.collections.remove(collection.id, () => noEffects));
  },

  'the grants epoch of a profile does not change when another profile gets a grant': async (stores) => {
    const [{ profile, collection }, other] = [await aCaller(stores), await aCaller(stores)];
    const before = (await rowOf(stores, profile)).epochs.grants;
    await grantToClient(stores.grants, other.profile.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    strictEqual((await rowOf(stores, profile)).epochs.grants, before);
  },

  'the catalog epoch grows with each creation, change and deletion of a collection': async (stores) => {
    const { profile } = await aCaller(stores);
    const collection = aCollection();
    await assertGrows(stores, profile, 'catalog', () => stores.collections.add(collection, aContent(), noEffects));
    await assertGrows(stores, profile, 'catalog', () =>
      stores.collections.update(collection.id, (current) => ({
        collection: { ...current, name: 'New' },
        ...noEffects,
      })),
    );
    await assertGrows(stores, profile, 'catalog', () => stores.collections.remove(collection.id, () => noEffects));
  },

  'the embeddings epoch is the highest sequence of an embedding': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    const other = await aCaller(stores);
    for (const head of [collection, other.collection, collection]) {
      await assertGrows(stores, profile, 'embeddings', () => stores.embeddings.put(anEmbedding(head)));
      const last = (await stores.embeddings.changedSince(0, 'm1', 9)).at(-1);
      strictEqual((await rowOf(stores, profile)).epochs.embeddings, last?.sequence);
    }
  },

  'the embeddings epoch does not fall when the latest embedding is removed': async (stores) => {
    const { profile, collection } = await aCaller(stores);
    await stores.embeddings.put(anEmbedding(collection));
    const before = (await rowOf(stores, profile)).epochs.embeddings;
    await stores.collections.remove(collection.id, () => noEffects);
    strictEqual((await rowOf(stores, profile)).epochs.embeddings, before);
  },

  'a row contains the model that searches use': async (stores) => {
    const { profile } = await aCaller(stores);
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, null);
    await stores.models.promote(null, 'm1');
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, 'm1');
    await stores.models.promote('m1', 'm2');
    strictEqual((await rowOf(stores, profile)).epochs.searchModel, 'm2');
  },
} satisfies Contract<Stores>;

const head = ({ id }: Collection) => ({ id, part: 'head' }) as const;
const whole = ({ id }: Collection) => ({ id, part: 'whole' }) as const;

/** Adds a profile and a collection that is not granted to it. */
const aCaller = async (stores: Stores, profile = aProfile()) => {
  const collection = aCollection({
    storedAuthentication: { type: 'apiKey', name: 'X-Key', in: 'header', sealedValue: 'c2VhbGVk' },
    importKey: `roads/${profile.id}.json`,
  });
  await stores.profiles.add(profile, noEffects);
  await stores.collections.add(collection, aContent(), noEffects);
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
