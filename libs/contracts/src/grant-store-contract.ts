import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type AccessWay,
  clientPair,
  type Collection,
  type GrantState,
  PorticoError,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { assertOneWins, assertRefused, assertWritten, refuse, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantOne, ownWay, revokeOne } from './granting.ts';
import { aCollection, aContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, whoSees } from './who-sees.ts';

/** What `GrantStore` promises. */
export const grantStoreContract = {
  'the decision of a grant sees the client, the name of the collection and the existing grant': async (stores) => {
    const { client, collection } = await aPair(stores);
    deepStrictEqual(await seenByGrant(stores, client, collection), {
      ...clientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      grant: null,
      requests: [],
    });
    await granted(stores, client, collection, start + 5);
    strictEqual((await seenByGrant(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision of a grant sees null for a missing client or collection': async (stores) => {
    const { client, collection } = await aPair(stores);
    const nobody = { id: nextId<ProfileId>() };
    strictEqual((await seenByGrant(stores, nobody, collection))?.client, null);
    strictEqual((await seenByGrant(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'a grant is seen by every read once its promise is fulfilled': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection, start + 5);
    deepStrictEqual(await whoSees(stores, client, collection), everyRead);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: client, ways: [ownWay(start + 5)] },
    ]);
  },

  'a grant is for its pair alone': async (stores) => {
    const [one, other] = [await aPair(stores), await aPair(stores)];
    await granted(stores, one.client, one.collection);
    for (const [client, collection] of [
      [one.client, other.collection],
      [other.client, one.collection],
    ] as const) {
      deepStrictEqual(await whoSees(stores, client, collection), []);
    }
  },

  'a grant writes its effects': async (stores) => {
    const { client, collection } = await aPair(stores);
    const effects = someEffects();
    await grantOne(stores.grants, client.id, collection.id, () => ({ grantedAt: start, ...effects }));
    await assertWritten(stores, effects);
  },

  'a grant rethrows what its decision throws, and changes nothing': async (stores) => {
    const { client, collection } = await aPair(stores);
    await assertRefused(grantOne(stores.grants, client.id, collection.id, refuse), 'already_approved');
    deepStrictEqual(await whoSees(stores, client, collection), []);
    await assertWritten(stores);
  },

  'of concurrent grants for one pair, exactly one sees no grant': async (stores) => {
    const { client, collection } = await aPair(stores);
    await assertOneWins(
      (index) =>
        grantOne(stores.grants, client.id, collection.id, ({ grant }) => {
          if (grant !== null) throw new PorticoError('already_granted');
          return { grantedAt: start + index, ...noEffects };
        }),
      'already_granted',
    );
    strictEqual((await stores.grants.clientsOf(collection.id, start))?.length, 1);
  },

  'a grant does not outlive a client or collection that is removed concurrently': async (stores) => {
    const pairs = await Promise.all(Array.from({ length: 10 }, () => aPair(stores)));
    await Promise.allSettled(
      pairs.flatMap(({ client, collection }, index) => [
        grantOne(stores.grants, client.id, collection.id, (state) => {
          if (!state.client || state.collectionName === null) throw new PorticoError('not_found');
          return { grantedAt: start, ...noEffects };
        }),
        index % 2 === 0
          ? stores.collections.remove(collection.id, () => noEffects)
          : stores.profiles.remove(client.id, () => noEffects),
      ]),
    );
    for (const [index, { client, collection }] of pairs.entries()) {
      if (index % 2 === 0) await stores.collections.add(collection, aContent(), noEffects);
      else await stores.profiles.add(client, noEffects);
      deepStrictEqual(await whoSees(stores, client, collection), []);
    }
  },

  'a grant makes the grants epoch of the client grow': async (stores) => {
    const { client, collection } = await aPair(stores);
    const before = (await rowOf(stores, client)).epochs.grants;
    await granted(stores, client, collection);
    strictEqual((await rowOf(stores, client)).epochs.grants > before, true);
  },

  'the decision of a revocation sees the client, the name of the collection and the existing grant': async (stores) => {
    const { client, collection } = await aPair(stores);
    deepStrictEqual(await seenByRevoke(stores, client, collection), {
      ...clientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      grant: null,
      requests: [],
    });
    await granted(stores, client, collection, start + 5);
    strictEqual((await seenByRevoke(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision of a revocation sees null for a missing client or collection': async (stores) => {
    const { client, collection } = await aPair(stores);
    const nobody = { id: nextId<ProfileId>() };
    strictEqual((await seenByRevoke(stores, nobody, collection))?.client, null);
    strictEqual((await seenByRevoke(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'no read sees a grant once its revocation is fulfilled': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection);
    await revokeOne(stores.grants, client.id, collection.id, () => noEffects);
    deepStrictEqual(await whoSees(stores, client, collection), []);
  },

  'a revocation leaves every other grant alone': async (stores) => {
    const [one, other] = [await aPair(stores), await aPair(stores)];
    const kept = [
      [one.client, other.collection],
      [other.client, one.collection],
    ] as const;
    for (const [client, collection] of [...kept, [one.client, one.collection] as const]) {
      await granted(stores, client, collection);
    }
    await revokeOne(stores.grants, one.client.id, one.collection.id, () => noEffects);
    for (const [client, collection] of kept) {
      deepStrictEqual(await whoSees(stores, client, collection), everyRead);
    }
  },

  'a revocation writes its effects': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection);
    const effects = someEffects();
    await revokeOne(stores.grants, client.id, collection.id, () => effects);
    await assertWritten(stores, effects);
  },

  'a revocation rethrows what its decision throws, and keeps the grant': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection);
    await assertRefused(revokeOne(stores.grants, client.id, collection.id, refuse), 'already_approved');
    deepStrictEqual(await whoSees(stores, client, collection), everyRead);
    await assertWritten(stores);
  },

  'of concurrent revocations for one pair, exactly one sees the grant': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection);
    await assertOneWins(
      () =>
        revokeOne(stores.grants, client.id, collection.id, ({ grant }) => {
          if (grant === null) throw new PorticoError('grant_not_found');
          return noEffects;
        }),
      'grant_not_found',
    );
  },

  'a revocation makes the grants epoch of the client grow': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection);
    const before = (await rowOf(stores, client)).epochs.grants;
    await revokeOne(stores.grants, client.id, collection.id, () => noEffects);
    strictEqual((await rowOf(stores, client)).epochs.grants > before, true);
  },

  'a revoked grant can be granted again': async (stores) => {
    const { client, collection } = await aPair(stores);
    await granted(stores, client, collection, start);
    await revokeOne(stores.grants, client.id, collection.id, () => noEffects);
    await granted(stores, client, collection, start + 9);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: client, ways: [ownWay(start + 9)] },
    ]);
  },

  'the collections of a client are all collections, each with its ways of access, in the order of lists': async (
    stores,
  ) => {
    const { client, collection } = await aPair(stores, { name: 'äb' });
    const { client: other, collection: last } = await aPair(stores, { name: '😀' });
    const { collection: first } = await aPair(stores, { name: 'Z' });
    await granted(stores, client, last, start + 7);
    await granted(stores, other, first);
    const lineOf = ({ id, name, description }: Collection) => ({ id, name, description, ways: [] as AccessWay[] });
    deepStrictEqual(await stores.grants.collectionsOf(client.id, start), {
      client,
      collections: [lineOf(first), lineOf(collection), { ...lineOf(last), ways: [ownWay(start + 7)] }],
    });
  },

  'a missing profile has no list of collections': async (stores) => {
    await aPair(stores);
    strictEqual(await stores.grants.collectionsOf(nextId(), start), null);
  },

  'the clients of a collection are those with a grant for it, by e-mail': async (stores) => {
    const { collection, client: b } = await aPair(stores, {}, { email: 'b@example.com' });
    const { collection: other, client: c } = await aPair(stores, {}, { email: 'c@example.com' });
    const { client: a } = await aPair(stores, {}, { email: 'a@example.com' });
    await granted(stores, b, collection, start + 1);
    await granted(stores, a, collection, start + 2);
    await granted(stores, c, other);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: a, ways: [ownWay(start + 2)] },
      { profile: b, ways: [ownWay(start + 1)] },
    ]);
  },

  'a collection without grants has no clients, and a missing one has no list of them': async (stores) => {
    const { collection } = await aPair(stores);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), []);
    strictEqual(await stores.grants.clientsOf(nextId(), start), null);
  },
} satisfies Contract<Stores>;

/** A client and a collection, without a grant between them. */
const aPair = async (stores: Stores, heads: Partial<Collection> = {}, facts: Partial<Profile> = {}) => {
  const client = aProfile(facts);
  const collection = aCollection(heads);
  await stores.profiles.add(client, noEffects);
  await stores.collections.add(collection, aContent(), noEffects);
  return { client, collection };
};

const granted = ({ grants }: Stores, client: Profile, collection: Collection, grantedAt = start) =>
  grantOne(grants, client.id, collection.id, () => ({ grantedAt, ...noEffects }));

type Pair = [client: Pick<Profile, 'id'>, collection: Pick<Collection, 'id'>];

/** The state that the decision of a grant sees; the decision then throws. */
const seenByGrant = ({ grants }: Stores, ...[client, collection]: Pair) =>
  seenBy((decide) => grantOne(grants, client.id, collection.id, decide));

const seenByRevoke = ({ grants }: Stores, ...[client, collection]: Pair) =>
  seenBy((decide) => revokeOne(grants, client.id, collection.id, decide));

const seenBy = async (change: (decide: (state: GrantState) => never) => Promise<void>): Promise<GrantState | null> => {
  const seen: GrantState[] = [];
  const attempt = change((state) => {
    seen.push(state);
    return refuse();
  });
  await assertRefused(attempt, 'already_approved');
  return seen[0] ?? null;
};
