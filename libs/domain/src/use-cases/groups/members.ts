import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Group, GroupMember, Membership } from '../../groups/group.ts';
import { type GroupId, parseId, type ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { MembersChange, MemberState } from '../../ports/group-store.ts';
import type { Ports } from '../../ports/index.ts';
import { groupFieldsOf, profileFieldsOf, createAuditEffects, createSystemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';
import { findProfilesByEmail } from './find-profiles-by-email.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>;

type MemberErrorCode = 'user_not_found' | 'already_member' | 'member_not_found' | 'member_by_claim';
type MemberRule = (state: MemberState) => MemberErrorCode | null;

// The rules for adding and removing a member, in the order they are checked; each returns its error code.
const profileExists: MemberRule = ({ profile }) => (profile ? null : 'user_not_found');
const isNotYetAdded: MemberRule = ({ addedAt }) => (addedAt === null ? null : 'already_member');
const isMember: MemberRule = ({ addedAt, claimedAt }) =>
  addedAt === null && claimedAt === null ? 'member_not_found' : null;
const isManual: MemberRule = ({ addedAt }) => (addedAt === null ? 'member_by_claim' : null);

const addingRules = [profileExists, isNotYetAdded];
const removingRules = [profileExists, isMember, isManual];

const findErrorCode = (rules: readonly MemberRule[], state: MemberState): MemberErrorCode | null => {
  for (const rule of rules) {
    const errorCode = rule(state);
    if (errorCode) return errorCode;
  }
  return null;
};

/**
 * Adds a profile to a group, and closes its requests for collections that the group has access to. An admin's grants
 * are dormant.
 */
export const addMember =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<GroupMember> => {
    const now = ports.clock.now();
    let member: GroupMember | undefined;
    await ports.groups.updateMembers(group, [profile], now, (storedGroup, [state]) => {
      const { id, email, fullName } = enforce(addingRules, state);
      member = { profileId: id, email, fullName, addedAt: now, claimedAt: state?.claimedAt ?? null };
      return createMembersChange(
        ports,
        authority,
        now,
        storedGroup,
        [state].filter((memberState) => memberState !== undefined),
      );
    });
    return member as GroupMember;
  };

export interface RemovalResult {
  /** Whether the profile remains a member because of the claim in its token. */
  readonly remainsByClaim: boolean;
}

/**
 * Removes a member that an administrator added. A member by claim alone is rejected, because only the identity provider
 * can remove it.
 */
export const removeMember =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<RemovalResult> => {
    let remainsByClaim = false;
    await ports.groups.updateMembers(group, [profile], ports.clock.now(), (storedGroup, [state]) => {
      const member = enforce(removingRules, state);
      remainsByClaim = state?.claimedAt != null;
      const message = { action: 'group.leave' as const, ...groupFieldsOf(storedGroup), ...profileFieldsOf(member) };
      return { remove: [profile], ...createAuditEffects(ports, authority, message) };
    });
    return { remainsByClaim };
  };

export interface AddOutcome {
  /** The id or email, as requested. */
  readonly reference: string;
  /** Null if there is no such profile. */
  readonly profile: ProfileId | null;
  readonly result: 'added' | 'already' | 'not_found';
}

/** Adds many profiles by id or email, in one transaction; returns an outcome for each, in the order of the list. */
export const addMembers =
  (ports: RequiredPorts & Pick<Ports, 'profiles'>) =>
  async (authority: AdminAuthority, group: GroupId, references: readonly string[]): Promise<readonly AddOutcome[]> => {
    const ids = await idsOf(ports, references);
    const now = ports.clock.now();
    const profileIds = [...new Set(ids.filter((id) => id !== null))];
    let addedIds: ReadonlySet<ProfileId> = new Set();
    let existingIds: ReadonlySet<ProfileId> = new Set();
    await ports.groups.updateMembers(group, profileIds, now, (storedGroup, states) => {
      const newMembers = states.filter((state) => findErrorCode(addingRules, state) === null);
      addedIds = new Set(newMembers.map(({ id }) => id));
      existingIds = new Set(states.filter(({ profile }) => profile).map(({ id }) => id));
      return createMembersChange(ports, authority, now, storedGroup, newMembers);
    });
    const reportedIds = new Set<ProfileId>();
    return references.map((reference, index) => {
      const id = ids[index] ?? null;
      if (id === null || !existingIds.has(id)) return { reference, profile: null, result: 'not_found' };
      const isNew = addedIds.has(id) && !reportedIds.has(id);
      reportedIds.add(id);
      return { reference, profile: id, result: isNew ? 'added' : 'already' };
    });
  };

/** Returns the members, sorted by email; throws `group_not_found`. */
export const listMembers =
  ({ groups }: Pick<Ports, 'groups'>) =>
  async (_authority: AdminAuthority, group: GroupId): Promise<readonly GroupMember[]> => {
    const members = await groups.listMembers(group);
    if (!members) throw new PorticoError('group_not_found');
    return members;
  };

/** Returns the groups of a profile, sorted by name, and how it became a member of each; throws `user_not_found`. */
export const listProfileGroups =
  ({ groups, profiles }: Pick<Ports, 'groups' | 'profiles'>) =>
  async (_authority: AdminAuthority, profile: ProfileId): Promise<readonly (Group & Membership)[]> => {
    if (!(await profiles.find(profile))) throw new PorticoError('user_not_found');
    return groups.listByProfile(profile);
  };

const enforce = (rules: readonly MemberRule[], state: MemberState | undefined) => {
  if (!state) throw new Error('The state of the member is missing.');
  const errorCode = findErrorCode(rules, state);
  if (errorCode) throw new PorticoError(errorCode);
  if (!state.profile) throw new PorticoError('user_not_found');
  return state.profile;
};

const createMembersChange = (
  ports: RequiredPorts,
  { actor, deadline }: AdminAuthority,
  now: Instant,
  group: Group,
  newMembers: readonly MemberState[],
): MembersChange => ({
  add: newMembers.map(({ id }) => ({ id, addedAt: now })),
  ...closeByGrant(
    ports,
    newMembers.flatMap(({ requests }) => requests),
    now,
  ),
  entries: newMembers.flatMap(({ profile }) =>
    profile
      ? [
          createSystemEntry(ports, actor, {
            action: 'group.join',
            ...groupFieldsOf(group),
            ...profileFieldsOf(profile),
          }),
        ]
      : [],
  ),
  deadline,
});

/** Returns the profile for each id or email; null if there is none. Does not check whether an id exists. */
const idsOf = async (
  ports: Pick<Ports, 'profiles'>,
  references: readonly string[],
): Promise<readonly (ProfileId | null)[]> => {
  const profiles = await findProfilesByEmail(
    ports,
    new Set(references.filter((text) => parseId(text) === null).map(emailOf)),
  );
  return references.map((text) => parseId<ProfileId>(text) ?? profiles.get(emailOf(text)) ?? null);
};

const emailOf = (text: string): string => text.trim();
