/**
 * Keeps what is dear to make and never changes, for at most 7 days and in at most 64 MB. What is kept may be gone at any
 * time. Never fails: what cannot be read is missing, and what cannot be written is not kept.
 */
export interface Cache {
  /** The value that was put under that key, byte for byte, or null. */
  get(key: string): Promise<Uint8Array | null>;
  /** Replaces what is kept under that key. Keeps no more than `cachedBytesMax`. */
  put(key: string, value: Uint8Array): Promise<void>;
}

/** The longest value that is kept: a vector, with room for what describes it. */
export const cachedBytesMax = 3_500;

/** How long a value is kept: 7 days. */
export const cachedMs = 604_800_000;

/** How many are kept at most, so that they take 64 MB with their keys. */
export const cachedMax = 16_384;
