import { groupClaimsContract, groupMembersContract, noEffects } from '@portico/contracts';
import type { GroupClaims, GroupId, MembersChange, ProfileId } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';

const { syncClaims, clearClaims, listByProfile, listMembers, updateMembers } = breachesOf('groups');
const { findByUid } = breachesOf('callers');

/** Stores only part of each membership change. */
const storeOnly = (selectPart: (change: MembersChange) => Pick<MembersChange, 'add' | 'remove'>) =>
  updateMembers.mapDecision((change) => ({ ...change, add: [], remove: [], ...selectPart(change) }));

/** Runs a side effect after each membership change. */
const runAfter = (sideEffect: (database: MemoryDatabase, id: GroupId, profiles: readonly ProfileId[]) => unknown) =>
  updateMembers.runAfter((database, [id, profiles]) => sideEffect(database, id, profiles));

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
  'members are listed by email, with the times at which they were added and at which a token named the group':
    listMembers.mapResult(
      (members) =>
        members && members.map((member) => (member.addedAt === null ? member : { ...member, claimedAt: null })),
    ),
  'a group without members has an empty list of members, and a missing group has no list': listMembers.mapResult(
    (members) => members ?? [],
  ),
  'the groups of a profile are listed by name, with the times at which it was added and claimed them':
    listByProfile.mapResult((groups) => groups.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))),
  'a decision about members sees the group, and the state of each profile in the given order':
    updateMembers.mapDecisionInput(([group, states]) => [group, states.filter(({ profile }) => profile !== null)]),
  'every read shows a member the collections of the group once the promise of adding it is fulfilled':
    updateMembers.replaceWith(async (change, original) => {
      setImmediate(() => void original.updateMembers(...change));
    }),
  'no read shows a member the collections of the group once the promise of removing it is fulfilled': storeOnly(
    ({ add = [] }) => ({
      add,
    }),
  ),
  'a member that is removed from one group is still a member of the others': runAfter(
    ({ groupMembers }, id, profiles) => {
      for (const [groupId, members] of groupMembers)
        if (groupId !== id) for (const profile of profiles) members.delete(profile);
    },
  ),
  'removing a member keeps its claims': runAfter(({ claims, groupMembers }, id, profiles) => {
    for (const profile of profiles) if (!groupMembers.get(id)?.has(profile)) claims.delete(profile);
  }),
  'members can be added and removed in one call': storeOnly(({ add = [], remove = [] }) => ({
    add,
    remove: add.length > 0 ? [] : remove,
  })),
  'a thousand members can be added in one call': storeOnly(({ add = [] }) => ({ add: add.slice(0, 999) })),
  'changing members writes its effects': updateMembers.dropEffects(),
  'changing members rethrows an error from the decision and changes nothing': updateMembers.writeEntryOnFailure(),
  'changing the members of a missing group throws before the decision is called': updateMembers.ignoreErrors(),
  'when the same member is added concurrently, only one decision sees no member': staleChange,
  'a member is not kept if its profile or group is removed concurrently': staleChange,
  'adding or removing a member increases the grants epoch of that profile only': runAfter((database, _id, profiles) => {
    for (const profile of profiles) touchGrants(database, profile);
  }),
});

/** Changes the claims before they are stored. */
const mapClaims = (alter: (claims: GroupClaims, database: MemoryDatabase, profile: ProfileId) => GroupClaims) =>
  syncClaims.mapArguments(([profile, claims, decide], database) => [profile, alter(claims, database, profile), decide]);

proveStores('the memory group store, on token claims', groupClaimsContract, {
  'a profile has only the collections of the groups that its stored token names': mapClaims((claims, { groups }) => ({
    ...claims,
    names: [...groups.values()].map(({ name }) => name),
  })),
  'names are compared exactly': mapClaims((claims, { groups }) => ({
    ...claims,
    names: [...groups.values()]
      .map(({ name }) => name)
      .filter((name) => claims.names.some((claimedName) => claimedName.toLowerCase() === name.toLowerCase())),
  })),
  'a newer token replaces the claims of the previous one': mapClaims((claims, database, profile) => ({
    ...claims,
    names: [...(database.claims.get(profile)?.names ?? []), ...claims.names],
  })),
  'a token that was issued before the stored one changes nothing, and the decision is not called': mapClaims(
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
  'claims of a removed profile are not stored, and the decision is not called': syncClaims.runBefore(
    ({ profiles }, [profile, , decide]) => profiles.has(profile) || decide(null, []),
  ),
  'a decision sees the previously stored claims, or null if there are none': syncClaims.mapDecisionInput(
    ([before, requests], [, claims]) => [before ?? claims, requests],
  ),
  'a row contains the claims of the newest token': findByUid.mapResult(
    (row) => row && { ...row, claims: row.claims && { ...row.claims, seenAt: row.claims.issuedAt } },
  ),
  'changing claims writes its effects': syncClaims.dropEffects(),
  'the claims of a token are not stored if the decision throws': syncClaims.runBefore((database, [profile, claims]) =>
    database.claims.set(profile, claims),
  ),
  'new names in the claims increase the grants epoch of that profile only': syncClaims.runAfter((database, [profile]) =>
    touchGrants(database, profile),
  ),
  'clearing claims removes the claims of all profiles and returns the number of profiles that had any':
    clearClaims.runBefore(({ groupMembers }) => groupMembers.clear()),
  'clearing claims increases the grants epoch of each profile that had any': clearClaims.replaceWith(
    async (_args, _original, { claims }) => {
      const clearedCount = claims.size;
      claims.clear();
      return clearedCount;
    },
  ),
});
