import type { OperationRule } from '../access/operation-rule.ts';
import type { LifecycleState } from '../collections/lifecycle.ts';
import type { Group } from '../groups/group.ts';
import type { CollectionId, GroupId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessRequest } from '../requests/access-request.ts';

/** A right to use a collection. */
export interface Grant {
  readonly grantedAt: Instant;
  /** When the grant becomes invalid; null if it has no expiry. */
  readonly expiresAt: Instant | null;
  /** Which operations may be called; null for a grant without restrictions. */
  readonly rule: OperationRule | null;
}

export const isLive = ({ expiresAt }: Pick<Grant, 'expiresAt'>, now: Instant): boolean =>
  expiresAt === null || now < expiresAt;

/** The holder of a grant. */
export type Grantee =
  { readonly kind: 'profile'; readonly id: ProfileId } | { readonly kind: 'group'; readonly id: GroupId };

export interface Pair {
  readonly grantee: Grantee;
  readonly collection: CollectionId;
}

export const toClientPair = (client: ProfileId, collection: CollectionId): Pair => ({
  grantee: { kind: 'profile', id: client },
  collection,
});

export const toGroupPair = (group: GroupId, collection: CollectionId): Pair => ({
  grantee: { kind: 'group', id: group },
  collection,
});

/** The data for a decision about one pair. */
export interface GrantState extends Pair {
  /** The profile, which may be an admin's; null if there is none, or if the grantee is a group. */
  readonly client: Profile | null;
  /** The group; null if there is none, or if the grantee is a profile. */
  readonly group: Group | null;
  /** The collection's name, or null if there is no such collection. */
  readonly collectionName: string | null;
  /** Null if there is no such collection. */
  readonly lifecycle: LifecycleState | null;
  /** The pair's own grant, even an expired one; null if there is none. */
  readonly grant: Grant | null;
  /** The pending requests for the collection, by the profile or by the group's members. */
  readonly requests: readonly AccessRequest[];
}

export type GrantErrorCode =
  | 'client_not_found'
  | 'group_not_found'
  | 'collection_not_found'
  | 'already_granted'
  | 'collection_retired'
  | 'grant_not_found';

export type GrantRule = (state: GrantState, now: Instant) => GrantErrorCode | null;

// The rules for granting and revoking, in the order they are checked; each returns its error code.
const granteeExists: GrantRule = ({ grantee, client, group }) => {
  if (grantee.kind === 'group') return group ? null : 'group_not_found';
  return client?.role === 'client' ? null : 'client_not_found';
};

const collectionExists: GrantRule = ({ collectionName }) => (collectionName === null ? 'collection_not_found' : null);

const hasLiveGrant = ({ grant }: GrantState, now: Instant): boolean => grant !== null && isLive(grant, now);

const isNotYetGranted: GrantRule = (state, now) => (hasLiveGrant(state, now) ? 'already_granted' : null);

const isGranted: GrantRule = (state, now) => (hasLiveGrant(state, now) ? null : 'grant_not_found');

/** A grant that a retired collection already has remains, and may be changed and revoked. */
const isNotRetired: GrantRule = ({ lifecycle }) => (lifecycle === 'retired' ? 'collection_retired' : null);

export const grantingRules = [granteeExists, collectionExists, isNotYetGranted, isNotRetired];

/** Also used for changing a grant. */
export const revokingRules = [granteeExists, collectionExists, isGranted];

/** One of the ways in which a client has access to a collection: its own grant, or a group's. */
export interface AccessGrant extends Grant {
  /** Null for the client's own grant. */
  readonly group: Pick<Group, 'id' | 'name'> | null;
}

export interface CollectionAccess {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** The client's own grant first, then its groups' grants, sorted by name; empty if the client has no access. */
  readonly grants: readonly AccessGrant[];
}

export interface ClientAccess {
  readonly profile: Profile;
  /** The ways in which the client has access, in the same order as in `CollectionAccess`. */
  readonly grants: readonly [AccessGrant, ...AccessGrant[]];
}

/** A collection that a group has access to, and the group's grant. */
export interface GroupCollection extends Grant {
  readonly id: CollectionId;
  readonly name: string;
}
