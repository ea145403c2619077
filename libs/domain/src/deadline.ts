/**
 * When the work of a request is no longer waited for. A request that is answered by an error has changed nothing
 * (specification, section 1), so a change either begins to be committed in time, or not at all.
 */
export interface Deadline {
  /** Whether the time was over before a commit began. From then on nothing is changed for the request. */
  readonly expired: boolean;

  /**
   * To be called as the last thing before a change is committed. Throws `timed_out` where the time is over; else the answer waits
   * for the outcome from here on, and the deadline never expires.
   */
  beginCommit(): void;

  /** Calls back once when it expires, at once where it has. Returns how to take the callback back. */
  onExpired(callback: () => void): () => void;
}
