import type { CallId, CollectionId, OperationKey, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** `expired`: the call was not decided in time, or an approved call was not repeated in time. */
export type CallStatus = 'waiting' | 'approved' | 'denied' | 'expired' | 'done';

/** A call that an administrator has to approve before its caller may make it (extensions, section 7). */
export interface PendingCall {
  readonly id: CallId;
  /** The caller. */
  readonly profileId: ProfileId;
  readonly collectionId: CollectionId;
  readonly operationKey: OperationKey;
  /** The operation's method and path at the time of the request. */
  readonly method: string;
  readonly path: string;
  /** The stored status; `statusAt` returns the status at a time. */
  readonly status: CallStatus;
  readonly requestedAt: Instant;
  /** When a waiting or approved call expires; for any other, when it would have expired. */
  readonly expiresAt: Instant;
  /** When the call was approved or denied; null if it was not. */
  readonly decidedAt: Instant | null;
  /** The administrator who decided, who may have been removed since; null for the operator's command line. */
  readonly decidedBy: ProfileId | null;
  /** The administrator's reason for a denial; null if none was given. */
  readonly reason: string | null;
}

/** A call with its arguments. */
export interface SealedCall extends PendingCall {
  /** The `CallContent`, sealed by the `Cipher` for this call alone; null once a decision or an expiry deleted it. */
  readonly sealed: string | null;
}

/** The content of a call besides its operation. */
export interface CallContent {
  /** The text of a JSON object, as the caller sent it. */
  readonly argumentsText: string;
  readonly idempotencyKey: string | null;
}

/** A call with the current names of its caller and collection. */
export interface ListedCall extends PendingCall {
  readonly email: string;
  readonly collectionName: string;
}

export interface WaitingCalls {
  readonly total: number;
  readonly newest: readonly ListedCall[];
}

/** All conditions that are not null must hold. */
export interface CallFilter {
  /** The status at the time of the read. */
  readonly status: CallStatus | null;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
}

/** The time for a decision, and, after an approval, for the repeated call. */
export const callLifetimeMs = 3_600_000;

/** The maximum number of waiting calls per profile. */
export const waitingCallsMax = 20;

/** Calls are removed this many days after they were requested. */
export const callRetentionDays = 30;

/** In characters (Unicode code points), after trimming. */
export const callReasonMax = 1_000;
