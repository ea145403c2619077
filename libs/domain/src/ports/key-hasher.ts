import type { Deadline } from '../deadline.ts';

/** Guards API secrets at rest. Where more callers wait for a hash than can be served, the last ones get `internal`. */
export interface KeyHasher {
  /** A salted argon2id hash in PHC string format, different at every call. Throws `timed_out` once the deadline has expired. */
  hash(secret: string, deadline: Deadline | null): Promise<string>;
  /** Whether the secret made this hash. What was found true once is remembered and costs no second hash. */
  matches(secret: string, hash: string): Promise<boolean>;
  /** A keyed 32-bit digest (unsigned): cheap, so that a wrong secret is told before any hash is made. */
  tag(secret: string): number;
}
