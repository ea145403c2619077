import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { clientPair, type Collection, groupPair, type Instant, type Pair, type Profile } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair, groupWay, ownWay } from './granting.ts';
import { claimGroups, join, addUnrelated } from './memberships.ts';
import { noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, readsShowingAccess } from './reads-showing-access.ts';

const expiry = start + 60_000;

/** The contract of the stores for grants that expire. */
export const grantExpiryContract = {
  "a client's own grant counts in every read before its expiry, and in none from its expiry on": async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    await grantUntil(stores, clientPair(client.id, collection.id), expiry);
    await assertExpires(stores, client, collection);
  },

  'a grant of a group counts for members before its expiry, and in no read from its expiry on': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const { client: claiming } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, claiming, [group.name]);
    await grantUntil(stores, groupPair(group.id, collection.id), expiry);
    for (const member of [client, claiming]) await assertExpires(stores, member, collection);
  },

  'a grant without an expiry counts at any time': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    await grantUntil(stores, clientPair(client.id, collection.id), null);
    deepStrictEqual(await readsShowingAccess(stores, client, collection, Number.MAX_SAFE_INTEGER), everyRead);
  },

  'a collection granted in two ways is accessible until the later expiry': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await grantUntil(stores, clientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, groupPair(group.id, collection.id), expiry);
    for (const now of [start + 4, start + 5]) {
      deepStrictEqual(await readsShowingAccess(stores, client, collection, now), everyRead);
    }
    await assertExpires(stores, client, collection);
  },

  'the ways of access of a client are those that count at the given time, each with its expiry': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await grantUntil(stores, clientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, groupPair(group.id, collection.id), expiry);
    const [own, ofGroup] = [ownWay(start, start + 5), groupWay(group, start, expiry)];
    for (const [now, ways] of [
      [start + 4, [own, ofGroup]],
      [start + 5, [ofGroup]],
    ] as const) {
      deepStrictEqual(await stores.grants.clientsOf(collection.id, now), [{ profile: client, ways }]);
      deepStrictEqual((await stores.grants.collectionsOf(client.id, now))?.collections[0]?.ways, ways);
    }
  },

  'a decision sees a grant that has expired': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    const pair = clientPair(client.id, collection.id);
    await grantUntil(stores, pair, start - 1);
    let seen: unknown;
    await stores.grants.update([pair], ([state]) => {
      seen = state?.grant;
      return noEffects;
    });
    deepStrictEqual(seen, { grantedAt: start, expiresAt: start - 1 });
  },

  'a row shows when the first grant of the caller or of its groups expires': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const { group: claimed, collection: other } = await addUnrelated(stores);
    strictEqual(await accessUntil(stores, client), null);
    await grantUntil(stores, clientPair(client.id, collection.id), expiry);
    strictEqual(await accessUntil(stores, client), expiry);
    await grantUntil(stores, groupPair(group.id, collection.id), expiry - 1);
    strictEqual(await accessUntil(stores, client), expiry, 'the client is not a member of the group');
    await join(stores, group, [client]);
    strictEqual(await accessUntil(stores, client), expiry - 1);
    await grantUntil(stores, groupPair(claimed.id, other.id), expiry - 2);
    await claimGroups(stores, client, [claimed.name]);
    strictEqual(await accessUntil(stores, client), expiry - 2);
    await grantUntil(stores, clientPair(client.id, collection.id), expiry - 3);
    strictEqual(await accessUntil(stores, client), expiry - 3);
  },

  'a row shows no expiry that has passed, and none of another client': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    await join(stores, group, [client]);
    await grantUntil(stores, clientPair(other.client.id, collection.id), expiry);
    strictEqual(await accessUntil(stores, client), null);
    await grantUntil(stores, clientPair(client.id, collection.id), start + 5);
    await grantUntil(stores, groupPair(group.id, collection.id), start + 7);
    const expiries: (Instant | null)[] = [];
    for (const now of [start + 4, start + 5, start + 6, start + 7])
      expiries.push(await accessUntil(stores, client, now));
    deepStrictEqual(expiries, [start + 5, start + 7, start + 7, null]);
  },

  'a row shows the expiry with and without a target, by uid and by API client identifier': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    await grantUntil(stores, clientPair(client.id, collection.id), expiry);
    ok(client.clientId);
    const target = { id: collection.id, part: 'whole' } as const;
    const rows = [
      await stores.callers.byUid(client.uid, target, start),
      await stores.callers.byClientId(client.clientId, target, start),
      await stores.callers.byClientId(client.clientId, null, start),
      await stores.callers.byEitherId(client.id, start),
    ];
    deepStrictEqual(
      rows.map((row) => row?.accessUntil),
      [expiry, expiry, expiry, expiry],
    );
  },

  'a row shows the time for which grants were evaluated': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    const target = { id: collection.id, part: 'head' } as const;
    strictEqual((await stores.callers.byUid(client.uid, target, start + 7))?.readAt, start + 7);
    strictEqual((await stores.callers.byUid(client.uid, null, start + 8))?.readAt, start + 8);
    strictEqual((await stores.callers.byEitherId(client.id, start + 9))?.readAt, start + 9);
    strictEqual((await rowOf(stores, client)).readAt, start);
  },
} satisfies Contract<Stores>;

/** Grants the pair until this time, replacing its current grant. */
const grantUntil = ({ grants }: Stores, pair: Pair, expiresAt: Instant | null): Promise<void> =>
  grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, ...noEffects }));

const assertExpires = async (stores: Stores, client: Profile, collection: Collection): Promise<void> => {
  deepStrictEqual(await readsShowingAccess(stores, client, collection, expiry - 1), everyRead);
  deepStrictEqual(await readsShowingAccess(stores, client, collection, expiry), []);
  deepStrictEqual(await readsShowingAccess(stores, client, collection, expiry + 1), []);
};

const accessUntil = async ({ callers }: Stores, { uid }: Profile, now: Instant = start): Promise<Instant | null> => {
  const row = await callers.byUid(uid, null, now);
  ok(row);
  return row.accessUntil;
};
