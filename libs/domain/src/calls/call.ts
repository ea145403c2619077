import type { CallId } from '../ids.ts';
import type { CallResponse } from './call-response.ts';
import type { PendingCall } from './pending-call.ts';

/** How an operation is called. */
export interface CallInput {
  /** A JSON object, as text, so that all digits of its numbers are kept. */
  readonly argumentsText: string;
  readonly timeoutMs: number;
  /** The maximum length of the decoded body of the response, in bytes. */
  readonly bodyBytesMax: number;
  /** Passed to the API; null for none. */
  readonly idempotencyKey: string | null;
  /** The id of a call that waited for a decision, and is repeated now; null for a new call. */
  readonly callId: CallId | null;
}

export interface CallResult extends CallResponse {
  readonly callId: CallId;
  readonly durationMs: number;
}

/** `waiting`: the call is held until an administrator decides. */
export type CallAnswer =
  | { readonly outcome: 'response'; readonly result: CallResult }
  | { readonly outcome: 'waiting'; readonly call: PendingCall };

/** The limits of a call's timeout, in milliseconds (extensions, section 7). */
export const callTimeoutMs = { min: 100, max: 60_000, default: 30_000 } as const;

/** The maximum length of a call's body, in bytes. */
export const callBodyBytesMax = 1_048_576;

/** The maximum length of the decoded body of a response, in bytes. */
export const callResponseBytesMax = 10_485_760;
