import type { Cache } from '@portico/domain';
import { LRUCache } from 'lru-cache';

/** What an entry costs beside its value: its place in the list and in the map. */
const entryBytes = 200;

/**
 * Keeps values in this process up to that many bytes in all, the keys and the cost of keeping included. What was not
 * asked for the longest gives way; a value that would not fit alone is not kept.
 */
export const createInProcessCache = ({ maxBytes }: { readonly maxBytes: number }): Cache => {
  const values = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => value.byteLength + 2 * key.length + entryBytes,
  });
  return {
    async get(key) {
      return values.get(key);
    },
    async set(key, value) {
      values.set(key, ownBytes(value));
    },
  };
};

/** The value, copied where it is a part of something larger that it would otherwise keep alive. */
const ownBytes = (value: Uint8Array): Uint8Array =>
  value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
