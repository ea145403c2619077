import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type AccessGrant,
  toClientPair,
  type Collection,
  type GrantState,
  PorticoError,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, toOwnAccessGrant, revokeFromClient } from './granting.ts';
import { aCollection, aDocumentContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, listReadsShowingAccess } from './list-reads-showing-access.ts';

/** The contract of `GrantStore`. */
export const grantStoreContract = {
  'the decision about a grant sees the client, the name of the collection and the existing grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    deepStrictEqual(await captureGrantState(stores, client, collection), {
      ...toClientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      lifecycle: 'active',
      grant: null,
      requests: [],
    });
    await grantTo(stores, client, collection, start + 5);
    strictEqual((await captureGrantState(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision about a grant sees null if the client or the collection does not exist': async (stores) => {
    const { client, collection } = await addPair(stores);
    const missingClient = { id: nextId<ProfileId>() };
    strictEqual((await captureGrantState(stores, missingClient, collection))?.client, null);
    strictEqual((await captureGrantState(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'every read sees a grant once its promise is fulfilled': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection, start + 5);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await stores.grants.listClients(collection.id, start), [
      { profile: client, grants: [toOwnAccessGrant(start + 5)] },
    ]);
  },

  'a grant applies only to its pair': async (stores) => {
    const [pair, otherPair] = [await addPair(stores), await addPair(stores)];
    await grantTo(stores, pair.client, pair.collection);
    for (const [client, collection] of [
      [pair.client, otherPair.collection],
      [otherPair.client, pair.collection],
    ] as const) {
      deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
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
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    await assertWritten(stores);
  },

  'when the same pair is granted concurrently, only one decision sees no grant': async (stores) => {
    const { client, collection } = await addPair(stores);
    await assertOneSucceeds(
      (index) =>
        grantToClient(stores.grants, client.id, collection.id, ({ grant }) => {
          if (grant !== null) throw new PorticoError('already_granted');
          return { grantedAt: start + index, ...noEffects };
        }),
      'already_granted',
    );
    strictEqual((await stores.grants.listClients(collection.id, start))?.length, 1);
  },

  'a grant is not kept if its client or collection is removed concurrently': async (stores) => {
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
      if (index % 2 === 0) await stores.collections.add(collection, aDocumentContent(), noEffects);
      else await stores.profiles.add(client, noEffects);
      deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
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
    deepStrictEqual(await captureRevokeState(stores, client, collection), {
      ...toClientPair(client.id, collection.id),
      client,
      group: null,
      collectionName: collection.name,
      lifecycle: 'active',
      grant: null,
      requests: [],
    });
    await grantTo(stores, client, collection, start + 5);
    strictEqual((await captureRevokeState(stores, client, collection))?.grant?.grantedAt, start + 5);
  },

  'the decision about a revocation sees null if the client or the collection does not exist': async (stores) => {
    const { client, collection } = await addPair(stores);
    const missingClient = { id: nextId<ProfileId>() };
    strictEqual((await captureRevokeState(stores, missingClient, collection))?.client, null);
    strictEqual((await captureRevokeState(stores, client, { id: nextId() }))?.collectionName, null);
  },

  'no read sees a grant once the promise of its revocation is fulfilled': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    await revokeFromClient(stores.grants, client.id, collection.id, () => noEffects);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
  },

  'a revocation does not affect other grants': async (stores) => {
    const [pair, otherPair] = [await addPair(stores), await addPair(stores)];
    const otherGrants = [
      [pair.client, otherPair.collection],
      [otherPair.client, pair.collection],
    ] as const;
    for (const [client, collection] of [...otherGrants, [pair.client, pair.collection] as const]) {
      await grantTo(stores, client, collection);
    }
    await revokeFromClient(stores.grants, pair.client.id, pair.collection.id, () => noEffects);
    for (const [client, collection] of otherGrants) {
      deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
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
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
    await assertWritten(stores);
  },

  'when the same grant is revoked concurrently, only one decision sees it': async (stores) => {
    const { client, collection } = await addPair(stores);
    await grantTo(stores, client, collection);
    await assertOneSucceeds(
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
    deepStrictEqual(await stores.grants.listClients(collection.id, start), [
      { profile: client, grants: [toOwnAccessGrant(start + 9)] },
    ]);
  },

  "the collections of a client are all collections in list order, each with the client's grants": async (stores) => {
    const { client, collection } = await addPair(stores, { name: 'äb' });
    const { client: otherClient, collection: lastCollection } = await addPair(stores, { name: '😀' });
    const { collection: firstCollection } = await addPair(stores, { name: 'Z' });
    await grantTo(stores, client, lastCollection, start + 7);
    await grantTo(stores, otherClient, firstCollection);
    const lineOf = ({ id, name, description }: Collection) => ({ id, name, description, grants: [] as AccessGrant[] });
    deepStrictEqual(await stores.grants.listCollections(client.id, start), {
      client,
      collections: [
        lineOf(firstCollection),
        lineOf(collection),
        { ...lineOf(lastCollection), grants: [toOwnAccessGrant(start + 7)] },
      ],
    });
  },

  'a missing profile has no list of collections': async (stores) => {
    await addPair(stores);
    strictEqual(await stores.grants.listCollections(nextId(), start), null);
  },

  'the clients of a collection are those with a grant for it, ordered by email': async (stores) => {
    const { collection, client: b } = await addPair(stores, {}, { email: 'b@example.com' });
    const { collection: otherCollection, client: c } = await addPair(stores, {}, { email: 'c@example.com' });
    const { client: a } = await addPair(stores, {}, { email: 'a@example.com' });
    await grantTo(stores, b, collection, start + 1);
    await grantTo(stores, a, collection, start + 2);
    await grantTo(stores, c, otherCollection);
    deepStrictEqual(await stores.grants.listClients(collection.id, start), [
      { profile: a, grants: [toOwnAccessGrant(start + 2)] },
      { profile: b, grants: [toOwnAccessGrant(start + 1)] },
    ]);
  },

  'a collection without grants has an empty list of clients, and a missing collection has no list': async (stores) => {
    const { collection } = await addPair(stores);
    deepStrictEqual(await stores.grants.listClients(collection.id, start), []);
    strictEqual(await stores.grants.listClients(nextId(), start), null);
  },
} satisfies Contract<Stores>;

/** Adds a client and a collection that is not granted to it. */
const addPair = async (
  stores: Stores,
  collectionFields: Partial<Collection> = {},
  clientFields: Partial<Profile> = {},
) => {
  const client = aProfile(clientFields);
  const collection = aCollection(collectionFields);
  await stores.profiles.add(client, noEffects);
  await stores.collections.add(collection, aDocumentContent(), noEffects);
  return { client, collection };
};

const grantTo = ({ grants }: Stores, client: Profile, collection: Collection, grantedAt = start) =>
  grantToClient(grants, client.id, collection.id, () => ({ grantedAt, ...noEffects }));

type Pair = [client: Pick<Profile, 'id'>, collection: Pick<Collection, 'id'>];

/** Returns the state that the decision about a grant sees. The decision throws, so nothing is granted. */
const captureGrantState = ({ grants }: Stores, ...[client, collection]: Pair) =>
  captureState((decide) => grantToClient(grants, client.id, collection.id, decide));

const captureRevokeState = ({ grants }: Stores, ...[client, collection]: Pair) =>
  captureState((decide) => revokeFromClient(grants, client.id, collection.id, decide));

const captureState = async (
  change: (decide: (state: GrantState) => never) => Promise<void>,
): Promise<GrantState | null> => {
  const capturedStates: GrantState[] = [];
  const attempt = change((state) => {
    capturedStates.push(state);
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  return capturedStates[0] ?? null;
};
