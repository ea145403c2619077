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
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, ownWay, revokeFromClient } from './granting.ts';
import { aCollection, aContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, readsShowingAccess } from './reads-showing-access.ts';

/** The contract of `GrantStore`. */
export const grantStoreContract = {
  'the decision about a grant sees the client, the name of the collection and the existing grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    deepStrictEqual(await seenByGrant(stores, client, collection), {
      ...clientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      grant: null,
      requests: [],
    });
    await grantTo(stores, client, collection, start + 5);
    strictEqual((await seenByGrant(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision about a grant sees null for a missing client or collection': async (stores) => {
    const { client, collection } = await addPair(stores);
    const missing = { id: nextId<ProfileId>() };
    strictEqual((await seenByGrant(stores, missing, collection))?.client, null);
    strictEqual((await seenByGrant(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'a grant is seen by every read once its promise is fulfilled': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection, start + 5);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: client, ways: [ownWay(start + 5)] },
    ]);
  },

  'a grant applies to its pair only': async (stores) => {
    const [one, other] = [await addPair(stores), await addPair(stores)];
    await grantTo(stores, one.client, one.collection);
    for (const [client, collection] of [
      [one.client, other.collection],
      [other.client, one.collection],
    ] as const) {
      deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    }
  },

  'a grant writes its effects': async (stores) => {
    const { client, collection } = await addPair(stores);
    const effects = someEffects();
    await grantToClient(stores.grants, client.id, collection.id, () => ({ grantedAt: start, ...effects }));
    await assertWritten(stores, effects);
  },

  'a grant rethrows an error from the decision and changes nothing': async (stores) => {
    const { client, collection } = await addPair(stores);
    await assertRejects(grantToClient(stores.grants, client.id, collection.id, failDecision), 'already_approved');
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    await assertWritten(stores);
  },

  'of concurrent grants for one pair, exactly one sees no grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    await assertOneWins(
      (index) =>
        grantToClient(stores.grants, client.id, collection.id, ({ grant }) => {
          if (grant !== null) throw new PorticoError('already_granted');
          return { grantedAt: start + index, ...noEffects };
        }),
      'already_granted',
    );
    strictEqual((await stores.grants.clientsOf(collection.id, start))?.length, 1);
  },

  'a grant does not outlive a client or collection that is removed concurrently': async (stores) => {
    const pairs = await Promise.all(Array.from({ length: 10 }, () => addPair(stores)));
    await Promise.allSettled(
      pairs.flatMap(({ client, collection }, index) => [
        grantToClient(stores.grants, client.id, collection.id, (state) => {
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
      deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    }
  },

  'a grant increases the grants epoch of the client': async (stores) => {
    const { client, collection } = await addPair(stores);
    const before = (await rowOf(stores, client)).epochs.grants;
    await grantTo(stores, client, collection);
    strictEqual((await rowOf(stores, client)).epochs.grants > before, true);
  },

  'the decision about a revocation sees the client, the name of the collection and the existing grant': async (
    stores,
  ) => {
    const { client, collection } = await addPair(stores);
    deepStrictEqual(await seenByRevoke(stores, client, collection), {
      ...clientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      grant: null,
      requests: [],
    });
    await grantTo(stores, client, collection, start + 5);
    strictEqual((await seenByRevoke(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision about a revocation sees null for a missing client or collection': async (stores) => {
    const { client, collection } = await addPair(stores);
    const missing = { id: nextId<ProfileId>() };
    strictEqual((await seenByRevoke(stores, missing, collection))?.client, null);
    strictEqual((await seenByRevoke(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'no read sees a grant once its revocation is fulfilled': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    await revokeFromClient(stores.grants, client.id, collection.id, () => noEffects);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
  },

  'a revocation does not affect other grants': async (stores) => {
    const [one, other] = [await addPair(stores), await addPair(stores)];
    const others = [
      [one.client, other.collection],
      [other.client, one.collection],
    ] as const;
    for (const [client, collection] of [...others, [one.client, one.collection] as const]) {
      await grantTo(stores, client, collection);
    }
    await revokeFromClient(stores.grants, one.client.id, one.collection.id, () => noEffects);
    for (const [client, collection] of others) {
      deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    }
  },

  'a revocation writes its effects': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    const effects = someEffects();
    await revokeFromClient(stores.grants, client.id, collection.id, () => effects);
    await assertWritten(stores, effects);
  },

  'a revocation rethrows an error from the decision and keeps the grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    await assertRejects(revokeFromClient(stores.grants, client.id, collection.id, failDecision), 'already_approved');
    deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    await assertWritten(stores);
  },

  'of concurrent revocations for one pair, exactly one sees the grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    await assertOneWins(
      () =>
        revokeFromClient(stores.grants, client.id, collection.id, ({ grant }) => {
          if (grant === null) throw new PorticoError('grant_not_found');
          return noEffects;
        }),
      'grant_not_found',
    );
  },

  'a revocation increases the grants epoch of the client': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    const before = (await rowOf(stores, client)).epochs.grants;
    await revokeFromClient(stores.grants, client.id, collection.id, () => noEffects);
    strictEqual((await rowOf(stores, client)).epochs.grants > before, true);
  },

  'a revoked grant can be granted again': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection, start);
    await revokeFromClient(stores.grants, client.id, collection.id, () => noEffects);
    await grantTo(stores, client, collection, start + 9);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: client, ways: [ownWay(start + 9)] },
    ]);
  },

  'the collections of a client are all collections, each with its ways of access, in the order of lists': async (
    stores,
  ) => {
    const { client, collection } = await addPair(stores, { name: 'äb' });
    const { client: other, collection: last } = await addPair(stores, { name: '😀' });
    const { collection: first } = await addPair(stores, { name: 'Z' });
    await grantTo(stores, client, last, start + 7);
    await grantTo(stores, other, first);
    const lineOf = ({ id, name, description }: Collection) => ({ id, name, description, ways: [] as AccessWay[] });
    deepStrictEqual(await stores.grants.collectionsOf(client.id, start), {
      client,
      collections: [lineOf(first), lineOf(collection), { ...lineOf(last), ways: [ownWay(start + 7)] }],
    });
  },

  'a missing profile has no list of collections': async (stores) => {
    await addPair(stores);
    strictEqual(await stores.grants.collectionsOf(nextId(), start), null);
  },

  'the clients of a collection are those with a grant for it, by e-mail': async (stores) => {
    const { collection, client: b } = await addPair(stores, {}, { email: 'b@example.com' });
    const { collection: other, client: c } = await addPair(stores, {}, { email: 'c@example.com' });
    const { client: a } = await addPair(stores, {}, { email: 'a@example.com' });
    await grantTo(stores, b, collection, start + 1);
    await grantTo(stores, a, collection, start + 2);
    await grantTo(stores, c, other);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: a, ways: [ownWay(start + 2)] },
      { profile: b, ways: [ownWay(start + 1)] },
    ]);
  },

  'a collection without grants has an empty list of clients, and a missing collection has none': async (stores) => {
    const { collection } = await addPair(stores);
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), []);
    strictEqual(await stores.grants.clientsOf(nextId(), start), null);
  },
} satisfies Contract<Stores>;

/** Adds a client and a collection that is not granted to it. */
const addPair = async (
  stores: Stores,
  collectionFacts: Partial<Collection> = {},
  clientFacts: Partial<Profile> = {},
) => {
  const client = aProfile(clientFacts);
  const collection = aCollection(collectionFacts);
  await stores.profiles.add(client, noEffects);
  await stores.collections.add(collection, aContent(), noEffects);
  return { client, collection };
};

const grantTo = ({ grants }: Stores, client: Profile, collection: Collection, grantedAt = start) =>
  grantToClient(grants, client.id, collection.id, () => ({ grantedAt, ...noEffects }));

type Pair = [client: Pick<Profile, 'id'>, collection: Pick<Collection, 'id'>];

/** Returns the state that the decision about a grant sees. The decision throws, so nothing is granted. */
const seenByGrant = ({ grants }: Stores, ...[client, collection]: Pair) =>
  seenBy((decide) => grantToClient(grants, client.id, collection.id, decide));

const seenByRevoke = ({ grants }: Stores, ...[client, collection]: Pair) =>
  seenBy((decide) => revokeFromClient(grants, client.id, collection.id, decide));

const seenBy = async (change: (decide: (state: GrantState) => never) => Promise<void>): Promise<GrantState | null> => {
  const seen: GrantState[] = [];
  const attempt = change((state) => {
    seen.push(state);
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  return seen[0] ?? null;
};
