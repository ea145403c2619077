import type { Cache } from '@portico/domain';

/** Keeps everything for as long as the process lasts. */
export const createMemoryCache = (): Cache => {
  const values = new Map<string, Uint8Array>();
  return {
    async get(key) {
      return values.get(key);
    },
    async set(key, value) {
      values.set(key, value);
    },
  };
};
