import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type Group, groupPair, type MemberState, PorticoError, type Profile, type ProfileId } from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, join, leave, addUnrelated } from './memberships.ts';
import { aGroup, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, readsShowingAccess } from './reads-showing-access.ts';

/** The contract of `GroupStore` for members that administrators add to groups. */
export const groupMembersContract = {
  'members are listed by e-mail, with the times at which they were added and at which a token named the group': async (
    stores,
  ) => {
    const { client: b, group } = await addUnrelated(stores, { client: { email: 'b@example.com', fullName: 'Bea' } });
    const { client: a } = await addUnrelated(stores, { client: { email: 'a@example.com', fullName: 'Ada' } });
    const { client: c, group: other } = await addUnrelated(stores, {
      client: { email: 'c@example.com', fullName: 'Cyd' },
    });
    await join(stores, group, [b, c], start + 5);
    await join(stores, other, [a]);
    await claimGroups(stores, a, [group.name], start + 7);
    await claimGroups(stores, c, [group.name], start + 8);
    deepStrictEqual(await stores.groups.members(group.id), [
      { profileId: a.id, email: a.email, fullName: 'Ada', addedAt: null, claimedAt: start + 8 },
      { profileId: b.id, email: b.email, fullName: 'Bea', addedAt: start + 5, claimedAt: null },
      { profileId: c.id, email: c.email, fullName: 'Cyd', addedAt: start + 5, claimedAt: start + 9 },
    ]);
  },

  'a group without members has an empty list, and a missing group has none': async (stores) => {
    const { group } = await addUnrelated(stores);
    deepStrictEqual(await stores.groups.members(group.id), []);
    strictEqual(await stores.groups.members(nextId()), null);
  },

  'the groups of a profile are listed by name, with the times at which it was added and claimed them': async (
    stores,
  ) => {
    const { client, group: b } = await addUnrelated(stores, { group: { name: 'b' } });
    const { client: other, group: a } = await addUnrelated(stores, { group: { name: 'a' } });
    const { group: both } = await addUnrelated(stores, { group: { name: 'Z' } });
    await addUnrelated(stores, { group: { name: 'none' } });
    for (const group of [b, both]) await join(stores, group, [client], start + 5);
    await claimGroups(stores, client, ['Z', 'a', 'unknown'], start + 7);
    await join(stores, a, [other]);
    deepStrictEqual(await stores.groups.groupsOf(client.id), [
      { ...both, addedAt: start + 5, claimedAt: start + 8 },
      { ...a, addedAt: null, claimedAt: start + 8 },
      { ...b, addedAt: start + 5, claimedAt: null },
    ]);
    deepStrictEqual(await stores.groups.groupsOf(nextId()), []);
  },

  'a decision about members sees the group, and the state of each profile in the given order': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    const { client: both, group: other } = await addUnrelated(stores);
    const { client: neither } = await addUnrelated(stores);
    const missing = nextId<ProfileId>();
    await join(stores, group, [client, both], start + 5);
    await claimGroups(stores, both, [group.name], start + 7);
    await join(stores, other, [neither]);
    let seen: readonly [Group, readonly MemberState[]] | null = null;
    await stores.groups.updateMembers(group.id, [neither.id, both.id, missing, client.id], start, (...state) => {
      seen = state;
      return noEffects;
    });
    deepStrictEqual(seen, [
      group,
      [
        { id: neither.id, profile: neither, addedAt: null, claimedAt: null, requests: [] },
        { id: both.id, profile: both, addedAt: start + 5, claimedAt: start + 8, requests: [] },
        { id: missing, profile: null, addedAt: null, claimedAt: null, requests: [] },
        { id: client.id, profile: client, addedAt: start + 5, claimedAt: null, requests: [] },
      ],
    ]);
  },

  'every read shows a member the collections of the group once its addition is fulfilled': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores);
    const other = await addWithGroupGrant(stores);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    await join(stores, group, [client]);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(await readsShowingAccess(stores, client, other.collection), []);
    deepStrictEqual(await readsShowingAccess(stores, other.client, collection), []);
  },

  'no read shows a member the collections of the group once its removal is fulfilled': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores);
    const { client: other } = await addUnrelated(stores);
    await join(stores, group, [client, other]);
    await leave(stores, group, [client]);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    deepStrictEqual(await readsShowingAccess(stores, other, collection), everyRead);
  },

  'a member leaves one group and stays in the others': async (stores) => {
    const [one, other] = [await addWithGroupGrant(stores), await addWithGroupGrant(stores)];
    for (const { group } of [one, other]) await join(stores, group, [one.client]);
    await leave(stores, one.group, [one.client]);
    deepStrictEqual(await readsShowingAccess(stores, one.client, one.collection), []);
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), everyRead);
  },

  'a removal of a member keeps its claims': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await leave(stores, group, [client]);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), everyRead);
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ addedAt, claimedAt }) => [addedAt, claimedAt]),
      [[null, start + 1]],
    );
  },

  'members are added and removed together': async (stores) => {
    const { client: removed, group } = await addUnrelated(stores);
    const [{ client: one }, { client: two }] = [await addUnrelated(stores), await addUnrelated(stores)];
    await join(stores, group, [removed]);
    await stores.groups.updateMembers(group.id, [one.id, two.id, removed.id], start, () => ({
      add: [one, two].map(({ id }) => ({ id, addedAt: start + 3 })),
      remove: [removed.id],
      ...noEffects,
    }));
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ profileId, addedAt }) => [profileId, addedAt]),
      [
        [one.id, start + 3],
        [two.id, start + 3],
      ],
    );
  },

  'a thousand members are added together': async (stores) => {
    const { group } = await addUnrelated(stores);
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => addProfile(stores)));
    await join(stores, group, clients);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1_000);
  },

  'a change of members writes its effects': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    const effects = someEffects();
    await stores.groups.updateMembers(group.id, [client.id], start, () => effects);
    await assertWritten(stores, effects);
  },

  'a change of members rethrows an error from the decision and changes nothing': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await assertRejects(stores.groups.updateMembers(group.id, [client.id], start, failDecision), 'already_approved');
    deepStrictEqual(await stores.groups.members(group.id), []);
    await assertWritten(stores);
  },

  'a change of members of a missing group throws before the decision': async (stores) => {
    const { client } = await addUnrelated(stores);
    await assertRejects(stores.groups.updateMembers(nextId(), [client.id], start, failDecision), 'group_not_found');
  },

  'of concurrent additions of one member, exactly one sees no member': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await assertOneWins(
      () =>
        stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => {
          if (state?.addedAt !== null) throw new PorticoError('already_granted');
          return { add: [{ id: client.id, addedAt: start }], ...noEffects };
        }),
      'already_granted',
    );
    strictEqual((await stores.groups.members(group.id))?.length, 1);
  },

  'a member does not outlive a profile or group that is removed concurrently': async (stores) => {
    const all = await Promise.all(Array.from({ length: 10 }, () => addUnrelated(stores)));
    await Promise.allSettled(
      all.flatMap(({ client, group }, index) => [
        stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => {
          if (!state?.profile) throw new PorticoError('user_not_found');
          return { add: [{ id: client.id, addedAt: start }], ...noEffects };
        }),
        index % 2 === 0
          ? stores.groups.remove(group.id, () => noEffects)
          : stores.profiles.remove(client.id, () => noEffects),
      ]),
    );
    for (const [index, { client, group }] of all.entries()) {
      if (index % 2 === 0) await stores.groups.add(group, noEffects);
      else await stores.profiles.add(client, noEffects);
      deepStrictEqual(await stores.groups.members(group.id), []);
    }
  },

  'the grants epoch of each profile that is added or removed grows, and that of no other': async (stores) => {
    const { client: removed, group } = await addUnrelated(stores);
    const [{ client: joined }, { client: unchanged }] = [await addUnrelated(stores), await addUnrelated(stores)];
    const profiles = [removed, joined, unchanged];
    await join(stores, group, [removed]);
    const epochs = () => Promise.all(profiles.map((profile) => grantsEpochOf(stores, profile)));
    const before = await epochs();
    const ids = profiles.map(({ id }) => id);
    await stores.groups.updateMembers(group.id, ids, start, () => ({
      add: [{ id: joined.id, addedAt: start }],
      remove: [removed.id],
      ...noEffects,
    }));
    deepStrictEqual(
      (await epochs()).map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, true, false],
    );
  },
} satisfies Contract<Stores>;

/** The contract of `GroupStore` for the groups that tokens claim. */
export const groupClaimsContract = {
  'a profile has the collections of the groups that its stored token names, and no others': async (stores) => {
    const [one, other] = [await addWithGroupGrant(stores), await addWithGroupGrant(stores)];
    await claimGroups(stores, one.client, ['unknown', one.group.name]);
    deepStrictEqual(await readsShowingAccess(stores, one.client, one.collection), everyRead);
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), []);
    deepStrictEqual(await readsShowingAccess(stores, other.client, one.collection), []);
  },

  'names are compared exactly': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores, { name: 'Ops' });
    await claimGroups(stores, client, ['OPS', 'Op', 'Ops ', 'ops']);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    strictEqual((await stores.groups.find(group.id, start))?.members, 0);
  },

  'a newer token replaces the claims of the previous one': async (stores) => {
    const [one, other] = [await addWithGroupGrant(stores), await addWithGroupGrant(stores)];
    await claimGroups(stores, one.client, [one.group.name], start);
    await claimGroups(stores, one.client, [other.group.name], start + 1);
    deepStrictEqual(await readsShowingAccess(stores, one.client, one.collection), []);
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), everyRead);
    await claimGroups(stores, one.client, [], start + 2);
    deepStrictEqual(await readsShowingAccess(stores, one.client, other.collection), []);
  },

  'a token that was issued before the stored one changes nothing, and nothing is decided': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await claimGroups(stores, client, [group.name], start + 5);
    const before = await rowOf(stores, client);
    const older = { names: [], issuedAt: start + 4, seenAt: start + 9 };
    await assertNotDecided((decide) => stores.groups.syncClaims(client.id, older, decide));
    deepStrictEqual(await rowOf(stores, client), before);
  },

  'a token that was issued at the same time as the stored one replaces its claims': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await claimGroups(stores, client, [group.name], start);
    const claims = { names: [], issuedAt: start, seenAt: start + 9 };
    await stores.groups.syncClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
  },

  'nothing is stored or decided for a removed profile': async (stores) => {
    const { client, group } = await addUnrelated(stores);
    await stores.profiles.remove(client.id, () => noEffects);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await assertNotDecided((decide) => stores.groups.syncClaims(client.id, claims, decide));
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(await stores.groups.members(group.id), []);
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'a decision sees the claims stored before, and null at first': async (stores) => {
    const { client } = await addUnrelated(stores);
    const seen: unknown[] = [];
    const first = { names: ['Z', 'a', 'ä', '😀'], issuedAt: start, seenAt: start + 3 };
    for (const claims of [first, { ...first, issuedAt: start + 1 }]) {
      await stores.groups.syncClaims(client.id, claims, (before, requests) => {
        seen.push([before, requests]);
        return noEffects;
      });
    }
    deepStrictEqual(seen, [
      [null, []],
      [first, []],
    ]);
  },

  'a row contains the claims of the newest token': async (stores) => {
    const { client } = await addUnrelated(stores);
    const { client: other } = await addUnrelated(stores);
    strictEqual((await rowOf(stores, client)).claims, null);
    const claims = { names: ['"quoted"', 'Z', 'größer'], issuedAt: start, seenAt: start + 3 };
    await stores.groups.syncClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
    strictEqual((await rowOf(stores, other)).claims, null);
  },

  'a change of claims writes its effects': async (stores) => {
    const { client } = await addUnrelated(stores);
    const effects = someEffects();
    const claims = { names: [], issuedAt: start, seenAt: start };
    await stores.groups.syncClaims(client.id, claims, () => effects);
    await assertWritten(stores, effects);
  },

  'the claims of a token are not stored if the decision throws': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await assertRejects(stores.groups.syncClaims(client.id, claims, failDecision), 'already_approved');
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    strictEqual((await rowOf(stores, client)).claims, null);
    await assertWritten(stores);
  },

  'the grants epoch of the profile grows if the names differ, and that of no other': async (stores) => {
    const { client } = await addUnrelated(stores);
    const { client: other } = await addUnrelated(stores);
    const grown: boolean[] = [];
    const [others] = [await grantsEpochOf(stores, other)];
    for (const [at, names] of [['a', 'b'], ['a', 'b'], ['a', 'c'], ['a'], [], []].entries()) {
      const before = await grantsEpochOf(stores, client);
      await claimGroups(stores, client, names, start + at);
      grown.push((await grantsEpochOf(stores, client)) > before);
    }
    deepStrictEqual(grown, [true, false, true, true, true, false]);
    strictEqual(await grantsEpochOf(stores, other), others);
  },

  'the claims of all profiles are removed, and the number of profiles that had any is returned': async (stores) => {
    const { client, group, collection } = await addWithGroupGrant(stores);
    const { client: byHand } = await addUnrelated(stores);
    for (const { id } of [client, byHand]) await claimGroups(stores, { id }, [group.name, 'unknown']);
    await addUnrelated(stores);
    await join(stores, group, [byHand]);
    strictEqual(await stores.groups.clearClaims(), 2);
    deepStrictEqual(await readsShowingAccess(stores, client, collection), []);
    deepStrictEqual(await readsShowingAccess(stores, byHand, collection), everyRead);
    strictEqual((await rowOf(stores, client)).claims, null);
    strictEqual(await stores.groups.clearClaims(), 0);
  },

  'the grants epoch of each profile whose claims are removed grows': async (stores) => {
    const [{ client }, { client: other }] = [await addUnrelated(stores), await addUnrelated(stores)];
    await claimGroups(stores, client, ['a']);
    const before = await Promise.all([client, other].map((profile) => grantsEpochOf(stores, profile)));
    await stores.groups.clearClaims();
    const after = await Promise.all([client, other].map((profile) => grantsEpochOf(stores, profile)));
    deepStrictEqual(
      after.map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, false],
    );
  },
} satisfies Contract<Stores>;

/** Adds a client, a group, and a collection that is granted to the group. */
const addWithGroupGrant = async (stores: Stores, facts: Partial<Group> = {}) => {
  const records = await addUnrelated(stores, { group: aGroup(facts) });
  const pair = groupPair(records.group.id, records.collection.id);
  await grantPair(stores.grants, pair, () => ({ grantedAt: start, ...noEffects }));
  return records;
};

const addProfile = async ({ profiles }: Stores): Promise<Profile> => {
  const profile = aProfile();
  await profiles.add(profile, noEffects);
  return profile;
};

const assertNotDecided = async (attempt: (decide: () => typeof noEffects) => Promise<unknown>): Promise<void> => {
  let decided = false;
  await attempt(() => {
    decided = true;
    return noEffects;
  });
  ok(!decided, 'decide was called');
};

const grantsEpochOf = async (stores: Stores, profile: Profile): Promise<number> =>
  (await rowOf(stores, profile)).epochs.grants;
