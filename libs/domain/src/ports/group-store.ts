import type {
  Group,
  GroupClaims,
  GroupCollection,
  GroupMember,
  GroupPage,
  ListedGroup,
  Membership,
} from '../groups/group.ts';
import type { GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest } from '../requests/access-request.ts';
import type { Effects } from './effects.ts';

/** The facts for a decision about a member. */
export interface MemberState extends Membership {
  readonly id: ProfileId;
  /** Null if there is no such profile. */
  readonly profile: Profile | null;
  /** The profile's pending requests for collections that the group has at that moment. */
  readonly requests: readonly AccessRequest[];
}

export interface MembersChange extends Effects {
  readonly add?: readonly (Pick<MemberState, 'id'> & { readonly addedAt: Instant })[];
  /** Ends what an administrator did; a claim stays. */
  readonly remove?: readonly ProfileId[];
  /** Requests of the states, changed. */
  readonly requests?: readonly AccessRequest[];
}

export interface GroupChange extends Effects {
  readonly group: Group;
  /** Requests that the decision got, changed. */
  readonly requests?: readonly AccessRequest[];
}

/** Which name a group is to have, and when. */
export interface Renaming {
  readonly name: string;
  readonly now: Instant;
}

/** Groups and their members. Every `decide` is synchronous and pure, and may run more than once. */
export interface GroupStore {
  /**
   * Throws `group_taken` if the name is taken, and `tier_not_found` for a tier that does not exist; nothing is written
   * then. Of concurrent additions of one name, exactly one succeeds. The groups epoch grows.
   */
  add(group: Group, effects: Effects): Promise<void>;

  /**
   * The groups by name (code points), all or a page of them, each with how many members it has, and collections at that
   * moment. A part of a name is compared without regard to case, in any script.
   */
  list(now: Instant, page?: GroupPage): Promise<readonly ListedGroup[]>;

  /** How many groups have a name that contains the text; null for all. */
  count(containing: string | null): Promise<number>;

  /** The same of one group; null if there is none. */
  find(id: GroupId, now: Instant): Promise<ListedGroup | null>;

  /** The groups with exactly these names. */
  findByNames(names: readonly string[]): Promise<readonly Group[]>;

  /**
   * Loads, decides and stores in one transaction. Throws `group_not_found`, `group_taken` for a name that another has,
   * and `tier_not_found` for a new tier that does not exist. The groups epoch grows. Returns what was stored. For a
   * renaming `decide` gets the pending requests, for what the group has at that moment, of those whose tokens name the
   * new name.
   */
  update(
    id: GroupId,
    decide: (group: Group, requests: readonly AccessRequest[]) => GroupChange,
    renaming?: Renaming | null,
  ): Promise<Group>;

  /** Removes the group with its members and grants, in one transaction. Throws `group_not_found`. The groups epoch grows. */
  remove(id: GroupId, decide: (group: Group) => Effects): Promise<void>;

  /** The members, by hand or by claim, by e-mail; null if there is no such group. */
  members(id: GroupId): Promise<readonly GroupMember[] | null>;

  /** The collections that the group has at a moment, by name as lists are; null if there is no such group. */
  collectionsOf(id: GroupId, now: Instant): Promise<readonly GroupCollection[] | null>;

  /** The groups of a profile, by name, and how it came to each. */
  groupsOf(profile: ProfileId): Promise<readonly (Group & Membership)[]>;

  /**
   * Loads the state of each profile, in their order, decides and stores in one transaction. Throws `group_not_found`.
   * Once the promise is fulfilled, every read anywhere sees the change. The grants epoch of each changed profile grows.
   */
  updateMembers(
    id: GroupId,
    profiles: readonly ProfileId[],
    now: Instant,
    decide: (group: Group, states: readonly MemberState[]) => MembersChange,
  ): Promise<void>;

  /**
   * Stores what a newer token of the profile said, unless one issued later has been stored; nothing happens if the
   * profile is gone. `decide` gets what was stored and the pending requests for what the claimed groups
   * have at that moment. The grants epoch of the profile grows if the names differ.
   */
  followClaims(
    profile: ProfileId,
    claims: GroupClaims,
    decide: (
      before: GroupClaims | null,
      requests: readonly AccessRequest[],
    ) => Effects & { readonly requests?: readonly AccessRequest[] },
  ): Promise<void>;

  /**
   * Removes what tokens said of all profiles, for a service that no longer looks at them. The grants epoch of each grows.
   * Returns how many had any.
   */
  forgetClaims(): Promise<number>;
}
