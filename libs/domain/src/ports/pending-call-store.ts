import type { CallerState } from '../calls/approval-rules.ts';
import type { CallFilter, ListedCall, SealedCall } from '../calls/pending-call.ts';
import type { CallId, CollectionId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Effects } from './effects.ts';
import type { SealedArguments } from './sealed-store.ts';

/** A call with its arguments and the current names of its caller and collection. */
export type StoredCall = SealedCall & ListedCall;

/** The data for a decision about a new call. */
export interface NewCallState {
  /** The caller; null if the profile no longer exists. */
  readonly profile: Profile | null;
  /** The collection's name; null if the collection no longer exists. */
  readonly collectionName: string | null;
  /** The caller's calls that wait at that time, oldest first. */
  readonly waitingCalls: readonly SealedCall[];
}

/** The data for a decision about a call. */
export interface CallState extends CallerState {
  readonly call: StoredCall;
}

export interface CallChange extends Effects {
  /** The same call with a new status, expiry, decision and sealed arguments; nothing else changes. */
  readonly call: SealedCall;
}

export interface CallPage {
  readonly limit: number;
  readonly order: 'oldest first' | 'newest first';
  /** The last call of the previous page; null for the first page. */
  readonly after: { readonly requestedAt: Instant; readonly id: CallId } | null;
}

/**
 * Calls that need a decision. Every `decide` is synchronous and pure, and may run more than once; if it returns null or
 * throws, nothing is written.
 */
export interface PendingCallStore {
  /**
   * Loads the state of the caller at `now`, decides and adds the call in one transaction. Of several concurrent calls by
   * one caller, each sees those added before it.
   */
  create(
    caller: ProfileId,
    collection: CollectionId,
    now: Instant,
    decide: (state: NewCallState) => (Effects & { readonly call: SealedCall }) | null,
  ): Promise<void>;

  /** Returns the call with that id, or null. A call is removed with its profile or its collection. */
  find(id: CallId): Promise<StoredCall | null>;

  /** Returns the number of calls that wait at `now`. */
  countWaiting(now: Instant): Promise<number>;

  /** Returns one page of the calls that match the filter at `now`, sorted by the time of the request, then by id. */
  list(filter: CallFilter, now: Instant, page: CallPage): Promise<readonly ListedCall[]>;

  /**
   * Loads the call and its caller's access at `now`, decides and stores in one transaction. Throws `call_not_found`.
   * Exactly one of several concurrent calls sees the call with the status that it changes.
   */
  decide(id: CallId, now: Instant, decide: (state: CallState) => CallChange | null): Promise<void>;

  /**
   * Stores the expiry of at most `limit` calls that have expired at `now`, and deletes their arguments. Returns their
   * number.
   */
  expire(now: Instant, limit: number): Promise<number>;

  /** Removes at most `limit` calls that were requested before; returns their number. */
  prune(before: Instant, limit: number): Promise<number>;

  /** Returns the calls that still have arguments, in any order. */
  listSealed(): Promise<readonly SealedArguments[]>;
}
