import { callerLookupContract } from '@portico/contracts';
import type { AccountRow, CallerRow, ClientId, CollectionHead, Pair, ProfileId } from '@portico/domain';
import { breachesOf, breakPort, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { findByAccountId, findByClientId, findByEitherId, findByUid } = breachesOf('callers');
const { remove: removeCollection, update: updateCollection } = breachesOf('collections');
const { update: updateGrants } = breachesOf('grants');

type Alter = <Part extends CollectionHead>(row: CallerRow<Part>, database: MemoryDatabase) => CallerRow<Part>;

/** Changes the row in every read of a profile. */
const mapRow = (alter: Alter) =>
  breakPort('callers', (original, _stores, database) => {
    const changeRow = async <Part extends CollectionHead>(pendingRow: Promise<CallerRow<Part> | null>) => {
      const row = await pendingRow;
      return row && alter(row, database);
    };
    return {
      findByClientId: (...args) => changeRow(original.findByClientId(...args)),
      findByUid: (...args) => changeRow(original.findByUid(...args)),
      findByEitherId: (...args) => changeRow(original.findByEitherId(...args)),
    };
  });

/** Changes the row in reads of service accounts. */
const mapAccountRow = (alter: <Part extends CollectionHead>(row: AccountRow<Part>) => AccountRow<Part>) =>
  findByAccountId.mapResult((row) => row && alter(row));

/** Returns the model from the first read in all later reads. */
const useFirstModel = (): Alter => {
  let firstModel: string | null = null;
  return (row) => {
    firstModel ??= row.epochs.searchModel;
    return { ...row, epochs: { ...row.epochs, searchModel: firstModel } };
  };
};

proveStores('the memory caller lookup', callerLookupContract, {
  'a caller is found by API client identifier': findByClientId.replaceWith(async () => null),
  'a caller is found by API client identifier even if its key is inactive': findByClientId.mapResult((row) =>
    row?.profile.role === 'admin' ? null : row,
  ),
  'looking up an unknown API client identifier returns nothing': findByClientId.replaceWith(
    async ([clientId, target, now], original, { profiles }) => {
      const [firstProfile] = profiles.values();
      return (
        (await original.findByClientId(clientId, target, now)) ??
        (firstProfile ? original.findByUid(firstProfile.uid, target, now) : null)
      );
    },
  ),
  'a caller is found by uid': findByUid.replaceWith(async () => null),
  'looking up a uid that is unknown or in a different case returns nothing': findByUid.replaceWith(
    async ([uid, target, now], original, { profiles }) => {
      const similarProfile = [...profiles.values()].find((profile) => profile.uid.toLowerCase() === uid.toLowerCase());
      return original.findByUid(similarProfile?.uid ?? uid, target, now);
    },
  ),
  'a caller is found by either id: the API client identifier or the profile id': findByEitherId.replaceWith(
    ([id, now], original) => original.findByClientId(id as ClientId, null, now),
  ),
  'an API client identifier takes precedence over an equal profile id': findByEitherId.replaceWith(
    async ([id, now], original, { profiles }) => {
      const profile = profiles.get(id as ProfileId);
      return profile ? original.findByUid(profile.uid, null, now) : original.findByEitherId(id, now);
    },
  ),
  'looking up an unknown profile id returns nothing': findByEitherId.replaceWith(
    async ([id, now], original, { profiles }) => {
      const [firstId] = profiles.keys();
      return (await original.findByEitherId(id, now)) ?? (firstId ? original.findByEitherId(firstId, now) : null);
    },
  ),
  'a service account is found by its id with its key and the epochs, whether or not it has expired': mapAccountRow(
    (row) => ({
      ...row,
      epochs: { ...row.epochs, embeddings: 0 },
    }),
  ),
  'looking up an id without a service account returns nothing': findByAccountId.replaceWith(
    async ([id, target], original, { serviceAccounts }) => {
      const [firstId = id] = serviceAccounts.keys();
      return original.findByAccountId(serviceAccounts.has(id) ? id : firstId, target);
    },
  ),
  'the row of a service account contains the requested part of the target collection': mapAccountRow((row) => ({
    ...row,
    target: null,
  })),
  'the row of a service account reflects every change that was acknowledged before the read':
    findByAccountId.cacheResults(([id]) => id),
  'a profile without an override whose tier was removed has no limits': mapRow((row) => {
    const { tier } = row.profile;
    return tier ? { ...row, limits: { ...row.limits, tier: { tier, allowed: 600, windowSeconds: 60 } } } : row;
  }),
  'looking up a caller by uid or by API client identifier returns the same row': findByClientId.mapResult(
    (row) => row && { ...row, hasGrant: false },
  ),
  'a row contains the key': mapRow((row) => ({ ...row, key: row.key && { ...row.key, previous: null } })),
  'a row contains only the active override': mapRow((row, { overrides }) => {
    const firstOverride = [...overrides.values()].find(({ profile }) => profile === row.profile.id);
    return { ...row, limits: { ...row.limits, override: firstOverride?.override ?? null } };
  }),
  "a row contains the profile's tier if it is active": mapRow((row, { tiers }) => {
    const tier = tiers.get(row.profile.tier ?? '');
    const rule = tier && { tier: tier.tier, allowed: tier.allowed, windowSeconds: tier.windowSeconds };
    return { ...row, limits: { ...row.limits, tier: rule ?? null } };
  }),
  'a row contains only the requested part of the target collection': findByUid.mapArguments(([uid, target, now]) => [
    uid,
    target && { ...target, detail: 'full' },
    now,
  ]),
  'a row has no target if none was requested or the target does not exist': mapRow((row, { collections }) =>
    Object.assign({}, row, row.target ? {} : { target: [...collections.values()][0] }),
  ),
  'a row shows whether the caller has a grant for the target': mapRow((row, { grants }) => ({
    ...row,
    hasGrant: (grants.get(row.profile.id)?.size ?? 0) > 0,
  })),
  'a row reflects every change that was acknowledged before the read': findByUid.cacheResults(
    ([uid, target]) => `${uid} ${target?.id}`,
  ),
  'each grant and each revocation for a profile increases its grants epoch': updateGrants.replaceWith(
    async ([pairs, decide], original, { grantEpochs }) => {
      const epochsBefore = new Map(grantEpochs);
      let revokedPairs: readonly Pair[] = [];
      await original.update(pairs, (states) => {
        const change = decide(states);
        revokedPairs = change.remove ?? [];
        return change;
      });
      for (const { grantee } of revokedPairs) grantEpochs.set(grantee.id, epochsBefore.get(grantee.id) ?? 0);
    },
  ),
  'removing a granted collection increases the grants epoch': removeCollection.restoreAfter(({ grantEpochs }) =>
    saveEntries(grantEpochs),
  ),
  'the grants epoch of a profile does not change when a different profile gets a grant': updateGrants.runAfter(
    (database) => {
      for (const id of database.profiles.keys()) touchGrants(database, id);
    },
  ),
  'adding, changing or removing a collection increases the catalog epoch': updateCollection.runAfter(
    (database) => (database.catalogEpoch -= 1),
  ),
  'the embeddings epoch is the highest sequence number of an embedding': mapRow((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 1 },
  })),
  'removing the latest embedding does not decrease the embeddings epoch': mapRow((row, { embeddings }) => {
    const highestSequence = Math.max(0, ...[...embeddings.values()].map(({ sequence }) => sequence));
    return { ...row, epochs: { ...row.epochs, embeddings: highestSequence } };
  }),
  'a row contains the model used by searches': mapRow(useFirstModel()),
});
