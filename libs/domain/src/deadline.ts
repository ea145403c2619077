/**
 * The deadline of a request. A request that fails has changed nothing (specification, section 1), so a change begins
 * its commit in time or does not happen.
 */
export interface Deadline {
  /** Whether the deadline passed before a commit began. From then on, the request changes nothing. */
  readonly hasExpired: boolean;

  /**
   * Must be the last step before a change is committed. Throws `timed_out` if the deadline has passed. Otherwise the
   * response waits for the outcome, and the deadline never expires.
   */
  beginCommit(): void;

  /**
   * Calls `callback` once when the deadline expires, or immediately if it has expired. Returns a function that removes
   * the callback.
   */
  onExpired(callback: () => void): () => void;

  /** Stops the clock while the request waits for something that has a timeout of its own. */
  suspend(): void;

  /** Restarts the clock with the full duration. */
  restart(): void;
}
