import { type Cache, cacheValueBytesMax, cacheEntriesMax, cacheTtlMs, type Clock } from '@portico/domain';

/** Creates a cache in this process, which evicts the oldest values when there are too many. */
export const createInProcessCache = ({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }): Cache => {
  const entries = new Map<string, { readonly value: Uint8Array; readonly expiresAt: number }>();
  return {
    async get(key) {
      const entry = entries.get(key);
      return entry && clock.monotonic() < entry.expiresAt ? entry.value.slice() : null;
    },
    async put(key, value) {
      if (value.length > cacheValueBytesMax) return;
      entries.delete(key);
      entries.set(key, { value: value.slice(), expiresAt: clock.monotonic() + cacheTtlMs });
      for (const [oldest, { expiresAt }] of entries) {
        if (entries.size <= cacheEntriesMax && expiresAt > clock.monotonic()) break;
        entries.delete(oldest);
      }
    },
  };
};
