import type { CallId } from '../ids.ts';
import type { CallResponse } from './call-response.ts';

/** How an operation is called. */
export interface CallInput {
  /** A JSON object, as text, so that all digits of its numbers are kept. */
  readonly argumentsText: string;
  readonly timeoutMs: number;
  /** The maximum length of the decoded body of the response, in bytes. */
  readonly bodyBytesMax: number;
  /** Passed to the API; null for none. */
  readonly idempotencyKey: string | null;
}

export interface CallResult extends CallResponse {
  readonly callId: CallId;
  readonly durationMs: number;
}

/** The limits of a call's timeout, in milliseconds (extensions, section 7). */
export const callTimeoutMs = { min: 100, max: 60_000, default: 30_000 } as const;

/** The maximum length of a call's body, in bytes. */
export const callBodyBytesMax = 1_048_576;

/** The maximum length of the decoded body of a response, in bytes. */
export const callResponseBytesMax = 10_485_760;
