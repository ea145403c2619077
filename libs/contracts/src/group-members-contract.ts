import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type Group, groupPair, type MemberState, PorticoError, type Profile, type ProfileId } from '@portico/domain';
import { assertOneWins, assertRefused, assertWritten, refuse, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claim, join, leave, strangers } from './joining.ts';
import { aGroup, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';
import { everyRead, whoSees } from './who-sees.ts';

/** What `GroupStore` promises of members whom administrators put into groups. */
export const groupMembersContract = {
  'members are listed by e-mail, with when an administrator added them and when a token named the group': async (
    stores,
  ) => {
    const { client: b, group } = await strangers(stores, { client: { email: 'b@example.com', fullName: 'Bea' } });
    const { client: a } = await strangers(stores, { client: { email: 'a@example.com', fullName: 'Ada' } });
    const { client: c, group: other } = await strangers(stores, {
      client: { email: 'c@example.com', fullName: 'Cyd' },
    });
    await join(stores, group, [b, c], start + 5);
    await join(stores, other, [a]);
    await claim(stores, a, [group.name], start + 7);
    await claim(stores, c, [group.name], start + 8);
    deepStrictEqual(await stores.groups.members(group.id), [
      { profileId: a.id, email: a.email, fullName: 'Ada', addedAt: null, claimedAt: start + 8 },
      { profileId: b.id, email: b.email, fullName: 'Bea', addedAt: start + 5, claimedAt: null },
      { profileId: c.id, email: c.email, fullName: 'Cyd', addedAt: start + 5, claimedAt: start + 9 },
    ]);
  },

  'a group without members has an empty list, and a missing one has none': async (stores) => {
    const { group } = await strangers(stores);
    deepStrictEqual(await stores.groups.members(group.id), []);
    strictEqual(await stores.groups.members(nextId()), null);
  },

  'the groups of a profile are listed by name, with how it came to each': async (stores) => {
    const { client, group: b } = await strangers(stores, { group: { name: 'b' } });
    const { client: other, group: a } = await strangers(stores, { group: { name: 'a' } });
    const { group: both } = await strangers(stores, { group: { name: 'Z' } });
    await strangers(stores, { group: { name: 'none' } });
    for (const group of [b, both]) await join(stores, group, [client], start + 5);
    await claim(stores, client, ['Z', 'a', 'unknown'], start + 7);
    await join(stores, a, [other]);
    deepStrictEqual(await stores.groups.groupsOf(client.id), [
      { ...both, addedAt: start + 5, claimedAt: start + 8 },
      { ...a, addedAt: null, claimedAt: start + 8 },
      { ...b, addedAt: start + 5, claimedAt: null },
    ]);
    deepStrictEqual(await stores.groups.groupsOf(nextId()), []);
  },

  'a decision about members sees the group, and the state of each profile in their order': async (stores) => {
    const { client, group } = await strangers(stores);
    const { client: both, group: other } = await strangers(stores);
    const { client: neither } = await strangers(stores);
    const nobody = nextId<ProfileId>();
    await join(stores, group, [client, both], start + 5);
    await claim(stores, both, [group.name], start + 7);
    await join(stores, other, [neither]);
    let seen: readonly [Group, readonly MemberState[]] | null = null;
    await stores.groups.updateMembers(group.id, [neither.id, both.id, nobody, client.id], start, (...state) => {
      seen = state;
      return noEffects;
    });
    deepStrictEqual(seen, [
      group,
      [
        { id: neither.id, profile: neither, addedAt: null, claimedAt: null, requests: [] },
        { id: both.id, profile: both, addedAt: start + 5, claimedAt: start + 8, requests: [] },
        { id: nobody, profile: null, addedAt: null, claimedAt: null, requests: [] },
        { id: client.id, profile: client, addedAt: start + 5, claimedAt: null, requests: [] },
      ],
    ]);
  },

  'a member has what the group has in every read, once its addition is fulfilled': async (stores) => {
    const { client, group, collection } = await granted(stores);
    const other = await granted(stores);
    deepStrictEqual(await whoSees(stores, client, collection), []);
    await join(stores, group, [client]);
    deepStrictEqual(await whoSees(stores, client, collection), everyRead);
    deepStrictEqual(await whoSees(stores, client, other.collection), []);
    deepStrictEqual(await whoSees(stores, other.client, collection), []);
  },

  'no read shows a member what the group has, once its removal is fulfilled': async (stores) => {
    const { client, group, collection } = await granted(stores);
    const { client: stays } = await strangers(stores);
    await join(stores, group, [client, stays]);
    await leave(stores, group, [client]);
    deepStrictEqual(await whoSees(stores, client, collection), []);
    deepStrictEqual(await whoSees(stores, stays, collection), everyRead);
  },

  'a member leaves one group and stays in the others': async (stores) => {
    const [one, other] = [await granted(stores), await granted(stores)];
    for (const { group } of [one, other]) await join(stores, group, [one.client]);
    await leave(stores, one.group, [one.client]);
    deepStrictEqual(await whoSees(stores, one.client, one.collection), []);
    deepStrictEqual(await whoSees(stores, one.client, other.collection), everyRead);
  },

  'a removal of a member leaves what its token says': async (stores) => {
    const { client, group, collection } = await granted(stores);
    await join(stores, group, [client]);
    await claim(stores, client, [group.name]);
    await leave(stores, group, [client]);
    deepStrictEqual(await whoSees(stores, client, collection), everyRead);
    deepStrictEqual(
      (await stores.groups.members(group.id))?.map(({ addedAt, claimedAt }) => [addedAt, claimedAt]),
      [[null, start + 1]],
    );
  },

  'members are added and removed together': async (stores) => {
    const { client: gone, group } = await strangers(stores);
    const [{ client: one }, { client: two }] = [await strangers(stores), await strangers(stores)];
    await join(stores, group, [gone]);
    await stores.groups.updateMembers(group.id, [one.id, two.id, gone.id], start, () => ({
      add: [one, two].map(({ id }) => ({ id, addedAt: start + 3 })),
      remove: [gone.id],
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
    const { group } = await strangers(stores);
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => added(stores)));
    await join(stores, group, clients);
    strictEqual((await stores.groups.find(group.id, start))?.members, 1_000);
  },

  'a change of members writes its effects': async (stores) => {
    const { client, group } = await strangers(stores);
    const effects = someEffects();
    await stores.groups.updateMembers(group.id, [client.id], start, () => effects);
    await assertWritten(stores, effects);
  },

  'a change of members rethrows what its decision throws, and changes nothing': async (stores) => {
    const { client, group } = await strangers(stores);
    await assertRefused(stores.groups.updateMembers(group.id, [client.id], start, refuse), 'already_approved');
    deepStrictEqual(await stores.groups.members(group.id), []);
    await assertWritten(stores);
  },

  'a change of members of a missing group is refused before the decision': async (stores) => {
    const { client } = await strangers(stores);
    await assertRefused(stores.groups.updateMembers(nextId(), [client.id], start, refuse), 'group_not_found');
  },

  'of concurrent additions of one member, exactly one sees no member': async (stores) => {
    const { client, group } = await strangers(stores);
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
    const all = await Promise.all(Array.from({ length: 10 }, () => strangers(stores)));
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

  'the grants epoch grows of each profile that is added or removed, and of no other': async (stores) => {
    const { client: gone, group } = await strangers(stores);
    const [{ client: comes }, { client: asked }] = [await strangers(stores), await strangers(stores)];
    const profiles = [gone, comes, asked];
    await join(stores, group, [gone]);
    const epochs = () => Promise.all(profiles.map((profile) => grantsEpochOf(stores, profile)));
    const before = await epochs();
    const ids = profiles.map(({ id }) => id);
    await stores.groups.updateMembers(group.id, ids, start, () => ({
      add: [{ id: comes.id, addedAt: start }],
      remove: [gone.id],
      ...noEffects,
    }));
    deepStrictEqual(
      (await epochs()).map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, true, false],
    );
  },
} satisfies Contract<Stores>;

/** What `GroupStore` promises of what tokens say. */
export const groupClaimsContract = {
  'a profile has what the groups have that its token names, once that is stored, and nothing else': async (stores) => {
    const [one, other] = [await granted(stores), await granted(stores)];
    await claim(stores, one.client, ['unknown', one.group.name]);
    deepStrictEqual(await whoSees(stores, one.client, one.collection), everyRead);
    deepStrictEqual(await whoSees(stores, one.client, other.collection), []);
    deepStrictEqual(await whoSees(stores, other.client, one.collection), []);
  },

  'names are compared exactly': async (stores) => {
    const { client, group, collection } = await granted(stores, { name: 'Ops' });
    await claim(stores, client, ['OPS', 'Op', 'Ops ', 'ops']);
    deepStrictEqual(await whoSees(stores, client, collection), []);
    strictEqual((await stores.groups.find(group.id, start))?.members, 0);
  },

  'a newer token replaces what the one before said': async (stores) => {
    const [one, other] = [await granted(stores), await granted(stores)];
    await claim(stores, one.client, [one.group.name], start);
    await claim(stores, one.client, [other.group.name], start + 1);
    deepStrictEqual(await whoSees(stores, one.client, one.collection), []);
    deepStrictEqual(await whoSees(stores, one.client, other.collection), everyRead);
    await claim(stores, one.client, [], start + 2);
    deepStrictEqual(await whoSees(stores, one.client, other.collection), []);
  },

  'a token that was issued before the stored one changes nothing, and nothing is decided': async (stores) => {
    const { client, group } = await strangers(stores);
    await claim(stores, client, [group.name], start + 5);
    const before = await rowOf(stores, client);
    const older = { names: [], issuedAt: start + 4, seenAt: start + 9 };
    await decidedNever((decide) => stores.groups.followClaims(client.id, older, decide));
    deepStrictEqual(await rowOf(stores, client), before);
  },

  'a token that was issued with the stored one replaces what it said': async (stores) => {
    const { client, group } = await strangers(stores);
    await claim(stores, client, [group.name], start);
    const claims = { names: [], issuedAt: start, seenAt: start + 9 };
    await stores.groups.followClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
  },

  'nothing is stored or decided for a profile that is gone': async (stores) => {
    const { client, group } = await strangers(stores);
    await stores.profiles.remove(client.id, () => noEffects);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await decidedNever((decide) => stores.groups.followClaims(client.id, claims, decide));
    await stores.profiles.add(client, noEffects);
    deepStrictEqual(await stores.groups.members(group.id), []);
    strictEqual((await rowOf(stores, client)).claims, null);
  },

  'a decision sees what was stored before, and null at first': async (stores) => {
    const { client } = await strangers(stores);
    const seen: unknown[] = [];
    const first = { names: ['Z', 'a', 'ä', '😀'], issuedAt: start, seenAt: start + 3 };
    for (const claims of [first, { ...first, issuedAt: start + 1 }]) {
      await stores.groups.followClaims(client.id, claims, (before, requests) => {
        seen.push([before, requests]);
        return noEffects;
      });
    }
    deepStrictEqual(seen, [
      [null, []],
      [first, []],
    ]);
  },

  'a row holds what the newest token said': async (stores) => {
    const { client } = await strangers(stores);
    const { client: other } = await strangers(stores);
    strictEqual((await rowOf(stores, client)).claims, null);
    const claims = { names: ['"quoted"', 'Z', 'größer'], issuedAt: start, seenAt: start + 3 };
    await stores.groups.followClaims(client.id, claims, () => noEffects);
    deepStrictEqual((await rowOf(stores, client)).claims, claims);
    strictEqual((await rowOf(stores, other)).claims, null);
  },

  'what a token says writes its effects': async (stores) => {
    const { client } = await strangers(stores);
    const effects = someEffects();
    const claims = { names: [], issuedAt: start, seenAt: start };
    await stores.groups.followClaims(client.id, claims, () => effects);
    await assertWritten(stores, effects);
  },

  'what a token says is not stored if the decision throws': async (stores) => {
    const { client, group, collection } = await granted(stores);
    const claims = { names: [group.name], issuedAt: start, seenAt: start };
    await assertRefused(stores.groups.followClaims(client.id, claims, refuse), 'already_approved');
    deepStrictEqual(await whoSees(stores, client, collection), []);
    strictEqual((await rowOf(stores, client)).claims, null);
    await assertWritten(stores);
  },

  'the grants epoch of the profile grows if the names differ, and of no other': async (stores) => {
    const { client } = await strangers(stores);
    const { client: other } = await strangers(stores);
    const grown: boolean[] = [];
    const [others] = [await grantsEpochOf(stores, other)];
    for (const [at, names] of [['a', 'b'], ['a', 'b'], ['a', 'c'], ['a'], [], []].entries()) {
      const before = await grantsEpochOf(stores, client);
      await claim(stores, client, names, start + at);
      grown.push((await grantsEpochOf(stores, client)) > before);
    }
    deepStrictEqual(grown, [true, false, true, true, true, false]);
    strictEqual(await grantsEpochOf(stores, other), others);
  },

  'what tokens said is forgotten of all profiles, and how many had any is returned': async (stores) => {
    const { client, group, collection } = await granted(stores);
    const { client: byHand } = await strangers(stores);
    for (const { id } of [client, byHand]) await claim(stores, { id }, [group.name, 'unknown']);
    await strangers(stores);
    await join(stores, group, [byHand]);
    strictEqual(await stores.groups.forgetClaims(), 2);
    deepStrictEqual(await whoSees(stores, client, collection), []);
    deepStrictEqual(await whoSees(stores, byHand, collection), everyRead);
    strictEqual((await rowOf(stores, client)).claims, null);
    strictEqual(await stores.groups.forgetClaims(), 0);
  },

  'the grants epoch grows of each profile whose tokens are forgotten': async (stores) => {
    const [{ client }, { client: other }] = [await strangers(stores), await strangers(stores)];
    await claim(stores, client, ['a']);
    const before = await Promise.all([client, other].map((profile) => grantsEpochOf(stores, profile)));
    await stores.groups.forgetClaims();
    const after = await Promise.all([client, other].map((profile) => grantsEpochOf(stores, profile)));
    deepStrictEqual(
      after.map((epoch, index) => epoch > (before[index] ?? 0)),
      [true, false],
    );
  },
} satisfies Contract<Stores>;

/** A client, a group, and a collection that the group has. */
const granted = async (stores: Stores, facts: Partial<Group> = {}) => {
  const made = await strangers(stores, { group: aGroup(facts) });
  const pair = groupPair(made.group.id, made.collection.id);
  await grantPair(stores.grants, pair, () => ({ grantedAt: start, ...noEffects }));
  return made;
};

/** A profile in the store. */
const added = async ({ profiles }: Stores): Promise<Profile> => {
  const profile = aProfile();
  await profiles.add(profile, noEffects);
  return profile;
};

const decidedNever = async (attempt: (decide: () => typeof noEffects) => Promise<unknown>): Promise<void> => {
  let decided = false;
  await attempt(() => {
    decided = true;
    return noEffects;
  });
  ok(!decided, 'it was decided');
};

const grantsEpochOf = async (stores: Stores, profile: Profile): Promise<number> =>
  (await rowOf(stores, profile)).epochs.grants;
