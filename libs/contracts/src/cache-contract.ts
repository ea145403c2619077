import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type Cache, cacheValueBytesMax } from '@portico/domain';
import type { Contract } from './contract.ts';

const bytes = (length: number, first = 1): Uint8Array => Uint8Array.from({ length }, (_, at) => (first + at) % 256);

/** The contract of `Cache`. It is up to the adapter when values are evicted. */
export const cacheContract = {
  'a value is returned under its key, byte for byte': async (cache) => {
    await cache.put('a', bytes(3_072));
    await cache.put('b', bytes(0));
    deepStrictEqual(await cache.get('a'), bytes(3_072));
    deepStrictEqual(await cache.get('b'), bytes(0));
  },

  'nothing is found under another key': async (cache) => {
    await cache.put('a', bytes(9));
    for (const key of ['A', 'a ', '', 'b']) strictEqual(await cache.get(key), null);
  },

  'a value replaces the previous one': async (cache) => {
    await cache.put('a', bytes(9));
    await cache.put('a', bytes(5, 200));
    deepStrictEqual(await cache.get('a'), bytes(5, 200));
  },

  'changing a value after it was put or returned does not change the cached one': async (cache) => {
    const value = bytes(4);
    await cache.put('a', value);
    value.fill(0);
    (await cache.get('a'))?.fill(0);
    deepStrictEqual(await cache.get('a'), bytes(4));
  },

  'a value of the maximum length is cached, and a longer one is not': async (cache) => {
    await cache.put('a', bytes(cacheValueBytesMax));
    await cache.put('b', bytes(cacheValueBytesMax + 1));
    deepStrictEqual(await cache.get('a'), bytes(cacheValueBytesMax));
    strictEqual(await cache.get('b'), null);
  },
} satisfies Contract<Cache>;
