import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { toClientPair, type Collection, toGroupPair, type Instant, type Pair, type Profile } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair, toGroupAccessGrant, toOwnAccessGrant } from './granting.ts';
import { claimGroups, addToGroup, addUnrelatedRecords } from './memberships.ts';
import { noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, listReadsShowingAccess } from './list-reads-showing-access.ts';

const expiry = start + 60_000;

/** The contract of the stores for grants that expire. */
export const grantExpiryContract = {
  "every read counts the client's own grant until it expires, and no read afterwards": async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    await grantUntil(stores, toClientPair(client.id, collection.id), expiry);
    await assertExpires(stores, client, collection);
  },

  'every read counts a grant of a group for its members until it expires, and no read afterwards': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { client: claimingClient } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, claimingClient, [group.name]);
    await grantUntil(stores, toGroupPair(group.id, collection.id), expiry);
    for (const member of [client, claimingClient]) await assertExpires(stores, member, collection);
  },

  'a grant without an expiry counts at any time': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    await grantUntil(stores, toClientPair(client.id, collection.id), null);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection, Number.MAX_SAFE_INTEGER), everyRead);
  },

  'a collection that is granted in two ways is accessible until the later expiry': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantUntil(stores, toClientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, toGroupPair(group.id, collection.id), expiry);
    for (const now of [start + 4, start + 5]) {
      deepStrictEqual(await listReadsShowingAccess(stores, client, collection, now), everyRead);
    }
    await assertExpires(stores, client, collection);
  },

  "only the grants that are valid at the given time are listed as a client's access, with their expiries": async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantUntil(stores, toClientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, toGroupPair(group.id, collection.id), expiry);
    const [ownGrant, groupGrant] = [toOwnAccessGrant(start, start + 5), toGroupAccessGrant(group, start, expiry)];
    for (const [now, grants] of [
      [start + 4, [ownGrant, groupGrant]],
      [start + 5, [groupGrant]],
    ] as const) {
      deepStrictEqual(await stores.grants.listClients(collection.id, now), [{ profile: client, grants }]);
      deepStrictEqual((await stores.grants.listCollections(client.id, now))?.collections[0]?.grants, grants);
    }
  },

  'a decision sees a grant that has expired': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const pair = toClientPair(client.id, collection.id);
    await grantUntil(stores, pair, start - 1);
    let capturedGrant: unknown;
    await stores.grants.update([pair], ([state]) => {
      capturedGrant = state?.grant;
      return noEffects;
    });
    deepStrictEqual(capturedGrant, { grantedAt: start, expiresAt: start - 1, rule: null });
  },

  'a row shows when the first grant of the caller or of its groups expires': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { group: claimedGroup, collection: otherCollection } = await addUnrelatedRecords(stores);
    strictEqual(await readAccessUntil(stores, client), null);
    await grantUntil(stores, toClientPair(client.id, collection.id), expiry);
    strictEqual(await readAccessUntil(stores, client), expiry);
    await grantUntil(stores, toGroupPair(group.id, collection.id), expiry - 1);
    strictEqual(await readAccessUntil(stores, client), expiry, 'the client is not a member of the group');
    await addToGroup(stores, group, [client]);
    strictEqual(await readAccessUntil(stores, client), expiry - 1);
    await grantUntil(stores, toGroupPair(claimedGroup.id, otherCollection.id), expiry - 2);
    await claimGroups(stores, client, [claimedGroup.name]);
    strictEqual(await readAccessUntil(stores, client), expiry - 2);
    await grantUntil(stores, toClientPair(client.id, collection.id), expiry - 3);
    strictEqual(await readAccessUntil(stores, client), expiry - 3);
  },

  'a row shows neither expiries in the past nor expiries of other clients': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantUntil(stores, toClientPair(otherRecords.client.id, collection.id), expiry);
    strictEqual(await readAccessUntil(stores, client), null);
    await grantUntil(stores, toClientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, toGroupPair(group.id, collection.id), start + 7);
    const expiries: (Instant | null)[] = [];
    for (const now of [start + 4, start + 5, start + 6, start + 7])
      expiries.push(await readAccessUntil(stores, client, now));
    deepStrictEqual(expiries, [start + 5, start + 7, start + 7, null]);
  },

  'a row shows the expiry with and without a target, by uid and by API client identifier': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    await grantUntil(stores, toClientPair(client.id, collection.id), expiry);
    ok(client.clientId);
    const target = { id: collection.id, detail: 'full' } as const;
    const rows = [
      await stores.callers.findByUid(client.uid, target, start),
      await stores.callers.findByClientId(client.clientId, target, start),
      await stores.callers.findByClientId(client.clientId, null, start),
      await stores.callers.findByEitherId(client.id, start),
    ];
    deepStrictEqual(
      rows.map((row) => row?.accessUntil),
      [expiry, expiry, expiry, expiry],
    );
  },

  'a row shows the time at which grants were evaluated': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const target = { id: collection.id, detail: 'head' } as const;
    strictEqual((await stores.callers.findByUid(client.uid, target, start + 7))?.readAt, start + 7);
    strictEqual((await stores.callers.findByUid(client.uid, null, start + 8))?.readAt, start + 8);
    strictEqual((await stores.callers.findByEitherId(client.id, start + 9))?.readAt, start + 9);
    strictEqual((await rowOf(stores, client)).readAt, start);
  },
} satisfies Contract<Stores>;

/** Grants the pair until this time, replacing its current grant. */
const grantUntil = ({ grants }: Stores, pair: Pair, expiresAt: Instant | null): Promise<void> =>
  grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, ...noEffects }));

const assertExpires = async (stores: Stores, client: Profile, collection: Collection): Promise<void> => {
  deepStrictEqual(await listReadsShowingAccess(stores, client, collection, expiry - 1), everyRead);
  deepStrictEqual(await listReadsShowingAccess(stores, client, collection, expiry), []);
  deepStrictEqual(await listReadsShowingAccess(stores, client, collection, expiry + 1), []);
};

const readAccessUntil = async (
  { callers }: Stores,
  { uid }: Profile,
  now: Instant = start,
): Promise<Instant | null> => {
  const row = await callers.findByUid(uid, null, now);
  ok(row);
  return row.accessUntil;
};
