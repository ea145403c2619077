import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Group, GroupMember, Membership } from '../../groups/group.ts';
import { type GroupId, parseId, type ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { MembersChange, MemberState } from '../../ports/group-store.ts';
import type { Ports } from '../../ports/index.ts';
import { ofGroup, ofProfile, recorded, systemEntry } from '../audit/system-entry.ts';
import { closedByGrant } from '../requests/closed-by-grant.ts';
import { profilesByEmail } from './profiles-by-email.ts';

type Needs = Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>;

type MemberRefusal = 'user_not_found' | 'already_member' | 'member_not_found' | 'member_by_claim';
type MemberRule = (state: MemberState) => MemberRefusal | null;

// The rules for adding and removing a member, in the order in which they are checked; each names its refusal.
const profileExists: MemberRule = ({ profile }) => (profile ? null : 'user_not_found');
const notYetAdded: MemberRule = ({ addedAt }) => (addedAt === null ? null : 'already_member');
const isMember: MemberRule = ({ addedAt, claimedAt }) =>
  addedAt === null && claimedAt === null ? 'member_not_found' : null;
const isByHand: MemberRule = ({ addedAt }) => (addedAt === null ? 'member_by_claim' : null);

const addingRules = [profileExists, notYetAdded];
const removingRules = [profileExists, isMember, isByHand];

const refusalOf = (rules: readonly MemberRule[], state: MemberState): MemberRefusal | null => {
  for (const rule of rules) {
    const refusal = rule(state);
    if (refusal) return refusal;
  }
  return null;
};

/** Puts a profile into a group, and closes its requests for what the group has. An admin's grants sleep. */
export const addMember =
  (ports: Needs) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<GroupMember> => {
    const now = ports.clock.now();
    let member: GroupMember | undefined;
    await ports.groups.updateMembers(group, [profile], now, (found, [state]) => {
      const { id, email, fullName } = enforced(addingRules, state);
      member = { profileId: id, email, fullName, addedAt: now, claimedAt: state?.claimedAt ?? null };
      return joining(
        ports,
        authority,
        now,
        found,
        [state].filter((one) => one !== undefined),
      );
    });
    return member as GroupMember;
  };

export interface Removal {
  /** Whether the claim of its token still puts the profile into the group. */
  readonly staysByClaim: boolean;
}

/** Ends what an administrator did. Refused for a member by claim alone, whom only the identity provider can remove. */
export const removeMember =
  (ports: Needs) =>
  async (authority: AdminAuthority, group: GroupId, profile: ProfileId): Promise<Removal> => {
    let staysByClaim = false;
    await ports.groups.updateMembers(group, [profile], ports.clock.now(), (found, [state]) => {
      const left = enforced(removingRules, state);
      staysByClaim = state?.claimedAt != null;
      const message = { action: 'group.leave' as const, ...ofGroup(found), ...ofProfile(left) };
      return { remove: [profile], ...recorded(ports, authority, message) };
    });
    return { staysByClaim };
  };

export interface AddOutcome {
  /** As it was asked for. */
  readonly asked: string;
  /** Null if there is no such profile. */
  readonly profile: ProfileId | null;
  readonly result: 'added' | 'already' | 'not_found';
}

/** Adds many profiles by id or e-mail, in one transaction; each has its outcome, in the order of the list. */
export const addMembers =
  (ports: Needs & Pick<Ports, 'profiles'>) =>
  async (authority: AdminAuthority, group: GroupId, asked: readonly string[]): Promise<readonly AddOutcome[]> => {
    const ids = await idsOf(ports, asked);
    const now = ports.clock.now();
    const known = [...new Set(ids.filter((id) => id !== null))];
    let added: ReadonlySet<ProfileId> = new Set();
    let existing: ReadonlySet<ProfileId> = new Set();
    await ports.groups.updateMembers(group, known, now, (found, states) => {
      const joins = states.filter((state) => refusalOf(addingRules, state) === null);
      added = new Set(joins.map(({ id }) => id));
      existing = new Set(states.filter(({ profile }) => profile).map(({ id }) => id));
      return joining(ports, authority, now, found, joins);
    });
    const said = new Set<ProfileId>();
    return asked.map((text, at) => {
      const id = ids[at] ?? null;
      if (id === null || !existing.has(id)) return { asked: text, profile: null, result: 'not_found' };
      const isNew = added.has(id) && !said.has(id);
      said.add(id);
      return { asked: text, profile: id, result: isNew ? 'added' : 'already' };
    });
  };

/** The members, by e-mail; throws `group_not_found`. */
export const listMembers =
  ({ groups }: Pick<Ports, 'groups'>) =>
  async (_authority: AdminAuthority, group: GroupId): Promise<readonly GroupMember[]> => {
    const members = await groups.members(group);
    if (!members) throw new PorticoError('group_not_found');
    return members;
  };

/** The groups of a profile, by name, and how it came to each; throws `user_not_found`. */
export const listProfileGroups =
  ({ groups, profiles }: Pick<Ports, 'groups' | 'profiles'>) =>
  async (_authority: AdminAuthority, profile: ProfileId): Promise<readonly (Group & Membership)[]> => {
    if (!(await profiles.find(profile))) throw new PorticoError('user_not_found');
    return groups.groupsOf(profile);
  };

const enforced = (rules: readonly MemberRule[], state: MemberState | undefined) => {
  if (!state) throw new Error('The state of the member is missing.');
  const refusal = refusalOf(rules, state);
  if (refusal) throw new PorticoError(refusal);
  if (!state.profile) throw new PorticoError('user_not_found');
  return state.profile;
};

const joining = (
  ports: Needs,
  { actor, deadline }: AdminAuthority,
  now: Instant,
  group: Group,
  joins: readonly MemberState[],
): MembersChange => ({
  add: joins.map(({ id }) => ({ id, addedAt: now })),
  ...closedByGrant(
    ports,
    joins.flatMap(({ requests }) => requests),
    now,
  ),
  entries: joins.flatMap(({ profile }) =>
    profile ? [systemEntry(ports, actor, { action: 'group.join', ...ofGroup(group), ...ofProfile(profile) })] : [],
  ),
  deadline,
});

/** Returns the profile that each text names by id or e-mail; null for none. Whether an id exists is not looked up. */
const idsOf = async (
  ports: Pick<Ports, 'profiles'>,
  asked: readonly string[],
): Promise<readonly (ProfileId | null)[]> => {
  const found = await profilesByEmail(ports, new Set(asked.filter((text) => parseId(text) === null).map(emailOf)));
  return asked.map((text) => parseId<ProfileId>(text) ?? found.get(emailOf(text)) ?? null);
};

const emailOf = (text: string): string => text.trim();
