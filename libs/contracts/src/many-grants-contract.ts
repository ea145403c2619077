import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type CallerRow, clientPair, type GrantState, groupPair, type Pair, PorticoError } from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair, groupWay, ownWay, revokePair } from './granting.ts';
import { join, addUnrelated } from './memberships.ts';
import { aCollection, aContent, aGroup, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, readsShowingAccess } from './reads-showing-access.ts';

const grantedNow = () => ({ grantedAt: start, ...noEffects });

/** The contract of `GrantStore` for groups, and for many pairs in one update. */
export const manyGrantsContract = {
  'a decision sees the state of each pair in the given order, of profiles and groups, including duplicates': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    const pairs = [
      groupPair(group.id, collection.id),
      clientPair(other.client.id, collection.id),
      clientPair(client.id, other.collection.id),
      groupPair(group.id, collection.id),
      groupPair(other.group.id, other.collection.id),
    ];
    await grantPair(stores.grants, clientPair(client.id, other.collection.id), () => ({
      ...grantedNow(),
      grantedAt: start + 3,
    }));
    await grantPair(stores.grants, groupPair(group.id, collection.id), () => ({
      ...grantedNow(),
      expiresAt: start - 1,
    }));
    const ofGroup = {
      client: null,
      group,
      collectionName: collection.name,
      grant: { grantedAt: start, expiresAt: start - 1 },
    };
    deepStrictEqual(await statesOf(stores, pairs), [
      { ...pairs[0], ...ofGroup, requests: [] },
      { ...pairs[1], client: other.client, group: null, collectionName: collection.name, grant: null, requests: [] },
      {
        ...pairs[2],
        client,
        group: null,
        collectionName: other.collection.name,
        grant: { grantedAt: start + 3, expiresAt: null },
        requests: [],
      },
      { ...pairs[3], ...ofGroup, requests: [] },
      {
        ...pairs[4],
        client: null,
        group: other.group,
        collectionName: other.collection.name,
        grant: null,
        requests: [],
      },
    ]);
  },

  'the decision about a group sees null for a missing group or collection': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const [withoutCollection, withoutGroup, clientAsGroup] = await statesOf(stores, [
      groupPair(group.id, nextId()),
      groupPair(nextId(), collection.id),
      groupPair(client.id as never, collection.id),
    ]);
    deepStrictEqual([withoutCollection?.group, withoutCollection?.collectionName], [group, null]);
    deepStrictEqual([withoutGroup?.group, clientAsGroup?.group, clientAsGroup?.client], [null, null, null]);
  },

  "a grant of a group is not a grant of its members, and a member's grant is not one of the group": async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const second = await addUnrelated(stores);
    await join(stores, group, [client]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), grantedNow);
    await grantPair(stores.grants, clientPair(client.id, second.collection.id), grantedNow);
    const states = await statesOf(stores, [
      clientPair(client.id, collection.id),
      groupPair(group.id, second.collection.id),
    ]);
    deepStrictEqual(
      states.map(({ grant }) => grant),
      [null, null],
    );
  },

  'grants of profiles and groups are put and removed together': async (stores) => {
    const [one, other] = [await addUnrelated(stores), await addUnrelated(stores)];
    await join(stores, one.group, [one.client]);
    const added = [clientPair(other.client.id, one.collection.id), groupPair(one.group.id, one.collection.id)];
    const removed = [clientPair(one.client.id, other.collection.id), groupPair(one.group.id, other.collection.id)];
    const put = (pairs: readonly Pair[]) => pairs.map((pair) => ({ ...pair, grantedAt: start, expiresAt: null }));
    await stores.grants.update(removed, () => ({ put: put(removed), ...noEffects }));
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), everyRead);
    await stores.grants.update([...added, ...removed], () => ({ put: put(added), remove: removed, ...noEffects }));
    deepStrictEqual(await readsShowingAccess(stores, one.client, one.collection), everyRead);
    deepStrictEqual(await readsShowingAccess(stores, other.client, one.collection), everyRead);
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), []);
  },

  'a grant that is put again replaces the previous one': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    for (const pair of [clientPair(client.id, collection.id), groupPair(group.id, collection.id)]) {
      await grantPair(stores.grants, pair, () => ({ ...grantedNow(), expiresAt: start + 9 }));
      await grantPair(stores.grants, pair, () => ({ ...noEffects, grantedAt: start + 1, expiresAt: start + 5 }));
    }
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [
      { profile: client, ways: [ownWay(start + 1, start + 5), groupWay(group, start + 1, start + 5)] },
    ]);
  },

  'an update whose decision throws changes no pair': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const pairs = [clientPair(client.id, collection.id), groupPair(group.id, collection.id)];
    await join(stores, group, [client]);
    await assertRejects(stores.grants.update(pairs, failDecision), 'already_approved');
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    await assertWritten(stores);
  },

  'ten thousand pairs are decided and stored together': async (stores) => {
    const clients = Array.from({ length: 100 }, () => aProfile());
    const collections = Array.from({ length: 100 }, () => aCollection());
    for (const client of clients) await stores.profiles.add(client, noEffects);
    for (const collection of collections) await stores.collections.add(collection, aContent(), noEffects);
    const pairs = clients.flatMap((client) => collections.map(({ id }) => clientPair(client.id, id)));
    for (const before of [0, 10_000]) {
      await stores.grants.update(pairs, (states) => {
        deepStrictEqual([states.length, states.filter(({ grant }) => grant !== null).length], [10_000, before]);
        return { put: pairs.map((pair) => ({ ...pair, grantedAt: start, expiresAt: null })), ...noEffects };
      });
    }
    for (const { id } of [...clients.slice(0, 2), ...clients.slice(-2)]) {
      const visible = await stores.collections.visibleIds({ of: 'granted', to: id, at: start });
      deepStrictEqual([...visible].sort(), collections.map((collection) => collection.id).sort());
    }
  },

  'an update of no pairs decides, and writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.grants.update([], (states) => {
      deepStrictEqual(states, []);
      return effects;
    });
    await assertWritten(stores, effects);
  },

  'of concurrent grants for one pair of a group, exactly one sees no grant': async (stores) => {
    const { group, collection } = await addUnrelated(stores);
    await assertOneWins(
      () =>
        grantPair(stores.grants, groupPair(group.id, collection.id), ({ grant }) => {
          if (grant !== null) throw new PorticoError('already_granted');
          return grantedNow();
        }),
      'already_granted',
    );
  },

  'a grant does not outlive a group or collection that is removed concurrently': async (stores) => {
    const all = await Promise.all(Array.from({ length: 10 }, () => addUnrelated(stores)));
    await Promise.allSettled(
      all.flatMap(({ group, collection }, index) => [
        grantPair(stores.grants, groupPair(group.id, collection.id), (state) => {
          if (!state.group || state.collectionName === null) throw new PorticoError('not_found');
          return grantedNow();
        }),
        index % 2 === 0
          ? stores.collections.remove(collection.id, () => noEffects)
          : stores.groups.remove(group.id, () => noEffects),
      ]),
    );
    for (const [index, { client, group, collection }] of all.entries()) {
      if (index % 2 === 0) await stores.collections.add(collection, aContent(), noEffects);
      else await stores.groups.add(group, noEffects);
      await join(stores, group, [client]);
      deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    }
  },

  'a grant of a group is seen by every read about its members, and about no other profile': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    await join(stores, group, [client]);
    await join(stores, other.group, [other.client]);
    await grantPair(stores.grants, groupPair(group.id, collection.id), grantedNow);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await readsShowingAccess(stores, client, other.collection), []);
    deepStrictEqual(await readsShowingAccess(stores, other.client, collection), []);
  },

  'no read sees a grant of a group once its revocation is fulfilled': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const pair = groupPair(group.id, collection.id);
    await join(stores, group, [client]);
    await grantPair(stores.grants, pair, grantedNow);
    await revokePair(stores.grants, pair, () => noEffects);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
  },

  'an update increases the grants epoch of each changed profile, and of no other': async (stores) => {
    const [one, two, three] = [await addUnrelated(stores), await addUnrelated(stores), await addUnrelated(stores)];
    const pairs = [one, two, three].map(({ client }) => clientPair(client.id, one.collection.id));
    const epochs = () => Promise.all([one, two, three].map(({ client }) => epochOf(stores, client, 'grants')));
    const before = await epochs();
    await stores.grants.update(pairs, () => ({
      put: pairs.slice(0, 1).map((pair) => ({ ...pair, grantedAt: start, expiresAt: null })),
      remove: pairs.slice(1, 2),
      ...noEffects,
    }));
    deepStrictEqual(
      (await epochs()).map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, true, false],
    );
  },

  'the groups epoch grows with each change of the grants of a group, but not of a profile': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const pair = groupPair(group.id, collection.id);
    const grows = async (change: () => Promise<unknown>) => {
      const before = await epochOf(stores, client, 'groups');
      await change();
      return (await epochOf(stores, client, 'groups')) > before;
    };
    strictEqual(await grows(() => grantPair(stores.grants, pair, grantedNow)), true);
    strictEqual(await grows(() => revokePair(stores.grants, pair, () => noEffects)), true);
    strictEqual(await grows(() => grantPair(stores.grants, clientPair(client.id, collection.id), grantedNow)), false);
  },

  'the ways of access of a client are its own grant, then those of its groups by name': async (stores) => {
    const { client, collection } = await addUnrelated(stores, { group: { name: 'a' } });
    const groups = ['😀', 'Z', 'ä'].map((name) => aGroup({ name }));
    for (const group of groups) {
      await stores.groups.add(group, noEffects);
      await join(stores, group, [client]);
      await grantPair(stores.grants, groupPair(group.id, collection.id), grantedNow);
    }
    await grantPair(stores.grants, clientPair(client.id, collection.id), grantedNow);
    const [face, z, umlaut] = groups;
    ok(face && z && umlaut);
    const ways = [ownWay(start), ...[z, umlaut, face].map((group) => groupWay(group, start))];
    deepStrictEqual(await stores.grants.clientsOf(collection.id, start), [{ profile: client, ways }]);
    deepStrictEqual((await stores.grants.collectionsOf(client.id, start))?.collections[0]?.ways, ways);
  },

  'the clients of a collection include the members of its groups, each once, by e-mail': async (stores) => {
    const { client: b, group, collection } = await addUnrelated(stores, { client: { email: 'b@example.com' } });
    const { client: c, group: second } = await addUnrelated(stores, { client: { email: 'c@example.com' } });
    const { client: a } = await addUnrelated(stores, { client: { email: 'a@example.com' } });
    await join(stores, group, [b, c]);
    await join(stores, second, [c]);
    for (const { id } of [group, second]) await grantPair(stores.grants, groupPair(id, collection.id), grantedNow);
    await grantPair(stores.grants, clientPair(a.id, collection.id), grantedNow);
    deepStrictEqual(
      (await stores.grants.clientsOf(collection.id, start))?.map(({ profile, ways }) => [profile.email, ways.length]),
      [
        ['a@example.com', 1],
        ['b@example.com', 1],
        ['c@example.com', 2],
      ],
    );
  },
} satisfies Contract<Stores>;

/** Returns the states that a decision about these pairs sees. */
const statesOf = async ({ grants }: Stores, pairs: readonly Pair[]): Promise<readonly GrantState[]> => {
  let seen: readonly GrantState[] = [];
  await grants.update(pairs, (states) => {
    seen = states;
    return noEffects;
  });
  return seen;
};

const epochOf = async (
  stores: Stores,
  client: Parameters<typeof rowOf>[1],
  epoch: Exclude<keyof CallerRow['epochs'], 'searchModel'>,
): Promise<number> => (await rowOf(stores, client)).epochs[epoch];
