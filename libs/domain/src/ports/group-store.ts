import type { GroupCollection } from '../grants/grant.ts';
import type { Group, GroupClaims, GroupMember, GroupPage, ListedGroup, Membership } from '../groups/group.ts';
import type { GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest } from '../requests/access-request.ts';
import type { Effects } from './effects.ts';

/** The data for a decision about a group member. */
export interface MemberState extends Membership {
  readonly id: ProfileId;
  /** The profile; null if it does not exist. */
  readonly profile: Profile | null;
  /** The profile's pending requests for collections that the group has access to at that time. */
  readonly requests: readonly AccessRequest[];
}

export interface MembersChange extends Effects {
  readonly add?: readonly (Pick<MemberState, 'id'> & { readonly addedAt: Instant })[];
  /** Removes memberships that an administrator added; memberships by claim remain. */
  readonly remove?: readonly ProfileId[];
  /** Changed requests, out of those in the states. */
  readonly requests?: readonly AccessRequest[];
}

export interface GroupChange extends Effects {
  readonly group: Group;
  /** Changed requests, out of those that `decide` received. */
  readonly requests?: readonly AccessRequest[];
}

/** The new name of a group, and the time of the change. */
export interface GroupRename {
  readonly name: string;
  readonly now: Instant;
}

/** Groups and their members. Every `decide` is synchronous and pure, and may run more than once. */
export interface GroupStore {
  /**
   * Adds a group. Throws `group_taken` if the name is taken, and `tier_not_found` for a tier that does not exist; in
   * both cases, nothing is written. Exactly one of several concurrent additions of the same name succeeds. The groups
   * epoch increases.
   */
  add(group: Group, effects: Effects): Promise<void>;

  /**
   * Returns all groups or one page of them, sorted by name (code points), each with the number of its members and of
   * its collections at that time. Names are searched ignoring case, in any script.
   */
  list(now: Instant, page?: GroupPage): Promise<readonly ListedGroup[]>;

  /** Returns the number of groups whose name contains the text, or of all groups if it is null. */
  count(containing: string | null): Promise<number>;

  /** Returns one group, as `list` does; null if there is none. */
  find(id: GroupId, now: Instant): Promise<ListedGroup | null>;

  /** Returns the groups with exactly these names. */
  findByNames(names: readonly string[]): Promise<readonly Group[]>;

  /**
   * Loads, decides and stores in one transaction. Throws `group_not_found`, `group_taken` for the name of another
   * group, and `tier_not_found` for a new tier that does not exist. The groups epoch increases. Returns the stored
   * group. For a rename, `decide` gets the pending requests of the profiles whose tokens contain the new name, for
   * collections that the group has access to at that time.
   */
  update(
    id: GroupId,
    decide: (group: Group, requests: readonly AccessRequest[]) => GroupChange,
    rename?: GroupRename | null,
  ): Promise<Group>;

  /**
   * Removes the group with its members and grants, in one transaction. The collections that it owned have no owner from
   * then on. Throws `group_not_found`. The groups epoch increases.
   */
  remove(id: GroupId, decide: (group: Group) => Effects): Promise<void>;

  /** Returns the members, whether manual or by claim, sorted by email; null if there is no such group. */
  listMembers(id: GroupId): Promise<readonly GroupMember[] | null>;

  /**
   * Returns the collections that the group has access to at that time, with its grants, sorted by name as lists are;
   * null if there is no such group.
   */
  listCollections(id: GroupId, now: Instant): Promise<readonly GroupCollection[] | null>;

  /** Returns the groups of a profile, sorted by name, and how it became a member of each. */
  listByProfile(profile: ProfileId): Promise<readonly (Group & Membership)[]>;

  /**
   * Loads the state of each profile, in the given order, decides and stores in one transaction. Throws
   * `group_not_found`. Once the promise is fulfilled, every read anywhere sees the change. The grants epoch of each
   * changed profile increases.
   */
  updateMembers(
    id: GroupId,
    profiles: readonly ProfileId[],
    now: Instant,
    decide: (group: Group, states: readonly MemberState[]) => MembersChange,
  ): Promise<void>;

  /**
   * Stores the group claims of the profile's newer token, unless claims issued later are stored; does nothing if the
   * profile no longer exists. `decide` gets the claims stored before, and the pending requests for collections that the
   * claimed groups have access to at that time. The profile's grants epoch increases if the names differ.
   */
  syncClaims(
    profile: ProfileId,
    claims: GroupClaims,
    decide: (
      storedClaims: GroupClaims | null,
      requests: readonly AccessRequest[],
    ) => Effects & { readonly requests?: readonly AccessRequest[] },
  ): Promise<void>;

  /**
   * Removes the group claims of all profiles, for a service that no longer uses them. The grants epoch of each of these
   * profiles increases. Returns the number of profiles that had claims.
   */
  clearClaims(): Promise<number>;
}
