import { callerLookupContract } from '@portico/contracts';
import type { AccountRow, CallerRow, ClientId, CollectionHead, Pair, ProfileId } from '@portico/domain';
import { breachesOf, breaking, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { byAccountId, byClientId, byEitherId, byUid } = breachesOf('callers');
const { remove: removeCollection, update: updateCollection } = breachesOf('collections');
const { update: updateGrants } = breachesOf('grants');

type Alter = <Found extends CollectionHead>(row: CallerRow<Found>, database: MemoryDatabase) => CallerRow<Found>;

/** All reads of profiles with parts of the row changed. */
const altering = (alter: Alter) =>
  breaking('callers', (right, _stores, database) => {
    const altered = async <Found extends CollectionHead>(read: Promise<CallerRow<Found> | null>) => {
      const row = await read;
      return row && alter(row, database);
    };
    return {
      byClientId: (...asked) => altered(right.byClientId(...asked)),
      byUid: (...asked) => altered(right.byUid(...asked)),
      byEitherId: (...asked) => altered(right.byEitherId(...asked)),
    };
  });

/** Reads of service accounts with parts of the row changed. */
const alteringAccounts = (alter: <Found extends CollectionHead>(row: AccountRow<Found>) => AccountRow<Found>) =>
  byAccountId.returning((row) => row && alter(row));

/** Keeps to the model of the first read. */
const withFirstModel = (): Alter => {
  let first: string | null = null;
  return (row) => {
    first ??= row.epochs.searchModel;
    return { ...row, epochs: { ...row.epochs, searchModel: first } };
  };
};

proveStores('the memory caller reads', callerLookupContract, {
  'a caller is found by API client identifier': byClientId.instead(async () => null),
  'a caller is found by API client identifier even if its key is asleep': byClientId.returning((row) =>
    row?.profile.role === 'admin' ? null : row,
  ),
  'an unknown API client identifier finds nothing': byClientId.instead(
    async ([clientId, target, now], right, { profiles }) => {
      const [first] = profiles.values();
      return (await right.byClientId(clientId, target, now)) ?? (first ? right.byUid(first.uid, target, now) : null);
    },
  ),
  'a caller is found by uid': byUid.instead(async () => null),
  'a uid that no profile has, or one in a different case, finds nothing': byUid.instead(
    async ([uid, target, now], right, { profiles }) => {
      const same = [...profiles.values()].find((profile) => profile.uid.toLowerCase() === uid.toLowerCase());
      return right.byUid(same?.uid ?? uid, target, now);
    },
  ),
  'a caller is found by either id: the API client identifier or the profile id': byEitherId.instead(
    ([id, now], right) => right.byClientId(id as ClientId, null, now),
  ),
  'an API client identifier takes precedence over an equal profile id': byEitherId.instead(
    async ([id, now], right, { profiles }) => {
      const profile = profiles.get(id as ProfileId);
      return profile ? right.byUid(profile.uid, null, now) : right.byEitherId(id, now);
    },
  ),
  'an id that no profile has finds nothing': byEitherId.instead(async ([id, now], right, { profiles }) => {
    const [first] = profiles.keys();
    return (await right.byEitherId(id, now)) ?? (first ? right.byEitherId(first, now) : null);
  }),
  'a service account is found by its id, with its key and the epochs, expired or not': alteringAccounts((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 0 },
  })),
  'an id that no service account has finds none': byAccountId.instead(
    async ([id, target], right, { serviceAccounts }) => {
      const [first = id] = serviceAccounts.keys();
      return right.byAccountId(serviceAccounts.has(id) ? id : first, target);
    },
  ),
  "a service account's row holds the requested part of the target collection": alteringAccounts((row) => ({
    ...row,
    target: null,
  })),
  "a service account's row reflects every change that was acknowledged before the read": byAccountId.remembering(
    ([id]) => id,
  ),
  'a profile without an override and with a tier that is gone has neither limit': altering((row) => {
    const { tier } = row.profile;
    return tier ? { ...row, limits: { ...row.limits, tier: { tier, allowed: 600, windowSeconds: 60 } } } : row;
  }),
  "a caller's row is the same by uid and by API client identifier": byClientId.returning(
    (row) => row && { ...row, granted: false },
  ),
  'a row holds the key': altering((row) => ({ ...row, key: row.key && { ...row.key, previous: null } })),
  'a row holds the active override and no other': altering((row, { overrides }) => {
    const first = [...overrides.values()].find(({ profile }) => profile === row.profile.id);
    return { ...row, limits: { ...row.limits, override: first?.override ?? null } };
  }),
  "a row holds the profile's tier if it is active": altering((row, { tiers }) => {
    const tier = tiers.get(row.profile.tier ?? '');
    const rule = tier && { tier: tier.tier, allowed: tier.allowed, windowSeconds: tier.windowSeconds };
    return { ...row, limits: { ...row.limits, tier: rule ?? null } };
  }),
  'a row holds the requested part of the target collection, and no more': byUid.asking(([uid, target, now]) => [
    uid,
    target && { ...target, part: 'whole' },
    now,
  ]),
  'a row has no target if none was requested or it does not exist': altering((row, { collections }) =>
    Object.assign({}, row, row.target ? {} : { target: [...collections.values()][0] }),
  ),
  'a row says whether the caller has a grant for the target': altering((row, { grants }) => ({
    ...row,
    granted: (grants.get(row.profile.id)?.size ?? 0) > 0,
  })),
  'a row reflects every change that was acknowledged before the read': byUid.remembering(
    ([uid, target]) => `${uid} ${target?.id}`,
  ),
  'the grants epoch grows with each grant and each revocation for this profile': updateGrants.instead(
    async ([pairs, decide], right, { grantEpochs }) => {
      const before = new Map(grantEpochs);
      let revoked: readonly Pair[] = [];
      await right.update(pairs, (states) => {
        const change = decide(states);
        revoked = change.remove ?? [];
        return change;
      });
      for (const { grantee } of revoked) grantEpochs.set(grantee.id, before.get(grantee.id) ?? 0);
    },
  ),
  'the grants epoch grows when a granted collection is removed': removeCollection.leaving(({ grantEpochs }) =>
    restoring(grantEpochs),
  ),
  'the grants epoch of a profile stays when another profile gets a grant': updateGrants.followed((database) => {
    for (const id of database.profiles.keys()) touchGrants(database, id);
  }),
  'the catalog epoch grows with each creation, change and deletion of a collection': updateCollection.followed(
    (database) => (database.catalogEpoch -= 1),
  ),
  'the embeddings epoch is the highest sequence of an embedding': altering((row) => ({
    ...row,
    epochs: { ...row.epochs, embeddings: 1 },
  })),
  'the embeddings epoch does not fall when the latest embedding is removed': altering((row, { embeddings }) => {
    const highest = Math.max(0, ...[...embeddings.values()].map(({ sequence }) => sequence));
    return { ...row, epochs: { ...row.epochs, embeddings: highest } };
  }),
  'a caller is read with the model that searches use': altering(withFirstModel()),
});
