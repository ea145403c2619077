import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { clientPair, type Collection, groupPair, type Instant, type Pair, type Profile } from '@portico/domain';
import { rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair, groupWay, ownWay } from './granting.ts';
import { claim, join, strangers } from './joining.ts';
import { noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, whoSees } from './who-sees.ts';

const end = start + 60_000;

/** What the stores promise of grants that end. */
export const grantExpiryContract = {
  "a client's own grant counts in every read before its end, and in none from its end on": async (stores) => {
    const { client, collection } = await strangers(stores);
    await until(stores, clientPair(client.id, collection.id), end);
    await assertEnds(stores, client, collection);
  },

  'a grant of a group counts for members before its end, and in no read from its end on': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const { client: claiming } = await strangers(stores);
    await join(stores, group, [client]);
    await claim(stores, claiming, [group.name]);
    await until(stores, groupPair(group.id, collection.id), end);
    for (const member of [client, claiming]) await assertEnds(stores, member, collection);
  },

  'a grant without an end counts at any time': async (stores) => {
    const { client, collection } = await strangers(stores);
    await until(stores, clientPair(client.id, collection.id), null);
    deepStrictEqual(await whoSees(stores, client, collection, Number.MAX_SAFE_INTEGER), everyRead);
  },

  'a collection held in two ways is had until the later of their ends': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await join(stores, group, [client]);
    await until(stores, clientPair(client.id, collection.id), start + 5);
    await until(stores, groupPair(group.id, collection.id), end);
    for (const now of [start + 4, start + 5]) {
      deepStrictEqual(await whoSees(stores, client, collection, now), everyRead);
    }
    await assertEnds(stores, client, collection);
  },

  'the ways of a client are those that count at the moment, each with its end': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await join(stores, group, [client]);
    await until(stores, clientPair(client.id, collection.id), start + 5);
    await until(stores, groupPair(group.id, collection.id), end);
    const [own, ofGroup] = [ownWay(start, start + 5), groupWay(group, start, end)];
    for (const [now, ways] of [
      [start + 4, [own, ofGroup]],
      [start + 5, [ofGroup]],
    ] as const) {
      deepStrictEqual(await stores.grants.clientsOf(collection.id, now), [{ profile: client, ways }]);
      deepStrictEqual((await stores.grants.collectionsOf(client.id, now))?.collections[0]?.ways, ways);
    }
  },

  'a decision sees a grant that has ended': async (stores) => {
    const { client, collection } = await strangers(stores);
    const pair = clientPair(client.id, collection.id);
    await until(stores, pair, start - 1);
    let seen: unknown;
    await stores.grants.update([pair], ([state]) => {
      seen = state?.grant;
      return noEffects;
    });
    deepStrictEqual(seen, { grantedAt: start, expiresAt: start - 1 });
  },

  'a row says when the first grant ends, of the caller or of its groups': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const { group: claimed, collection: other } = await strangers(stores);
    strictEqual(await accessUntil(stores, client), null);
    await until(stores, clientPair(client.id, collection.id), end);
    strictEqual(await accessUntil(stores, client), end);
    await until(stores, groupPair(group.id, collection.id), end - 1);
    strictEqual(await accessUntil(stores, client), end, 'the group is none of the client');
    await join(stores, group, [client]);
    strictEqual(await accessUntil(stores, client), end - 1);
    await until(stores, groupPair(claimed.id, other.id), end - 2);
    await claim(stores, client, [claimed.name]);
    strictEqual(await accessUntil(stores, client), end - 2);
    await until(stores, clientPair(client.id, collection.id), end - 3);
    strictEqual(await accessUntil(stores, client), end - 3);
  },

  'a row does not name an end that has come, nor one of somebody else': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const other = await strangers(stores);
    await join(stores, group, [client]);
    await until(stores, clientPair(other.client.id, collection.id), end);
    strictEqual(await accessUntil(stores, client), null);
    await until(stores, clientPair(client.id, collection.id), start + 5);
    await until(stores, groupPair(group.id, collection.id), start + 7);
    const ends: (Instant | null)[] = [];
    for (const now of [start + 4, start + 5, start + 6, start + 7]) ends.push(await accessUntil(stores, client, now));
    deepStrictEqual(ends, [start + 5, start + 7, start + 7, null]);
  },

  'a row names the end with a target and without one, by uid and by API client identifier': async (stores) => {
    const { client, collection } = await strangers(stores);
    await until(stores, clientPair(client.id, collection.id), end);
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
      [end, end, end, end],
    );
  },

  'a row says by which moment grants were judged': async (stores) => {
    const { client, collection } = await strangers(stores);
    const target = { id: collection.id, part: 'head' } as const;
    strictEqual((await stores.callers.byUid(client.uid, target, start + 7))?.readAt, start + 7);
    strictEqual((await stores.callers.byUid(client.uid, null, start + 8))?.readAt, start + 8);
    strictEqual((await stores.callers.byEitherId(client.id, start + 9))?.readAt, start + 9);
    strictEqual((await rowOf(stores, client)).readAt, start);
  },
} satisfies Contract<Stores>;

/** Grants the pair until that moment, in place of what it has. */
const until = ({ grants }: Stores, pair: Pair, expiresAt: Instant | null): Promise<void> =>
  grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, ...noEffects }));

const assertEnds = async (stores: Stores, client: Profile, collection: Collection): Promise<void> => {
  deepStrictEqual(await whoSees(stores, client, collection, end - 1), everyRead);
  deepStrictEqual(await whoSees(stores, client, collection, end), []);
  deepStrictEqual(await whoSees(stores, client, collection, end + 1), []);
};

const accessUntil = async ({ callers }: Stores, { uid }: Profile, now: Instant = start): Promise<Instant | null> => {
  const row = await callers.byUid(uid, null, now);
  ok(row);
  return row.accessUntil;
};
