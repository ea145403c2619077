import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Group, GroupMember, Membership } from '../../groups/group.ts';
import { type GroupId, parseId, type ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { MembersChange, MemberState } from '../../ports/group-store.ts';
import type { Ports } from '../../ports/index.ts';
import { ofGroup, ofProfile, auditEffects, systemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';
import { profilesByEmail } from './profiles-by-email.ts';

type Needs = Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>;

type MemberRefusal = 'user_not_found' | 'already_member' | 'member_not_found' | 'member_by_claim';
type MemberRule = (state: MemberState) => MemberRefusal | null;

// The rules for adding and removing a member, in the order they are checked; each returns its error code.
const profileExists: MemberRule = ({ profile }) => (profile ? null : 'user_not_found');
const notYetAdded: MemberRule = ({ addedAt }) => (addedAt === null ? null : 'already_member');
const isMember: MemberRule = ({ addedAt, claimedAt }) =>
  addedAt === null && claimedAt === null ? 'member_not_found' : null;
const isManual: MemberRule = ({ addedAt }) => (addedAt === null ? 'member_by_claim' : null);

const addingRules = [profileExists, notYetAdded];
const removingRules = [profileExists, isMember, isManual];

const refusalOf = (rules: readonly MemberRule[], state: MemberState): MemberRefusal | null => {
  for (const rule of rules) {
    const refusal = rule(state);
    if (refusal) return refusal;
  }
  return null;
};

/**
 * Adds a profile to a group, and closes its requests for collections that the group has access to. An admin's grants
 * are dormant.
 */
export const addMember =
  (ports: Needs) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<GroupMember> => {
    const now = ports.clock.now();
    let member: GroupMember | undefined;
    await ports.groups.updateMembers(group, [profile], now, (stored, [state]) => {
      const { id, email, fullName } = enforce(addingRules, state);
      member = { profileId: id, email, fullName, addedAt: now, claimedAt: state?.claimedAt ?? null };
      return joinChange(
        ports,
        authority,
        now,
        stored,
        [state].filter((one) => one !== undefined),
      );
    });
    return member as GroupMember;
  };

export interface Removal {
  /** Whether the profile remains a member because of the claim in its token. */
  readonly staysByClaim: boolean;
}

/**
 * Removes a member that an administrator added. A member by claim alone is rejected, because only the identity provider
 * can remove it.
 */
export const removeMember =
  (ports: Needs) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<Removal> => {
    let staysByClaim = false;
    await ports.groups.updateMembers(group, [profile], ports.clock.now(), (stored, [state]) => {
      const member = enforce(removingRules, state);
      staysByClaim = state?.claimedAt != null;
      const message = { action: 'group.leave' as const, ...ofGroup(stored), ...ofProfile(member) };
      return { remove: [profile], ...auditEffects(ports, authority, message) };
    });
    return { staysByClaim };
  };

export interface AddOutcome {
  /** The id or e-mail, as requested. */
  readonly reference: string;
  /** Null if there is no such profile. */
  readonly profile: ProfileId | null;
  readonly result: 'added' | 'already' | 'not_found';
}

/** Adds many profiles by id or e-mail, in one transaction; returns an outcome for each, in the order of the list. */
export const addMembers =
  (ports: Needs & Pick<Ports, 'profiles'>) =>
  async (authority: AdminAuthority, group: GroupId, references: readonly string[]): Promise<readonly AddOutcome[]> => {
    const ids = await idsOf(ports, references);
    const now = ports.clock.now();
    const known = [...new Set(ids.filter((id) => id !== null))];
    let added: ReadonlySet<ProfileId> = new Set();
    let existing: ReadonlySet<ProfileId> = new Set();
    await ports.groups.updateMembers(group, known, now, (stored, states) => {
      const joiners = states.filter((state) => refusalOf(addingRules, state) === null);
      added = new Set(joiners.map(({ id }) => id));
      existing = new Set(states.filter(({ profile }) => profile).map(({ id }) => id));
      return joinChange(ports, authority, now, stored, joiners);
    });
    const reported = new Set<ProfileId>();
    return references.map((text, at) => {
      const id = ids[at] ?? null;
      if (id === null || !existing.has(id)) return { reference: text, profile: null, result: 'not_found' };
      const isNew = added.has(id) && !reported.has(id);
      reported.add(id);
      return { reference: text, profile: id, result: isNew ? 'added' : 'already' };
    });
  };

/** Returns the members, sorted by e-mail; throws `group_not_found`. */
export const listMembers =
  ({ groups }: Pick<Ports, 'groups'>) =>
  async (_authority: AdminAuthority, group: GroupId): Promise<readonly GroupMember[]> => {
    const members = await groups.members(group);
    if (!members) throw new PorticoError('group_not_found');
    return members;
  };

/** Returns the groups of a profile, sorted by name, and how it became a member of each; throws `user_not_found`. */
export const listProfileGroups =
  ({ groups, profiles }: Pick<Ports, 'groups' | 'profiles'>) =>
  async (_authority: AdminAuthority, profile: ProfileId): Promise<readonly (Group & Membership)[]> => {
    if (!(await profiles.find(profile))) throw new PorticoError('user_not_found');
    return groups.groupsOf(profile);
  };

const enforce = (rules: readonly MemberRule[], state: MemberState | undefined) => {
  if (!state) throw new Error('The state of the member is missing.');
  const refusal = refusalOf(rules, state);
  if (refusal) throw new PorticoError(refusal);
  if (!state.profile) throw new PorticoError('user_not_found');
  return state.profile;
};

const joinChange = (
  ports: Needs,
  { actor, deadline }: AdminAuthority,
  now: Instant,
  group: Group,
  joiners: readonly MemberState[],
): MembersChange => ({
  add: joiners.map(({ id }) => ({ id, addedAt: now })),
  ...closeByGrant(
    ports,
    joiners.flatMap(({ requests }) => requests),
    now,
  ),
  entries: joiners.flatMap(({ profile }) =>
    profile ? [systemEntry(ports, actor, { action: 'group.join', ...ofGroup(group), ...ofProfile(profile) })] : [],
  ),
  deadline,
});

/** Returns the profile for each id or e-mail; null if there is none. Does not check whether an id exists. */
const idsOf = async (
  ports: Pick<Ports, 'profiles'>,
  references: readonly string[],
): Promise<readonly (ProfileId | null)[]> => {
  const profiles = await profilesByEmail(
    ports,
    new Set(references.filter((text) => parseId(text) === null).map(emailOf)),
  );
  return references.map((text) => parseId<ProfileId>(text) ?? profiles.get(emailOf(text)) ?? null);
};

const emailOf = (text: string): string => text.trim();
