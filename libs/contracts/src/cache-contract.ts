import assert from 'node:assert/strict';
import type { Cache } from '@portico/domain';
import type { Contract } from './contract.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Compares the numbers: an adapter may answer any subclass of `Uint8Array`. */
const assertFound = async (cache: Cache, key: string, expected: Uint8Array): Promise<void> => {
  const found = await cache.get(key);
  assert.ok(found, `nothing is kept under ${JSON.stringify(key)}`);
  assert.equal(found.length, expected.length);
  // Not compared as a whole: telling two long lists apart in a message costs more than the case itself.
  const wrong = expected.findIndex((byte, index) => found[index] !== byte);
  assert.equal(found[wrong], expected[wrong], `byte ${wrong} of ${JSON.stringify(key)}`);
};

/** A cache of at least 1 MiB that is empty as yet. */
export const cacheContract = {
  'what was set is found': async (cache) => {
    await cache.set('greeting', bytesOf('hello'));
    await assertFound(cache, 'greeting', bytesOf('hello'));
  },

  'a key that was never set is not found': async (cache) => {
    await cache.set('greeting', bytesOf('hello'));
    assert.equal(await cache.get('farewell'), undefined);
  },

  'every byte comes back as it was': async (cache) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) >>> 3);
    await cache.set('bytes', bytes);
    await assertFound(cache, 'bytes', bytes);
  },

  'no bytes at all are a value too': async (cache) => {
    await cache.set('nothing', new Uint8Array());
    await assertFound(cache, 'nothing', new Uint8Array());
  },

  'a view of a larger buffer is kept without the rest of it': async (cache) => {
    await cache.set('view', bytesOf('xx-inside-xx').subarray(3, 9));
    await assertFound(cache, 'view', bytesOf('inside'));
  },

  'a key that is set again holds the new value': async (cache) => {
    await cache.set('greeting', bytesOf('hello'));
    await cache.set('greeting', bytesOf('good evening'));
    await assertFound(cache, 'greeting', bytesOf('good evening'));
  },

  'keys are told apart to the letter': async (cache) => {
    const keys = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
    for (const key of keys) await cache.set(key, bytesOf(key));
    for (const key of keys) await assertFound(cache, key, bytesOf(key));
  },
} satisfies Contract<Cache>;
