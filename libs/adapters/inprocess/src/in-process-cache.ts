import { type Cache, cachedBytesMax, cachedMax, cachedMs, type Clock } from '@portico/domain';

/** Keeps values in this process; if there are too many, the oldest go. */
export const createInProcessCache = ({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }): Cache => {
  const kept = new Map<string, { readonly value: Uint8Array; readonly until: number }>();
  return {
    async get(key) {
      const found = kept.get(key);
      return found && clock.monotonic() < found.until ? found.value.slice() : null;
    },
    async put(key, value) {
      if (value.length > cachedBytesMax) return;
      kept.delete(key);
      kept.set(key, { value: value.slice(), until: clock.monotonic() + cachedMs });
      for (const [oldest, { until }] of kept) {
        if (kept.size <= cachedMax && until > clock.monotonic()) break;
        kept.delete(oldest);
      }
    },
  };
};
