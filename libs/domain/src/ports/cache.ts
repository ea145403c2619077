/**
 * Caches values that are expensive to compute and never change, for at most 7 days and in at most 64 MB. An entry may
 * disappear at any time. Never fails: a value that cannot be read counts as missing, and a value that cannot be written
 * is not cached.
 */
export interface Cache {
  /** Returns the value stored under that key, byte for byte, or null. */
  get(key: string): Promise<Uint8Array | null>;
  /** Replaces the value stored under that key. Does not store values longer than `cacheValueBytesMax`. */
  put(key: string, value: Uint8Array): Promise<void>;
}

/** The maximum size of a value: a vector and its metadata. */
export const cacheValueBytesMax = 3_500;

/** How long an entry is cached: 7 days. */
export const cacheTtlMs = 604_800_000;

/** The maximum number of entries, so that they take up 64 MB including their keys. */
export const cacheEntriesMax = 16_384;
