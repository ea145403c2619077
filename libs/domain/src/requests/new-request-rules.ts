import type { LifecycleState } from '../collections/lifecycle.ts';
import type { CollectionId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import { isSuspended } from '../profiles/suspension-machine.ts';
import { pendingRequestsMax } from './access-request.ts';

/** The data for a decision about a new access request. */
export interface NewRequestState {
  /** The requester; null if the profile no longer exists. */
  readonly profile: Profile | null;
  /** The requested collection; null if there is none. */
  readonly collection: {
    readonly id: CollectionId;
    readonly name: string;
    readonly discoverable: boolean;
    readonly lifecycle: LifecycleState;
  } | null;
  /** Whether the profile has access to the collection at that time, through its own grant or a group's. */
  readonly hasGrant: boolean;
  /** Whether a request for the pair is pending. */
  readonly hasPendingRequest: boolean;
  /** The number of the profile's pending requests. */
  readonly pendingCount: number;
}

export type NewRequestErrorCode =
  | 'invalid_token'
  | 'approval_required'
  | 'needs_no_grant'
  | 'collection_not_found'
  | 'already_granted'
  | 'collection_retired'
  | 'already_requested'
  | 'too_many_pending';

export type NewRequestRule = (state: NewRequestState) => NewRequestErrorCode | null;

const requesterIsActive: NewRequestRule = ({ profile }) => (profile && !isSuspended(profile) ? null : 'invalid_token');

const requesterIsApproved: NewRequestRule = ({ profile }) =>
  profile?.status === 'approved' ? null : 'approval_required';

const requesterIsClient: NewRequestRule = ({ profile }) => (profile?.role === 'admin' ? 'needs_no_grant' : null);

/** A collection that the requester cannot see in the catalog is treated as nonexistent. */
const collectionIsVisible: NewRequestRule = ({ collection, hasGrant }) =>
  collection && (collection.discoverable || hasGrant) ? null : 'collection_not_found';

const isNotYetGranted: NewRequestRule = ({ hasGrant }) => (hasGrant ? 'already_granted' : null);

const isNotRetired: NewRequestRule = ({ collection }) =>
  collection?.lifecycle === 'retired' ? 'collection_retired' : null;

const isNotYetRequested: NewRequestRule = ({ hasPendingRequest }) => (hasPendingRequest ? 'already_requested' : null);

const isBelowPendingMax: NewRequestRule = ({ pendingCount }) =>
  pendingCount < pendingRequestsMax ? null : 'too_many_pending';

/** The rules for new requests, in the order they are checked; each returns its error code. */
export const newRequestRules = [
  requesterIsActive,
  requesterIsApproved,
  requesterIsClient,
  collectionIsVisible,
  isNotYetGranted,
  isNotRetired,
  isNotYetRequested,
  isBelowPendingMax,
];
