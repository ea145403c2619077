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
