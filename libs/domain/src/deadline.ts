/**
 * The time limit of a request's work. A request that is answered by an error has changed nothing (specification,
 * section 1), so a change begins its commit in time or does not happen.
 */
export interface Deadline {
  /** Whether the time ran out before a commit began. From then on nothing is changed for the request. */
  readonly expired: boolean;

  /**
   * Must be the last step before a change is committed. Throws `timed_out` if the time is over. Otherwise the answer
   * waits for the outcome, and the deadline never expires.
   */
  beginCommit(): void;

  /** Calls back once when it expires, or at once if it has expired. Returns a function that removes the callback. */
  onExpired(callback: () => void): () => void;
}
