import { groupClaimsContract, groupMembersContract, noEffects } from '@portico/contracts';
import type { GroupClaims, GroupId, MembersChange, ProfileId } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { syncClaims, clearClaims, groupsOf, members, updateMembers } = breachesOf('groups');
const { byUid } = breachesOf('callers');

/** Stores only part of each membership change. */
const storeOnly = (part: (change: MembersChange) => Pick<MembersChange, 'add' | 'remove'>) =>
  updateMembers.mapDecision((change) => ({ ...change, add: [], remove: [], ...part(change) }));

/** Runs a side effect after each membership change. */
const runAfter = (by: (database: MemoryDatabase, id: GroupId, profiles: readonly ProfileId[]) => unknown) =>
  updateMembers.runAfter((database, [id, profiles]) => by(database, id, profiles));

/** Applies a membership change that was decided on the basis of stale state. */
const staleChange = updateMembers.replaceWith(async ([id, profiles, now, decide], original, { groupMembers }) => {
  let change: MembersChange = noEffects;
  await original.updateMembers(id, profiles, now, (group, states) => {
    change = decide(group, states);
    return noEffects;
  });
  await pause();
  groupMembers.set(id, new Map((change.add ?? []).map((member) => [member.id, member.addedAt])));
});

proveStores('the memory group store, on members', groupMembersContract, {
  'members are listed by e-mail, with the times at which they were added and at which a token named the group':
    members.mapResult(
      (members) =>
        members && members.map((member) => (member.addedAt === null ? member : { ...member, claimedAt: null })),
    ),
  'a group without members has an empty list, and a missing group has none': members.mapResult(
    (members) => members ?? [],
  ),
  'the groups of a profile are listed by name, with the times at which it was added and claimed them':
    groupsOf.mapResult((groups) => groups.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))),
  'a decision about members sees the group, and the state of each profile in the given order':
    updateMembers.mapDecisionInput(([group, states]) => [group, states.filter(({ profile }) => profile !== null)]),
  'every read shows a member the collections of the group once its addition is fulfilled': updateMembers.replaceWith(
    async (change, original) => {
      setImmediate(() => void original.updateMembers(...change));
    },
  ),
  'no read shows a member the collections of the group once its removal is fulfilled': storeOnly(({ add = [] }) => ({
    add,
  })),
  'a member leaves one group and stays in the others': runAfter(({ groupMembers }, id, profiles) => {
    for (const [other, members] of groupMembers)
      if (other !== id) for (const profile of profiles) members.delete(profile);
  }),
  'a removal of a member keeps its claims': runAfter(({ claims, groupMembers }, id, profiles) => {
    for (const profile of profiles) if (!groupMembers.get(id)?.has(profile)) claims.delete(profile);
  }),
  'members are added and removed together': storeOnly(({ add = [], remove = [] }) => ({
    add,
    remove: add.length > 0 ? [] : remove,
  })),
  'a thousand members are added together': storeOnly(({ add = [] }) => ({ add: add.slice(0, 999) })),
  'a change of members writes its effects': updateMembers.withoutEffects(),
  'a change of members rethrows an error from the decision and changes nothing': updateMembers.writeEntryOnFailure(),
  'a change of members of a missing group throws before the decision': updateMembers.ignoreErrors(),
  'of concurrent additions of one member, exactly one sees no member': staleChange,
  'a member does not outlive a profile or group that is removed concurrently': staleChange,
  'the grants epoch of each profile that is added or removed grows, and that of no other': runAfter(
    (database, _id, profiles) => {
      for (const profile of profiles) touchGrants(database, profile);
    },
  ),
});

/** Changes the claims before they are stored. */
const mapClaims = (alter: (claims: GroupClaims, database: MemoryDatabase, profile: ProfileId) => GroupClaims) =>
  syncClaims.mapArguments(([profile, claims, decide], database) => [profile, alter(claims, database, profile), decide]);

proveStores('the memory group store, on token claims', groupClaimsContract, {
  'a profile has the collections of the groups that its stored token names, and no others': mapClaims(
    (claims, { groups }) => ({ ...claims, names: [...groups.values()].map(({ name }) => name) }),
  ),
  'names are compared exactly': mapClaims((claims, { groups }) => ({
    ...claims,
    names: [...groups.values()]
      .map(({ name }) => name)
      .filter((name) => claims.names.some((claimed) => claimed.toLowerCase() === name.toLowerCase())),
  })),
  'a newer token replaces the claims of the previous one': mapClaims((claims, database, profile) => ({
    ...claims,
    names: [...(database.claims.get(profile)?.names ?? []), ...claims.names],
  })),
  'a token that was issued before the stored one changes nothing, and nothing is decided': mapClaims(
    (claims, database, profile) => ({
      ...claims,
      issuedAt: Math.max(claims.issuedAt, database.claims.get(profile)?.issuedAt ?? 0),
    }),
  ),
  'a token that was issued at the same time as the stored one replaces its claims': syncClaims.replaceWith(
    async ([profile, claims, decide], original, database) => {
      if (database.claims.get(profile)?.issuedAt !== claims.issuedAt)
        await original.syncClaims(profile, claims, decide);
    },
  ),
  'nothing is stored or decided for a removed profile': syncClaims.runBefore(
    ({ profiles }, [profile, , decide]) => profiles.has(profile) || decide(null, []),
  ),
  'a decision sees the claims stored before, and null at first': syncClaims.mapDecisionInput(
    ([before, requests], [, claims]) => [before ?? claims, requests],
  ),
  'a row contains the claims of the newest token': byUid.mapResult(
    (row) => row && { ...row, claims: row.claims && { ...row.claims, seenAt: row.claims.issuedAt } },
  ),
  'a change of claims writes its effects': syncClaims.withoutEffects(),
  'the claims of a token are not stored if the decision throws': syncClaims.runBefore((database, [profile, claims]) =>
    database.claims.set(profile, claims),
  ),
  'the grants epoch of the profile grows if the names differ, and that of no other': syncClaims.runAfter(
    (database, [profile]) => touchGrants(database, profile),
  ),
  'the claims of all profiles are removed, and the number of profiles that had any is returned': clearClaims.runBefore(
    ({ groupMembers }) => groupMembers.clear(),
  ),
  'the grants epoch of each profile whose claims are removed grows': clearClaims.replaceWith(
    async (_args, _original, { claims }) => {
      const forgotten = claims.size;
      claims.clear();
      return forgotten;
    },
  ),
});
