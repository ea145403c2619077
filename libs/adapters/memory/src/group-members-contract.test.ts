import { groupClaimsContract, groupMembersContract, noEffects } from '@portico/contracts';
import type { GroupClaims, GroupId, MembersChange, ProfileId } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { followClaims, forgetClaims, groupsOf, members, updateMembers } = breachesOf('groups');
const { byUid } = breachesOf('callers');

/** Changes of members of which only a part is stored. */
const storing = (part: (change: MembersChange) => Pick<MembersChange, 'add' | 'remove'>) =>
  updateMembers.deciding((change) => ({ ...change, add: [], remove: [], ...part(change) }));

/** A side effect after each change of members. */
const followed = (by: (database: MemoryDatabase, id: GroupId, profiles: readonly ProfileId[]) => unknown) =>
  updateMembers.followed((database, [id, profiles]) => by(database, id, profiles));

/** A change of members that decides on stale state. */
const stale = updateMembers.instead(async ([id, profiles, now, decide], right, { groupMembers }) => {
  let change: MembersChange = noEffects;
  await right.updateMembers(id, profiles, now, (group, states) => {
    change = decide(group, states);
    return noEffects;
  });
  await pause();
  groupMembers.set(id, new Map((change.add ?? []).map((member) => [member.id, member.addedAt])));
});

proveStores('the memory group store, of members', groupMembersContract, {
  'members are listed by e-mail, with when an administrator added them and when a token named the group':
    members.returning(
      (members) =>
        members && members.map((member) => (member.addedAt === null ? member : { ...member, claimedAt: null })),
    ),
  'a group without members has an empty list, and a missing one has none': members.returning(
    (members) => members ?? [],
  ),
  'the groups of a profile are listed by name, with how it came to each': groupsOf.returning((groups) =>
    groups.toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  ),
  'a decision about members sees the group, and the state of each profile in their order': updateMembers.misleading(
    ([group, states]) => [group, states.filter(({ profile }) => profile !== null)],
  ),
  'a member has what the group has in every read, once its addition is fulfilled': updateMembers.instead(
    async (change, right) => {
      setImmediate(() => void right.updateMembers(...change));
    },
  ),
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
  'a change of members writes its effects': updateMembers.withoutEffects(),
  'a change of members rethrows what its decision throws, and changes nothing': updateMembers.leaking(),
  'a change of members of a missing group is refused before the decision': updateMembers.hushing(),
  'of concurrent additions of one member, exactly one sees no member': stale,
  'a member does not outlive a profile or group that is removed concurrently': stale,
  'the grants epoch grows of each profile that is added or removed, and of no other': followed(
    (database, _id, profiles) => {
      for (const profile of profiles) touchGrants(database, profile);
    },
  ),
});

/** Stores other claims than those of the token. */
const claiming = (alter: (claims: GroupClaims, database: MemoryDatabase, profile: ProfileId) => GroupClaims) =>
  followClaims.asking(([profile, claims, decide], database) => [profile, alter(claims, database, profile), decide]);

proveStores('the memory group store, of what tokens say', groupClaimsContract, {
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
  'a token that was issued with the stored one replaces what it said': followClaims.instead(
    async ([profile, claims, decide], right, database) => {
      if (database.claims.get(profile)?.issuedAt !== claims.issuedAt) await right.followClaims(profile, claims, decide);
    },
  ),
  'nothing is stored or decided for a profile that is gone': followClaims.preceded(
    ({ profiles }, [profile, , decide]) => profiles.has(profile) || decide(null, []),
  ),
  'a decision sees what was stored before, and null at first': followClaims.misleading(
    ([before, requests], [, claims]) => [before ?? claims, requests],
  ),
  'a row holds what the newest token said': byUid.returning(
    (row) => row && { ...row, claims: row.claims && { ...row.claims, seenAt: row.claims.issuedAt } },
  ),
  'what a token says writes its effects': followClaims.withoutEffects(),
  'what a token says is not stored if the decision throws': followClaims.preceded((database, [profile, claims]) =>
    database.claims.set(profile, claims),
  ),
  'the grants epoch of the profile grows if the names differ, and of no other': followClaims.followed(
    (database, [profile]) => touchGrants(database, profile),
  ),
  'what tokens said is forgotten of all profiles, and how many had any is returned': forgetClaims.preceded(
    ({ groupMembers }) => groupMembers.clear(),
  ),
  'the grants epoch grows of each profile whose tokens are forgotten': forgetClaims.instead(
    async (_asked, _right, { claims }) => {
      const forgotten = claims.size;
      claims.clear();
      return forgotten;
    },
  ),
});
