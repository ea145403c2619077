import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type Cache, cacheValueBytesMax } from '@portico/domain';
import type { Contract } from './contract.ts';

const createBytes = (length: number, firstByte = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (firstByte + index) % 256);

/** The contract of `Cache`. It is up to the adapter when values are evicted. */
export const cacheContract = {
  'a value is returned under its key, byte for byte': async (cache) => {
    await cache.put('a', createBytes(3_072));
    await cache.put('b', createBytes(0));
    deepStrictEqual(await cache.get('a'), createBytes(3_072));
    deepStrictEqual(await cache.get('b'), createBytes(0));
  },

  'a different key returns nothing': async (cache) => {
    await cache.put('a', createBytes(9));
    for (const key of ['A', 'a ', '', 'b']) strictEqual(await cache.get(key), null);
  },

  'a value replaces the previous one': async (cache) => {
    await cache.put('a', createBytes(9));
    await cache.put('a', createBytes(5, 200));
    deepStrictEqual(await cache.get('a'), createBytes(5, 200));
  },

  'changing a value after it was put or returned does not change the cached value': async (cache) => {
    const value = createBytes(4);
    await cache.put('a', value);
    value.fill(0);
    (await cache.get('a'))?.fill(0);
    deepStrictEqual(await cache.get('a'), createBytes(4));
  },

  'a value of the maximum length is cached, and a longer one is not': async (cache) => {
    await cache.put('a', createBytes(cacheValueBytesMax));
    await cache.put('b', createBytes(cacheValueBytesMax + 1));
    deepStrictEqual(await cache.get('a'), createBytes(cacheValueBytesMax));
    strictEqual(await cache.get('b'), null);
  },
} satisfies Contract<Cache>;
