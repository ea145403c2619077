import type { CollectionId, ProfileId, RequestId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** `granted`: somebody granted the access without deciding the request, which closed it. */
export type RequestStatus = 'pending' | 'approved' | 'denied' | 'withdrawn' | 'granted';

/** A client asks for a collection. A pair has at most one pending request. */
export interface AccessRequest {
  readonly id: RequestId;
  readonly profileId: ProfileId;
  readonly collectionId: CollectionId;
  readonly reason: string;
  /** How long the access is wished for; null for no end. */
  readonly durationDays: number | null;
  readonly status: RequestStatus;
  readonly createdAt: Instant;
  /** When it left `pending`; null until then. */
  readonly decidedAt: Instant | null;
  /** What the administrator wrote to a denial; null if nothing. */
  readonly answer: string | null;
}

/** A pending request as a notice names it. */
export interface WaitingRequest extends Pick<AccessRequest, 'id' | 'reason' | 'durationDays' | 'createdAt'> {
  /** Of the profile that asks. */
  readonly email: string;
  /** The collection's name. */
  readonly collection: string;
}

export interface PendingRequests {
  readonly total: number;
  readonly newest: readonly WaitingRequest[];
}
/** A request with the present names of its objects. */
export interface ListedRequest extends AccessRequest {
  readonly email: string;
  readonly fullName: string;
  readonly collectionName: string;
  /** Whether the collection is discoverable now. */
  readonly discoverable: boolean;
}

/** All given conditions must hold. */
export interface RequestFilter {
  readonly status: RequestStatus | null;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
}

// In characters (Unicode code points), once trimmed.
export const requestReasonMax = 1_000;
export const requestAnswerMax = 1_000;

export const durationDaysMax = 3_650;

/** How many requests of one profile may wait. */
export const pendingRequestsMax = 100;
