import { cacheContract } from '@portico/contracts';
import type { Sabotages } from '@portico/contracts';
import type { Cache } from '@portico/domain';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryCache } from './memory-cache.ts';

type Sabotage = (cache: Cache) => Cache;

const onKeys =
  (change: (key: string) => string): Sabotage =>
  (cache) => ({ get: (key) => cache.get(change(key)), set: (key, value) => cache.set(change(key), value) });

const onSet =
  (set: (cache: Cache, key: string, value: Uint8Array) => Promise<void>): Sabotage =>
  (cache) => ({ ...cache, set: (key, value) => set(cache, key, value) });

const sabotages: Sabotages<typeof cacheContract, Cache> = {
  'what was set is found': onSet(async () => undefined),
  'a key that was never set is not found': onKeys(() => 'any'),
  'every byte comes back as it was': onSet((cache, key, value) =>
    cache.set(key, new TextEncoder().encode(new TextDecoder().decode(value))),
  ),
  'no bytes at all are a value too': onSet(async (cache, key, value) => {
    if (value.length > 0) await cache.set(key, value);
  }),
  'a view of a larger buffer is kept without the rest of it': onSet((cache, key, value) =>
    cache.set(key, new Uint8Array(value.buffer)),
  ),
  'a key that is set again holds the new value': onSet(async (cache, key, value) => {
    if (!(await cache.get(key))) await cache.set(key, value);
  }),
  'keys are told apart to the letter': onKeys((key) => key.trim()),
};

proveContract(cacheContract, sabotages, createMemoryCache);
