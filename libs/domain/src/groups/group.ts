import type { GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Profiles that share grants and a tier: a grant of the group is a grant of each member. */
export interface Group {
  readonly id: GroupId;
  /** Unique and case-sensitive: it is compared with the identity provider's group names. */
  readonly name: string;
  readonly description: string;
  /** The rate-limit tier of members without their own active one; null for none. */
  readonly tier: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A group with the number of its members, and the number of its collections at the time of reading. */
export interface ListedGroup extends Group {
  readonly members: number;
  readonly collections: number;
}

/** Selects a page of groups; null for all. */
export interface GroupPage {
  /** Part of the name, ignoring case. */
  readonly containing: string | null;
  readonly limit: number | null;
  /** The name of the last group of the previous page. */
  readonly after: string | null;
}

export const allGroups: GroupPage = { containing: null, limit: null, after: null };

/** The groups in a verified identity token (`IDENTITY_GROUPS_CLAIM`): only the profile's newest token counts. */
export interface GroupClaims {
  /** Sorted by code points, without duplicates. Most of them do not exist as groups here. */
  readonly names: readonly string[];
  /** When the token was issued (`iat`). */
  readonly issuedAt: Instant;
  /** When it was first presented. */
  readonly seenAt: Instant;
}

/** A membership: added by an administrator, by the claim in the member's token, or both. */
export interface Membership {
  /** Null if no administrator added the member. */
  readonly addedAt: Instant | null;
  /** When the token that claims the group was presented; null if there is none. */
  readonly claimedAt: Instant | null;
}

export interface GroupMember extends Membership {
  readonly profileId: ProfileId;
  readonly email: string;
  readonly fullName: string;
}

// In characters (Unicode code points), after trimming.
export const groupNameMax = 200;
export const groupDescriptionMax = 1_000;
