import { groupClaimsContract, groupMembersContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import type {
  GroupClaims,
  GroupId,
  GroupMember,
  GroupStore,
  MembersChange,
  MemberState,
  ProfileId,
} from '@portico/domain';
import { describe } from 'vitest';
import { breaking, hushed, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const listing = (alter: (members: readonly GroupMember[]) => readonly GroupMember[]) =>
  breaking('groups', (right) => ({
    members: async (id) => {
      const members = await right.members(id);
      return members && alter(members);
    },
  }));

/** Decisions about members that see other states. */
const misleading = (alter: (states: readonly MemberState[]) => readonly MemberState[]) =>
  breaking('groups', (right) => ({
    updateMembers: (id, profiles, now, decide) =>
      right.updateMembers(id, profiles, now, (group, states) => decide(group, alter(states))),
  }));

/** Changes of members of which only a part is stored. */
const storing = (part: (change: MembersChange) => Pick<MembersChange, 'add' | 'remove'>) =>
  breaking('groups', (right) => ({
    updateMembers: (id, profiles, now, decide) =>
      right.updateMembers(id, profiles, now, (group, states) => {
        const change = decide(group, states);
        return { ...change, add: [], remove: [], ...part(change) };
      }),
  }));

/** A side effect after each change of members. */
const followed = (by: (database: MemoryDatabase, id: GroupId, profiles: readonly ProfileId[]) => unknown) =>
  breaking('groups', (right, _stores, database): Partial<GroupStore> => ({
    updateMembers: async (id, profiles, now, decide) => {
      await right.updateMembers(id, profiles, now, decide);
      by(database, id, profiles);
    },
  }));

/** A change of members that decides on stale state. */
const stale = breaking('groups', (right, _stores, { groupMembers }) => ({
  updateMembers: async (id, profiles, now, decide) => {
    let change: MembersChange = noEffects;
    await right.updateMembers(id, profiles, now, (group, states) => {
      change = decide(group, states);
      return noEffects;
    });
    await pause();
    groupMembers.set(id, new Map((change.add ?? []).map((member) => [member.id, member.addedAt])));
  },
}));

const memberSabotages: Sabotages<typeof groupMembersContract, Stores> = {
  'members are listed by e-mail, with when an administrator added them and when a token named the group': listing(
    (members) => members.map((member) => (member.addedAt === null ? member : { ...member, claimedAt: null })),
  ),
  'a group without members has an empty list, and a missing one has none': breaking('groups', (right) => ({
    members: async (id) => (await right.members(id)) ?? [],
  })),
  'the groups of a profile are listed by name, with how it came to each': breaking('groups', (right) => ({
    groupsOf: async (profile) => (await right.groupsOf(profile)).toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  })),
  'a decision about members sees the group, and the state of each profile in their order': misleading((states) =>
    states.filter(({ profile }) => profile !== null),
  ),
  'a member has what the group has in every read, once its addition is fulfilled': breaking('groups', (right) => ({
    updateMembers: async (...change) => {
      setImmediate(() => void right.updateMembers(...change));
    },
  })),
  'no read shows a member what the group has, once its removal is fulfilled': storing(({ add = [] }) => ({ add })),
  'a member leaves one group and stays in the others': followed(({ groupMembers }, id, profiles) => {
    for (const [other, members] of groupMembers)
      if (other !== id) for (const profile of profiles) members.delete(profile);
  }),
  'a removal of a member leaves what its token says': followed(({ claims, groupMembers }, id, profiles) => {
    for (const profile of profiles) if (!groupMembers.get(id)?.has(profile)) claims.delete(profile);
  }),
  'members are added and removed together': storing(({ add = [], remove = [] }) => ({
    add,
    remove: add.length > 0 ? [] : remove,
  })),
  'a thousand members are added together': storing(({ add = [] }) => ({ add: add.slice(0, 999) })),
  'a change of members writes its effects': breaking('groups', (right) => ({
    updateMembers: (id, profiles, now, decide) => right.updateMembers(id, profiles, now, silently(decide)),
  })),
  'a change of members rethrows what its decision throws, and changes nothing': breaking('groups', (right, stores) => ({
    updateMembers: (...change) => leaking(stores, right.updateMembers(...change)),
  })),
  'a change of members of a missing group is refused before the decision': breaking('groups', (right) => ({
    updateMembers: (...change) => hushed(right.updateMembers(...change), undefined),
  })),
  'of concurrent additions of one member, exactly one sees no member': stale,
  'a member does not outlive a profile or group that is removed concurrently': stale,
  'the grants epoch grows of each profile that is added or removed, and of no other': followed(
    (database, _id, profiles) => {
      for (const profile of profiles) touchGrants(database, profile);
    },
  ),
};

/** Stores other claims than those of the token. */
const claiming = (alter: (claims: GroupClaims, database: MemoryDatabase, profile: ProfileId) => GroupClaims) =>
  breaking('groups', (right, _stores, database) => ({
    followClaims: (profile, claims, decide) => right.followClaims(profile, alter(claims, database, profile), decide),
  }));

const rowsWith = (alter: (claims: GroupClaims | null) => GroupClaims | null) =>
  breaking('callers', (right) => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      return row && { ...row, claims: alter(row.claims) };
    },
  }));

const claimSabotages: Sabotages<typeof groupClaimsContract, Stores> = {
  'a profile has what the groups have that its token names, once that is stored, and nothing else': claiming(
    (claims, { groups }) => ({ ...claims, names: [...groups.values()].map(({ name }) => name) }),
  ),
  'names are compared exactly': claiming((claims, { groups }) => ({
    ...claims,
    names: [...groups.values()]
      .map(({ name }) => name)
      .filter((name) => claims.names.some((claimed) => claimed.toLowerCase() === name.toLowerCase())),
  })),
  'a newer token replaces what the one before said': claiming((claims, database, profile) => ({
    ...claims,
    names: [...(database.claims.get(profile)?.names ?? []), ...claims.names],
  })),
  'a token that was issued before the stored one changes nothing, and nothing is decided': claiming(
    (claims, database, profile) => ({
      ...claims,
      issuedAt: Math.max(claims.issuedAt, database.claims.get(profile)?.issuedAt ?? 0),
    }),
  ),
  'a token that was issued with the stored one replaces what it said': breaking(
    'groups',
    (right, _stores, database) => ({
      followClaims: async (profile, claims, decide) => {
        if (database.claims.get(profile)?.issuedAt !== claims.issuedAt)
          await right.followClaims(profile, claims, decide);
      },
    }),
  ),
  'nothing is stored or decided for a profile that is gone': breaking('groups', (right, _stores, database) => ({
    followClaims: async (profile, claims, decide) => {
      if (!database.profiles.has(profile)) decide(null, []);
      await right.followClaims(profile, claims, decide);
    },
  })),
  'a decision sees what was stored before, and null at first': breaking('groups', (right) => ({
    followClaims: (profile, claims, decide) =>
      right.followClaims(profile, claims, (before, requests) => decide(before ?? claims, requests)),
  })),
  'a row holds what the newest token said': rowsWith((claims) => claims && { ...claims, seenAt: claims.issuedAt }),
  'what a token says writes its effects': breaking('groups', (right) => ({
    followClaims: (profile, claims, decide) => right.followClaims(profile, claims, silently(decide)),
  })),
  'what a token says is not stored if the decision throws': breaking('groups', (right, _stores, database) => ({
    followClaims: (profile, claims, decide) => {
      database.claims.set(profile, claims);
      return right.followClaims(profile, claims, decide);
    },
  })),
  'the grants epoch of the profile grows if the names differ, and of no other': breaking(
    'groups',
    (right, _stores, database) => ({
      followClaims: async (profile, claims, decide) => {
        await right.followClaims(profile, claims, decide);
        touchGrants(database, profile);
      },
    }),
  ),
  'what tokens said is forgotten of all profiles, and how many had any is returned': breaking(
    'groups',
    (right, _stores, { groupMembers }) => ({
      forgetClaims: () => {
        groupMembers.clear();
        return right.forgetClaims();
      },
    }),
  ),
  'the grants epoch grows of each profile whose tokens are forgotten': breaking(
    'groups',
    (_right, _stores, { claims }) => ({
      forgetClaims: async () => {
        const forgotten = claims.size;
        claims.clear();
        return forgotten;
      },
    }),
  ),
};

describe('the memory group store, of members', () => {
  proveContract(groupMembersContract, memberSabotages, createMemoryStores);
});

describe('the memory group store, of what tokens say', () => {
  proveContract(groupClaimsContract, claimSabotages, createMemoryStores);
});
