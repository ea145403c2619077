import type { CollectionId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';

export type GrantRule = (
  state: GrantState,
) => 'client_not_found' | 'collection_not_found' | 'already_granted' | 'grant_not_found' | null;

// The rules for granting and revoking, in the order in which they are checked; each names its refusal.
const clientExists: GrantRule = ({ client }) => (client?.role === 'client' ? null : 'client_not_found');

const collectionExists: GrantRule = ({ collectionName }) => (collectionName === null ? 'collection_not_found' : null);

const notYetGranted: GrantRule = ({ grantedAt }) => (grantedAt === null ? null : 'already_granted');

const isGranted: GrantRule = ({ grantedAt }) => (grantedAt === null ? 'grant_not_found' : null);

export const grantingRules = [clientExists, collectionExists, notYetGranted];

export const revokingRules = [clientExists, collectionExists, isGranted];

/** The facts for a decision about one pair. */
export interface GrantState {
  /** The profile, which may be an admin's; null if there is none. */
  readonly client: Profile | null;
  /** The collection's name, or null if there is no such collection. */
  readonly collectionName: string | null;
  /** Null if there is no grant. */
  readonly grantedAt: Instant | null;
}

export interface CollectionAccess {
  readonly id: CollectionId;
  readonly name: string;
  readonly description: string;
  /** Null if the client has no grant for it. */
  readonly grantedAt: Instant | null;
}

export interface ClientAccess {
  readonly profile: Profile;
  readonly grantedAt: Instant;
}
