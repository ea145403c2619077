import { callerLookupContract } from '@portico/contracts';
import type { AccountRow, CallerRow, ClientId, CollectionHead, Pair, ProfileId } from '@portico/domain';
import { breachesOf, breakPort, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { byAccountId, byClientId, byEitherId, byUid } = breachesOf('callers');
const { remove: removeCollection, update: updateCollection } = breachesOf('collections');
const { update: updateGrants } = breachesOf('grants');

type Alter = <Part extends CollectionHead>(row: CallerRow<Part>, database: MemoryDatabase) => CallerRow<Part>;

/** Changes the row in every read of a profile. */
const mapRow = (alter: Alter) =>
  breakPort('callers', (original, _stores, database) => {
    const changeRow = async <Part extends CollectionHead>(read: Promise<CallerRow<Part> | null>) => {
      const row = await read;
      return row && alter(row, database);
    };
    return {
      byClientId: (...args) => changeRow(original.byClientId(...args)),
      byUid: (...args) => changeRow(original.byUid(...args)),
      byEitherId: (...args) => changeRow(original.byEitherId(...args)),
    };
  });

/** Changes the row in reads of service accounts. */
const mapAccountRow = (alter: <Part extends CollectionHead>(row: AccountRow<Part>) => AccountRow<Part>) =>
  byAccountId.mapResult((row) => row && alter(row));

/** Returns the model from the first read in all later reads. */
const withFirstModel = (): Alter => {
  let first: string | null = null;
  return (row) => {
    first ??= row.epochs.searchModel;
    return { ...row, epochs: { ...row.epochs, searchModel: first } };
  };
};

proveStores('the memory caller lookup', callerLookupContract, {
  'a caller is found by API client identifier': byClientId.replaceWith(async () => null),
  'a caller is found by API client identifier even if its key is inactive': byClientId.mapResult((row) =>
    row?.profile.role === 'admin' ? null : row,
  ),
  'an unknown API client identifier finds nothing': byClientId.replaceWith(
    async ([clientId, target, now], original, { profiles }) => {
      const [first] = profiles.values();
      return (
        (await original.byClientId(clientId, target, now)) ?? (first ? original.byUid(first.uid, target, now) : null)
      );
    },
  ),
  'a caller is found by uid': byUid.replaceWith(async () => null),
  'an unknown uid, or one in a different case, finds nothing': byUid.replaceWith(
    async ([uid, target, now], original, { profiles }) => {
      const same = [...profiles.values()].find((profile) => profile.uid.toLowerCase() === uid.toLowerCase());
      return original.byUid(same?.uid ?? uid, target, now);
    },
  ),
  'a caller is found by either id: the API client identifier or the profile id': byEitherId.replaceWith(
    ([id, now], original) => original.byClientId(id as ClientId, null, now),
  ),
  'an API client identifier takes precedence over an equal profile id': byEitherId.replaceWith(
    async ([id, now], original, { profiles }) => {
      const profile = profiles.get(id as ProfileId);
      return profile ? original.byUid(profile.uid, null, now) : original.byEitherId(id, now);
    },
  ),
  'an unknown profile id finds nothing': byEitherId.replaceWith(async ([id, now], original, { profiles }) => {
    const [first] = profiles.keys();
    return (await original.byEitherId(id, now)) ?? (first ? original.byEitherId(first, now) : null);
  }),
  'a service account is found by its id, with its key and the epochs, expired or not': mapAccountRow((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 0 },
  })),
  'an id without a service account finds none': byAccountId.replaceWith(
    async ([id, target], original, { serviceAccounts }) => {
      const [first = id] = serviceAccounts.keys();
      return original.byAccountId(serviceAccounts.has(id) ? id : first, target);
    },
  ),
  "a service account's row contains the requested part of the target collection": mapAccountRow((row) => ({
    ...row,
    target: null,
  })),
  "a service account's row reflects every change that was acknowledged before the read": byAccountId.cacheResults(
    ([id]) => id,
  ),
  'a profile without an override whose tier was removed has neither limit': mapRow((row) => {
    const { tier } = row.profile;
    return tier ? { ...row, limits: { ...row.limits, tier: { tier, allowed: 600, windowSeconds: 60 } } } : row;
  }),
  "a caller's row is the same by uid and by API client identifier": byClientId.mapResult(
    (row) => row && { ...row, granted: false },
  ),
  'a row contains the key': mapRow((row) => ({ ...row, key: row.key && { ...row.key, previous: null } })),
  'a row contains the active override and no other': mapRow((row, { overrides }) => {
    const first = [...overrides.values()].find(({ profile }) => profile === row.profile.id);
    return { ...row, limits: { ...row.limits, override: first?.override ?? null } };
  }),
  "a row contains the profile's tier if it is active": mapRow((row, { tiers }) => {
    const tier = tiers.get(row.profile.tier ?? '');
    const rule = tier && { tier: tier.tier, allowed: tier.allowed, windowSeconds: tier.windowSeconds };
    return { ...row, limits: { ...row.limits, tier: rule ?? null } };
  }),
  'a row contains the requested part of the target collection, and no more': byUid.mapArguments(
    ([uid, target, now]) => [uid, target && { ...target, part: 'whole' }, now],
  ),
  'a row has no target if none was requested or it does not exist': mapRow((row, { collections }) =>
    Object.assign({}, row, row.target ? {} : { target: [...collections.values()][0] }),
  ),
  'a row shows whether the caller has a grant for the target': mapRow((row, { grants }) => ({
    ...row,
    granted: (grants.get(row.profile.id)?.size ?? 0) > 0,
  })),
  'a row reflects every change that was acknowledged before the read': byUid.cacheResults(
    ([uid, target]) => `${uid} ${target?.id}`,
  ),
  'the grants epoch grows with each grant and each revocation for this profile': updateGrants.replaceWith(
    async ([pairs, decide], original, { grantEpochs }) => {
      const before = new Map(grantEpochs);
      let revoked: readonly Pair[] = [];
      await original.update(pairs, (states) => {
        const change = decide(states);
        revoked = change.remove ?? [];
        return change;
      });
      for (const { grantee } of revoked) grantEpochs.set(grantee.id, before.get(grantee.id) ?? 0);
    },
  ),
  'the grants epoch grows when a granted collection is removed': removeCollection.restoreAfter(({ grantEpochs }) =>
    saveEntries(grantEpochs),
  ),
  'the grants epoch of a profile does not change when another profile gets a grant': updateGrants.runAfter(
    (database) => {
      for (const id of database.profiles.keys()) touchGrants(database, id);
    },
  ),
  'the catalog epoch grows with each creation, change and deletion of a collection': updateCollection.runAfter(
    (database) => (database.catalogEpoch -= 1),
  ),
  'the embeddings epoch is the highest sequence of an embedding': mapRow((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 1 },
  })),
  'the embeddings epoch does not fall when the latest embedding is removed': mapRow((row, { embeddings }) => {
    const highest = Math.max(0, ...[...embeddings.values()].map(({ sequence }) => sequence));
    return { ...row, epochs: { ...row.epochs, embeddings: highest } };
  }),
  'a row contains the model that searches use': mapRow(withFirstModel()),
});
