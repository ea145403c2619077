/** Randomness, from a cryptographically secure source. */
export interface RandomSource {
  /** Returns a new random UUID (version 4), in lower case. */
  uuid(): string;
  /** Returns `count` random bytes. */
  bytes(count: number): Uint8Array;
}
