import type { CollectionId, GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Profiles that share grants and a tier: a grant of the group is a grant of each member. */
export interface Group {
  readonly id: GroupId;
  /** Unique, exactly as written: the identity provider's names of groups are compared with it. */
  readonly name: string;
  readonly description: string;
  /** The rate-limit tier of members without an active one of their own; null for none. */
  readonly tier: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A group with how many members it has, and how many collections at the moment of the read. */
export interface ListedGroup extends Group {
  readonly members: number;
  readonly collections: number;
}

/** Which groups, and how many of them; null for all. */
export interface GroupPage {
  /** Part of the name, whatever the case. */
  readonly containing: string | null;
  readonly limit: number | null;
  /** The name of the last group of the page before. */
  readonly after: string | null;
}

export const everyGroup: GroupPage = { containing: null, limit: null, after: null };

/** Which groups a verified identity token named (`IDENTITY_GROUPS_CLAIM`): the newest one of the profile counts. */
export interface GroupClaims {
  /** Sorted by code points, each once. Most name no group of the catalog. */
  readonly names: readonly string[];
  /** When the token was issued (`iat`). */
  readonly issuedAt: Instant;
  /** When it was first presented. */
  readonly seenAt: Instant;
}

/** A member: put into the group by an administrator, by the claim of its token, or both. */
export interface Membership {
  /** Null if no administrator has. */
  readonly addedAt: Instant | null;
  /** When the token was presented that names the group; null if none does. */
  readonly claimedAt: Instant | null;
}

export interface GroupMember extends Membership {
  readonly profileId: ProfileId;
  readonly email: string;
  readonly fullName: string;
}

/** A collection that a group has, and until when. */
export interface GroupCollection {
  readonly id: CollectionId;
  readonly name: string;
  readonly grantedAt: Instant;
  /** Null for no end. */
  readonly expiresAt: Instant | null;
}

// In characters (Unicode code points), once trimmed.
export const groupNameMax = 200;
export const groupDescriptionMax = 1_000;
