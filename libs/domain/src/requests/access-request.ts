import type { CollectionId, ProfileId, RequestId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** `granted`: access was granted without a decision about the request, which closed the request. */
export type RequestStatus = 'pending' | 'approved' | 'denied' | 'withdrawn' | 'granted';

/** A client's request for access to a collection. A pair has at most one pending request. */
export interface AccessRequest {
  readonly id: RequestId;
  readonly profileId: ProfileId;
  readonly collectionId: CollectionId;
  readonly reason: string;
  /** The requested duration of the access; null for no expiry. */
  readonly durationDays: number | null;
  readonly status: RequestStatus;
  readonly createdAt: Instant;
  /** When the request left `pending`; null until then. */
  readonly decidedAt: Instant | null;
  /** The administrator's reason for a denial; null if none was given. */
  readonly answer: string | null;
}

/** A pending request, as listed in a notice. */
export interface PendingRequest extends Pick<AccessRequest, 'id' | 'reason' | 'durationDays' | 'createdAt'> {
  /** The email of the requesting profile. */
  readonly email: string;
  /** The collection's name. */
  readonly collection: string;
}

export interface PendingRequests {
  readonly total: number;
  readonly newest: readonly PendingRequest[];
}
/** A request with the current names of its profile and collection. */
export interface ListedRequest extends AccessRequest {
  readonly email: string;
  readonly fullName: string;
  readonly collectionName: string;
  /** Whether the collection is discoverable now. */
  readonly discoverable: boolean;
}

/** All conditions that are not null must hold. */
export interface RequestFilter {
  readonly status: RequestStatus | null;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
  /** Only requests for collections that this profile owns. */
  readonly ownedBy?: {
    readonly profileId: ProfileId;
    /** Whether its own requests, for any collection, are included, or excluded also if it owns the collection. */
    readonly own: 'included' | 'excluded';
  } | null;
}

// In characters (Unicode code points), after trimming.
export const requestReasonMax = 1_000;
export const requestAnswerMax = 1_000;

export const durationDaysMax = 3_650;

/** The maximum number of pending requests per profile. */
export const pendingRequestsMax = 100;
