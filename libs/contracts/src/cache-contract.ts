import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type Cache, cachedBytesMax } from '@portico/domain';
import type { Contract } from './contract.ts';

const bytes = (length: number, first = 1): Uint8Array => Uint8Array.from({ length }, (_, at) => (first + at) % 256);

/** What `Cache` promises; that values go in the end depends on the adapter. */
export const cacheContract = {
  'a value is found under its key, byte for byte': async (cache) => {
    await cache.put('a', bytes(3_072));
    await cache.put('b', bytes(0));
    deepStrictEqual(await cache.get('a'), bytes(3_072));
    deepStrictEqual(await cache.get('b'), bytes(0));
  },

  'nothing is found under another key': async (cache) => {
    await cache.put('a', bytes(9));
    for (const key of ['A', 'a ', '', 'b']) strictEqual(await cache.get(key), null);
  },

  'a value replaces the one before': async (cache) => {
    await cache.put('a', bytes(9));
    await cache.put('a', bytes(5, 200));
    deepStrictEqual(await cache.get('a'), bytes(5, 200));
  },

  'a value that changes after it was put or found is kept as it was': async (cache) => {
    const value = bytes(4);
    await cache.put('a', value);
    value.fill(0);
    (await cache.get('a'))?.fill(0);
    deepStrictEqual(await cache.get('a'), bytes(4));
  },

  'the longest value is kept, and a longer one is not': async (cache) => {
    await cache.put('a', bytes(cachedBytesMax));
    await cache.put('b', bytes(cachedBytesMax + 1));
    deepStrictEqual(await cache.get('a'), bytes(cachedBytesMax));
    strictEqual(await cache.get('b'), null);
  },
} satisfies Contract<Cache>;
