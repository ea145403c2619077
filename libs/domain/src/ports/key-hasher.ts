import type { Deadline } from '../deadline.ts';

/** Protects API secrets at rest. If too many callers are waiting for a hash, throws `internal` for the latest ones. */
export interface KeyHasher {
  /**
   * Returns a salted argon2id hash in PHC string format, different on every call. Throws `timed_out` once the deadline
   * has expired.
   */
  hash(secret: string, deadline: Deadline | null): Promise<string>;
  /** Whether the hash was created from this secret. A match is cached, so checking it again needs no second hash. */
  matches(secret: string, hash: string): Promise<boolean>;
  /**
   * Returns a keyed, unsigned 32-bit digest. It is cheap, so a wrong secret is detected before any hash is computed.
   */
  tag(secret: string): number;
}
