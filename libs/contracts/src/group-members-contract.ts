import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type Group, toGroupPair, type MemberState, PorticoError, type Profile, type ProfileId } from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, addToGroup, removeFromGroup, addUnrelatedRecords } from './memberships.ts';
import { aGroup, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, listReadsShowingAccess } from './list-reads-showing-access.ts';

/** The contract of `GroupStore` for members that administrators add to groups. */
export const groupMembersContract = {
  'members are listed by email, with the times at which they were added and at which a token named the group': async (
    stores,
  ) => {
    const { client: b, group } = await addUnrelatedRecords(stores, {
      client: { email: 'b@example.com', fullName: 'Bea' },
    });
    const { client: a } = await addUnrelatedRecords(stores, { client: { email: 'a@example.com', fullName: 'Ada' } });
    const { client: c, group: otherGroup } = await addUnrelatedRecords(stores, {
      client: { email: 'c@example.com', fullName: 'Cyd' },
    });
    await addToGroup(stores, group, [b, c], start + 5);
    await addToGroup(stores, otherGroup, [a]);
    await claimGroups(stores, a, [group.name], start + 7);
    await claimGroups(stores, c, [group.name], start + 8);
    deepStrictEqual(await stores.groups.listMembers(group.id), [
      { profileId: a.id, email: a.email, fullName: 'Ada', addedAt: null, claimedAt: start + 8 },
      { profileId: b.id, email: b.email, fullName: 'Bea', addedAt: start + 5, claimedAt: null },
      { profileId: c.id, email: c.email, fullName: 'Cyd', addedAt: start + 5, claimedAt: start + 9 },
    ]);
  },

  'a group without members has an empty list of members, and a missing group has no list': async (stores) => {
    const { group } = await addUnrelatedRecords(stores);
    deepStrictEqual(await stores.groups.listMembers(group.id), []);
    strictEqual(await stores.groups.listMembers(nextId()), null);
  },

  'the groups of a profile are listed by name, with the times at which it was added and claimed them': async (
    stores,
  ) => {
    const { client, group: b } = await addUnrelatedRecords(stores, { group: { name: 'b' } });
    const { client: otherClient, group: a } = await addUnrelatedRecords(stores, { group: { name: 'a' } });
    const { group: addedAndClaimedGroup } = await addUnrelatedRecords(stores, { group: { name: 'Z' } });
    await addUnrelatedRecords(stores, { group: { name: 'none' } });
    for (const group of [b, addedAndClaimedGroup]) await addToGroup(stores, group, [client], start + 5);
    await claimGroups(stores, client, ['Z', 'a', 'unknown'], start + 7);
    await addToGroup(stores, a, [otherClient]);
    deepStrictEqual(await stores.groups.listByProfile(client.id), [
      { ...addedAndClaimedGroup, addedAt: start + 5, claimedAt: start + 8 },
      { ...a, addedAt: null, claimedAt: start + 8 },
      { ...b, addedAt: start + 5, claimedAt: null },
    ]);
    deepStrictEqual(await stores.groups.listByProfile(nextId()), []);
  },

  'a decision about members sees the group, and the state of each profile in the given order': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    const { client: addedAndClaimedClient, group: otherGroup } = await addUnrelatedRecords(stores);
    const { client: nonMember } = await addUnrelatedRecords(stores);
    const missingId = nextId<ProfileId>();
    await addToGroup(stores, group, [client, addedAndClaimedClient], start + 5);
    await claimGroups(stores, addedAndClaimedClient, [group.name], start + 7);
    await addToGroup(stores, otherGroup, [nonMember]);
    let capturedState: readonly [Group, readonly MemberState[]] | null = null;
    await stores.groups.updateMembers(
      group.id,
      [nonMember.id, addedAndClaimedClient.id, missingId, client.id],
      start,
      (...state) => {
        capturedState = state;
        return noEffects;
      },
    );
    deepStrictEqual(capturedState, [
      group,
      [
        { id: nonMember.id, profile: nonMember, addedAt: null, claimedAt: null, requests: [] },
        {
          id: addedAndClaimedClient.id,
          profile: addedAndClaimedClient,
          addedAt: start + 5,
          claimedAt: start + 8,
          requests: [],
        },
        { id: missingId, profile: null, addedAt: null, claimedAt: null, requests: [] },
        { id: client.id, profile: client, addedAt: start + 5, claimedAt: null, requests: [] },
      ],
    ]);
  },

  'every read shows a member the collections of the group once the promise of adding it is fulfilled': async (
    stores,
  ) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores);
    const otherRecords = await addRecordsWithGroupGrant(stores);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    await addToGroup(stores, group, [client]);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await listReadsShowingAccess(stores, client, otherRecords.collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, otherRecords.client, collection), []);
  },

  'no read shows a member the collections of the group once the promise of removing it is fulfilled': async (
    stores,
  ) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client, otherClient]);
    await removeFromGroup(stores, group, [client]);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, otherClient, collection), everyRead);
  },

  'a member that is removed from one group is still a member of the others': async (stores) => {
    const [records, otherRecords] = [await addRecordsWithGroupGrant(stores), await addRecordsWithGroupGrant(stores)];
    for (const { group } of [records, otherRecords]) await addToGroup(stores, group, [records.client]);
    await removeFromGroup(stores, records.group, [records.client]);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, records.collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), everyRead);
  },

  'removing a member keeps its claims': async (stores) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await removeFromGroup(stores, group, [client]);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(
      (await stores.groups.listMembers(group.id))?.map(({ addedAt, claimedAt }) => [addedAt, claimedAt]),
      [[null, start + 1]],
    );
  },

  'members can be added and removed in one call': async (stores) => {
    const { client: removedClient, group } = await addUnrelatedRecords(stores);
    const [{ client: firstClient }, { client: secondClient }] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    await addToGroup(stores, group, [removedClient]);
    await stores.groups.updateMembers(group.id, [firstClient.id, secondClient.id, removedClient.id], start, () => ({
      add: [firstClient, secondClient].map(({ id }) => ({ id, addedAt: start + 3 })),
      remove: [removedClient.id],
      ...noEffects,
    }));
    deepStrictEqual(
      (await stores.groups.listMembers(group.id))?.map(({ profileId, addedAt }) => [profileId, addedAt]),
      [
        [firstClient.id, start + 3],
        [secondClient.id, start + 3],
      ],
    );
  },

  'a thousand members can be added in one call': async (stores) => {
    const { group } = await addUnrelatedRecords(stores);
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => addProfile(stores)));
    await addToGroup(stores, group, clients);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1_000);
  },

  'changing members writes its effects': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    const effects = someEffects();
    await stores.groups.updateMembers(group.id, [client.id], start, () => effects);
    await assertWritten(stores, effects);
  },

  'changing members rethrows an error from the decision and changes nothing': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await assertRejects(stores.groups.updateMembers(group.id, [client.id], start, failDecision), 'already_approved');
    deepStrictEqual(await stores.groups.listMembers(group.id), []);
    await assertWritten(stores);
  },

  'changing the members of a missing group throws before the decision is called': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    await assertRejects(stores.groups.updateMembers(nextId(), [client.id], start, failDecision), 'group_not_found');
  },

  'when the same member is added concurrently, only one decision sees no member': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await assertOneSucceeds(
      () =>
        stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => {
          if (state?.addedAt !== null) throw new PorticoError('already_granted');
          return { add: [{ id: client.id, addedAt: start }], ...noEffects };
        }),
      'already_granted',
    );
    strictEqual((await stores.groups.listMembers(group.id))?.length, 1);
  },

  'a member is not kept if its profile or group is removed concurrently': async (stores) => {
    const recordSets = await Promise.all(Array.from({ length: 10 }, () => addUnrelatedRecords(stores)));
    await Promise.allSettled(
      recordSets.flatMap(({ client, group }, index) => [
        stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => {
          if (!state?.profile) throw new PorticoError('user_not_found');
          return { add: [{ id: client.id, addedAt: start }], ...noEffects };
        }),
        index % 2 === 0
          ? stores.groups.remove(group.id, () => noEffects)
          : stores.profiles.remove(client.id, () => noEffects),
      ]),
    );
    for (const [index, { client, group }] of recordSets.entries()) {
      if (index % 2 === 0) await stores.groups.add(group, noEffects);
      else await stores.profiles.add(client, noEffects);
      deepStrictEqual(await stores.groups.listMembers(group.id), []);
    }
  },

  'adding or removing a member increases the grants epoch of that profile only': async (stores) => {
    const { client: removedClient, group } = await addUnrelatedRecords(stores);
    const [{ client: joinedClient }, { client: unchangedClient }] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    const profiles = [removedClient, joinedClient, unchangedClient];
    await addToGroup(stores, group, [removedClient]);
    const readEpochs = () => Promise.all(profiles.map((profile) => grantsEpochOf(stores, profile)));
    const before = await readEpochs();
    const ids = profiles.map(({ id }) => id);
    await stores.groups.updateMembers(group.id, ids, start, () => ({
      add: [{ id: joinedClient.id, addedAt: start }],
      remove: [removedClient.id],
      ...noEffects,
    }));
    deepStrictEqual(
      (await readEpochs()).map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, true, false],
    );
  },
} satisfies Contract<Stores>;

/** The contract of `GroupStore` for the groups that tokens claim. */
export const groupClaimsContract = {
  'a profile has only the collections of the groups that its stored token names': async (stores) => {
    const [records, otherRecords] = [await addRecordsWithGroupGrant(stores), await addRecordsWithGroupGrant(stores)];
    await claimGroups(stores, records.client, ['unknown', records.group.name]);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, records.collection), everyRead);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, otherRecords.client, records.collection), []);
  },

  'names are compared exactly': async (stores) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores, { name: 'Ops' });
    await claimGroups(stores, client, ['OPS', 'Op', 'Ops ', 'ops']);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    strictEqual((await stores.groups.find(group.id, start))?.members, 0);
  },

  'a newer token replaces the claims of the previous one': async (stores) => {
    const [records, otherRecords] = [await addRecordsWithGroupGrant(stores), await addRecordsWithGroupGrant(stores)];
    await claimGroups(stores, records.client, [records.group.name], start);
    await claimGroups(stores, records.client, [otherRecords.group.name], start + 1);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, records.collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), everyRead);
    await claimGroups(stores, records.client, [], start + 2);
    deepStrictEqual(await listReadsShowingAccess(stores, records.client, otherRecords.collection), []);
  },

  'a token that was issued before the stored one changes nothing, and the decision is not called': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await claimGroups(stores, client, [group.name], start + 5);
    const before = await rowOf(stores, client);
    const olderClaims = { names: [], issuedAt: start + 4, seenAt: start + 9 };
    await assertNotDecided((decide) => stores.groups.syncClaims(client.id, olderClaims, decide));
    deepStrictEqual(await rowOf(stores, client), before);
  },

  'a token that was issued at the same time as the stored one replaces its claims': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await claimGroups(stores, client, [group.name], start);
    const claims = { names: [], issuedAt: start, seenAt: start + 9 };
    await stores.groups.syncClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
  },

  'claims of a removed profile are not stored, and the decision is not called': async (stores) => {
    const { client, group } = await addUnrelatedRecords(stores);
    await stores.profiles.remove(client.id, () => noEffects);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await assertNotDecided((decide) => stores.groups.syncClaims(client.id, claims, decide));
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(await stores.groups.listMembers(group.id), []);
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'a decision sees the previously stored claims, or null if there are none': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    const capturedStates: unknown[] = [];
    const firstClaims = { names: ['Z', 'a', 'ä', '😀'], issuedAt: start, seenAt: start + 3 };
    for (const claims of [firstClaims, { ...firstClaims, issuedAt: start + 1 }]) {
      await stores.groups.syncClaims(client.id, claims, (before, requests) => {
        capturedStates.push([before, requests]);
        return noEffects;
      });
    }
    deepStrictEqual(capturedStates, [
      [null, []],
      [firstClaims, []],
    ]);
  },

  'a row contains the claims of the newest token': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    strictEqual((await rowOf(stores, client)).claims, null);
    const claims = { names: ['"quoted"', 'Z', 'größer'], issuedAt: start, seenAt: start + 3 };
    await stores.groups.syncClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
    strictEqual((await rowOf(stores, otherClient)).claims, null);
  },

  'changing claims writes its effects': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    const effects = someEffects();
    const claims = { names: [], issuedAt: start, seenAt: start };
    await stores.groups.syncClaims(client.id, claims, () => effects);
    await assertWritten(stores, effects);
  },

  'the claims of a token are not stored if the decision throws': async (stores) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await assertRejects(stores.groups.syncClaims(client.id, claims, failDecision), 'already_approved');
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    strictEqual((await rowOf(stores, client)).claims, null);
    await assertWritten(stores);
  },

  'new names in the claims increase the grants epoch of that profile only': async (stores) => {
    const { client } = await addUnrelatedRecords(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    const growth: boolean[] = [];
    const [otherEpoch] = [await grantsEpochOf(stores, otherClient)];
    for (const [index, names] of [['a', 'b'], ['a', 'b'], ['a', 'c'], ['a'], [], []].entries()) {
      const before = await grantsEpochOf(stores, client);
      await claimGroups(stores, client, names, start + index);
      growth.push((await grantsEpochOf(stores, client)) > before);
    }
    deepStrictEqual(growth, [true, false, true, true, true, false]);
    strictEqual(await grantsEpochOf(stores, otherClient), otherEpoch);
  },

  'clearing claims removes the claims of all profiles and returns the number of profiles that had any': async (
    stores,
  ) => {
    const { client, group, collection } = await addRecordsWithGroupGrant(stores);
    const { client: addedClient } = await addUnrelatedRecords(stores);
    for (const { id } of [client, addedClient]) await claimGroups(stores, { id }, [group.name, 'unknown']);
    await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [addedClient]);
    strictEqual(await stores.groups.clearClaims(), 2);
    deepStrictEqual(await listReadsShowingAccess(stores, client, collection), []);
    deepStrictEqual(await listReadsShowingAccess(stores, addedClient, collection), everyRead);
    strictEqual((await rowOf(stores, client)).claims, null);
    strictEqual(await stores.groups.clearClaims(), 0);
  },

  'clearing claims increases the grants epoch of each profile that had any': async (stores) => {
    const [{ client }, { client: otherClient }] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    await claimGroups(stores, client, ['a']);
    const before = await Promise.all([client, otherClient].map((profile) => grantsEpochOf(stores, profile)));
    await stores.groups.clearClaims();
    const after = await Promise.all([client, otherClient].map((profile) => grantsEpochOf(stores, profile)));
    deepStrictEqual(
      after.map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, false],
    );
  },
} satisfies Contract<Stores>;

/** Adds a client, a group, and a collection that is granted to the group. */
const addRecordsWithGroupGrant = async (stores: Stores, fields: Partial<Group> = {}) => {
  const records = await addUnrelatedRecords(stores, { group: aGroup(fields) });
  const pair = toGroupPair(records.group.id, records.collection.id);
  await grantPair(stores.grants, pair, () => ({ grantedAt: start, ...noEffects }));
  return records;
};

const addProfile = async ({ profiles }: Stores): Promise<Profile> => {
  const profile = aProfile();
  await profiles.add(profile, noEffects);
  return profile;
};

const assertNotDecided = async (attempt: (decide: () => typeof noEffects) => Promise<unknown>): Promise<void> => {
  let isDecided = false;
  await attempt(() => {
    isDecided = true;
    return noEffects;
  });
  ok(!isDecided, 'decide was called');
};

const grantsEpochOf = async (stores: Stores, profile: Profile): Promise<number> =>
  (await rowOf(stores, profile)).epochs.grants;
