import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type CallerRow, toClientPair, type GrantState, toGroupPair, type Pair, PorticoError } from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair, toGroupAccessGrant, toOwnAccessGrant, revokePair } from './granting.ts';
import { addToGroup, addUnrelatedRecords } from './memberships.ts';
import { aCollection, aDocumentContent, aGroup, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, listReadsShowingAccess } from './list-reads-showing-access.ts';

const grantDecision = () => ({ grantedAt: start, ...noEffects });

/** The contract of `GrantStore` for groups, and for many pairs in one update. */
export const manyGrantsContract = {
  'a decision sees the state of each pair of profiles and groups in the given order, including duplicates': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    const pairs = [
      toGroupPair(group.id, collection.id),
      toClientPair(otherRecords.client.id, collection.id),
      toClientPair(client.id, otherRecords.collection.id),
      toGroupPair(group.id, collection.id),
      toGroupPair(otherRecords.group.id, otherRecords.collection.id),
    ];
    await grantPair(stores.grants, toClientPair(client.id, otherRecords.collection.id), () => ({
      ...grantDecision(),
      grantedAt: start + 3,
    }));
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), () => ({
      ...grantDecision(),
      expiresAt: start - 1,
    }));
    const groupState = {
      client: null,
      group,
      collectionName: collection.name,
      lifecycle: 'active',
      grant: { grantedAt: start, expiresAt: start - 1, rule: null },
    };
    deepStrictEqual(await captureStates(stores, pairs), [
      { ...pairs[0], ...groupState, requests: [] },
      {
        ...pairs[1],
        client: otherRecords.client,
        group: null,
        collectionName: collection.name,
        lifecycle: 'active',
        grant: null,
        requests: [],
      },
      {
        ...pairs[2],
        client,
        group: null,
        collectionName: otherRecords.collection.name,
        lifecycle: 'active',
        grant: { grantedAt: start + 3, expiresAt: null, rule: null },
        requests: [],
      },
      { ...pairs[3], ...groupState, requests: [] },
      {
        ...pairs[4],
        client: null,
        group: otherRecords.group,
        collectionName: otherRecords.collection.name,
        lifecycle: 'active',
        grant: null,
        requests: [],
      },
    ]);
  },

  'the decision about a group sees null if the group or the collection does not exist': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const [stateWithoutCollection, stateWithoutGroup, stateOfClientAsGroup] = await captureStates(stores, [
      toGroupPair(group.id, nextId()),
      toGroupPair(nextId(), collection.id),
      toGroupPair(client.id as never, collection.id),
    ]);
    deepStrictEqual([stateWithoutCollection?.group, stateWithoutCollection?.collectionName], [group, null]);
    deepStrictEqual(
      [stateWithoutGroup?.group, stateOfClientAsGroup?.group, stateOfClientAsGroup?.client],
      [null, null, null],
    );
  },

  'a grant of a group is not a grant of its members, and a grant of a member is not a grant of the group': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const secondRecords = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), grantDecision);
    await grantPair(stores.grants, toClientPair(client.id, secondRecords.collection.id), grantDecision);
    const states = await captureStates(stores, [
      toClientPair(client.id, collection.id),
      toGroupPair(group.id, secondRecords.collection.id),
    ]);
    deepStrictEqual(
      states.map(({ grant }) => grant),
      [null, null],
    );
  },

  'grants of profiles and groups can be added and removed in one call': async (stores) => {
    const [records, otherRecords] = [await addUnrelatedRecords(stores), await addUnrelatedRecords(stores)];
    await addToGroup(stores, records.group, [records.client]);
    const addedPairs = [
      toClientPair(otherRecords.client.id, records.collection.id),
      toGroupPair(records.group.id, records.collection.id),
    ];
    const removedPairs = [
      toClientPair(records.client.id, otherRecords.collection.id),
      toGroupPair(records.group.id, otherRecords.collection.id),
    ];
    const toGrants = (pairs: readonly Pair[]) =>
      pairs.map((pair) => ({ ...pair, grantedAt: start, expiresAt: null, rule: null }));
    await stores.grants.update(removedPairs, () => ({ put: toGrants(removedPairs), ...noEffects }));
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), everyRead);
    await stores.grants.update([...addedPairs, ...removedPairs], () => ({
      put: toGrants(addedPairs),
      remove: removedPairs,
      ...noEffects,
    }));
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, records.collection), everyRead);
    deepStrictEqual(await listReadsShowingAccess(stores, otherRecords.client, records.collection), everyRead);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), []);
  },

  'a grant that is added again replaces the previous one': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    for (const pair of [toClientPair(client.id, collection.id), toGroupPair(group.id, collection.id)]) {
      await grantPair(stores.grants, pair, () => ({ ...grantDecision(), expiresAt: start + 9 }));
      await grantPair(stores.grants, pair, () => ({ ...noEffects, grantedAt: start + 1, expiresAt: start + 5 }));
    }
    deepStrictEqual(await stores.grants.listClients(collection.id, start), [
      {
        profile: client,
        grants: [toOwnAccessGrant(start + 1, start + 5), toGroupAccessGrant(group, start + 1, start + 5)],
      },
    ]);
  },

  'an update whose decision throws changes no pair': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const pairs = [toClientPair(client.id, collection.id), toGroupPair(group.id, collection.id)];
    await addToGroup(stores, group, [client]);
    await assertRejects(stores.grants.update(pairs, failDecision), 'already_approved');
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    await assertWritten(stores);
  },

  'ten thousand pairs can be decided and stored in one call': async (stores) => {
    const clients = Array.from({ length: 100 }, () => aProfile());
    const collections = Array.from({ length: 100 }, () => aCollection());
    for (const client of clients) await stores.profiles.add(client, noEffects);
    for (const collection of collections) await stores.collections.add(collection, aDocumentContent(), noEffects);
    const pairs = clients.flatMap((client) => collections.map(({ id }) => toClientPair(client.id, id)));
    for (const before of [0, 10_000]) {
      await stores.grants.update(pairs, (states) => {
        deepStrictEqual([states.length, states.filter(({ grant }) => grant !== null).length], [10_000, before]);
        return { put: pairs.map((pair) => ({ ...pair, grantedAt: start, expiresAt: null, rule: null })), ...noEffects };
      });
    }
    for (const { id } of [...clients.slice(0, 2), ...clients.slice(-2)]) {
      const visibleIds = await stores.collections.listVisibleIds({ scope: 'granted', profileId: id, now: start });
      deepStrictEqual([...visibleIds].sort(), collections.map((collection) => collection.id).sort());
    }
  },

  'an update without pairs calls the decision and writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.grants.update([], (states) => {
      deepStrictEqual(states, []);
      return effects;
    });
    await assertWritten(stores, effects);
  },

  'when the same pair of a group is granted concurrently, only one decision sees no grant': async (stores) => {
    const { group, collection } = await addUnrelatedRecords(stores);
    await assertOneSucceeds(
      () =>
        grantPair(stores.grants, toGroupPair(group.id, collection.id), ({ grant }) => {
          if (grant !== null) throw new PorticoError('already_granted');
          return grantDecision();
        }),
      'already_granted',
    );
  },

  'a grant is not kept if its group or collection is removed concurrently': async (stores) => {
    const recordSets = await Promise.all(Array.from({ length: 10 }, () => addUnrelatedRecords(stores)));
    await Promise.allSettled(
      recordSets.flatMap(({ group, collection }, index) => [
        grantPair(stores.grants, toGroupPair(group.id, collection.id), (state) => {
          if (!state.group || state.collectionName === null) throw new PorticoError('not_found');
          return grantDecision();
        }),
        index % 2 === 0
          ? stores.collections.remove(collection.id, () => noEffects)
          : stores.groups.remove(group.id, () => noEffects),
      ]),
    );
    for (const [index, { client, group, collection }] of recordSets.entries()) {
      if (index % 2 === 0) await stores.collections.add(collection, aDocumentContent(), noEffects);
      else await stores.groups.add(group, noEffects);
      await addToGroup(stores, group, [client]);
      deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    }
  },

  'a grant of a group is seen only by reads about its members': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await addToGroup(stores, otherRecords.group, [otherRecords.client]);
    await grantPair(stores.grants, toGroupPair(group.id, collection.id), grantDecision);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await listReadsShowingAccess(stores, client, otherRecords.collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, otherRecords.client, collection), []);
  },

  'no read sees a grant of a group once the promise of its revocation is fulfilled': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const pair = toGroupPair(group.id, collection.id);
    await addToGroup(stores, group, [client]);
    await grantPair(stores.grants, pair, grantDecision);
    await revokePair(stores.grants, pair, () => noEffects);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
  },

  'an update increases the grants epoch of the changed profiles only': async (stores) => {
    const [firstRecords, secondRecords, thirdRecords] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    const pairs = [firstRecords, secondRecords, thirdRecords].map(({ client }) =>
      toClientPair(client.id, firstRecords.collection.id),
    );
    const readEpochs = () =>
      Promise.all([firstRecords, secondRecords, thirdRecords].map(({ client }) => epochOf(stores, client, 'grants')));
    const before = await readEpochs();
    await stores.grants.update(pairs, () => ({
      put: pairs.slice(0, 1).map((pair) => ({ ...pair, grantedAt: start, expiresAt: null, rule: null })),
      remove: pairs.slice(1, 2),
      ...noEffects,
    }));
    deepStrictEqual(
      (await readEpochs()).map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, true, false],
    );
  },

  'changing the grants of a group increases the groups epoch, and changing those of a profile does not': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const pair = toGroupPair(group.id, collection.id);
    const doesEpochGrow = async (change: () => Promise<unknown>) => {
      const before = await epochOf(stores, client, 'groups');
      await change();
      return (await epochOf(stores, client, 'groups')) > before;
    };
    strictEqual(await doesEpochGrow(() => grantPair(stores.grants, pair, grantDecision)), true);
    strictEqual(await doesEpochGrow(() => revokePair(stores.grants, pair, () => noEffects)), true);
    strictEqual(
      await doesEpochGrow(() => grantPair(stores.grants, toClientPair(client.id, collection.id), grantDecision)),
      false,
    );
  },

  "a client's access is listed with its own grant first, then the grants of its groups by name": async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores, { group: { name: 'a' } });
    const groups = ['😀', 'Z', 'ä'].map((name) => aGroup({ name }));
    for (const group of groups) {
      await stores.groups.add(group, noEffects);
      await addToGroup(stores, group, [client]);
      await grantPair(stores.grants, toGroupPair(group.id, collection.id), grantDecision);
    }
    await grantPair(stores.grants, toClientPair(client.id, collection.id), grantDecision);
    const [emoji, z, umlaut] = groups;
    ok(emoji && z && umlaut);
    const expectedGrants = [
      toOwnAccessGrant(start),
      ...[z, umlaut, emoji].map((group) => toGroupAccessGrant(group, start)),
    ];
    deepStrictEqual(await stores.grants.listClients(collection.id, start), [
      { profile: client, grants: expectedGrants },
    ]);
    deepStrictEqual((await stores.grants.listCollections(client.id, start))?.collections[0]?.grants, expectedGrants);
  },

  'the clients of a collection include each member of its groups once, ordered by email': async (stores) => {
    const { client: b, group, collection } = await addUnrelatedRecords(stores, { client: { email: 'b@example.com' } });
    const { client: c, group: secondGroup } = await addUnrelatedRecords(stores, { client: { email: 'c@example.com' } });
    const { client: a } = await addUnrelatedRecords(stores, { client: { email: 'a@example.com' } });
    await addToGroup(stores, group, [b, c]);
    await addToGroup(stores, secondGroup, [c]);
    for (const { id } of [group, secondGroup])
      await grantPair(stores.grants, toGroupPair(id, collection.id), grantDecision);
    await grantPair(stores.grants, toClientPair(a.id, collection.id), grantDecision);
    deepStrictEqual(
      (await stores.grants.listClients(collection.id, start))?.map(({ profile, grants }) => [
        profile.email,
        grants.length,
      ]),
      [
        ['a@example.com', 1],
        ['b@example.com', 1],
        ['c@example.com', 2],
      ],
    );
  },
} satisfies Contract<Stores>;

/** Returns the states that a decision about these pairs sees. */
const captureStates = async ({ grants }: Stores, pairs: readonly Pair[]): Promise<readonly GrantState[]> => {
  let capturedStates: readonly GrantState[] = [];
  await grants.update(pairs, (states) => {
    capturedStates = states;
    return noEffects;
  });
  return capturedStates;
};

const epochOf = async (
  stores: Stores,
  client: Parameters<typeof rowOf>[1],
  epoch: Exclude<keyof CallerRow['epochs'], 'searchModel'>,
): Promise<number> => (await rowOf(stores, client)).epochs[epoch];
