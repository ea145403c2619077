import assert from 'node:assert/strict';
import type { RedisBodyStore } from '../src/redis-body-store.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const assertFound = async (store: RedisBodyStore, key: string, expected: Uint8Array): Promise<void> => {
  const found = await store.get(key);
  assert.ok(found, `nothing is stored under ${JSON.stringify(key)}`);
  assert.equal(found.length, expected.length);
  // Not compared as a whole: a diff of two long lists costs more than the case itself.
  const wrong = expected.findIndex((byte, index) => found[index] !== byte);
  assert.equal(found[wrong], expected[wrong], `byte ${wrong} of ${JSON.stringify(key)}`);
};

/** What an empty store does, keyed by the sentence that describes it. */
export const byteCases = {
  'a body that was set is found': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    await assertFound(store, 'greeting', bytesOf('hello'));
  },

  'a key that was never set is not found': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    assert.equal(await store.get('farewell'), undefined);
  },

  'every byte is returned unchanged': async (store) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) >>> 3);
    await store.set('bytes', bytes);
    await assertFound(store, 'bytes', bytes);
  },

  'an empty body is stored too': async (store) => {
    await store.set('nothing', new Uint8Array());
    await assertFound(store, 'nothing', new Uint8Array());
  },

  'a view of a larger buffer is stored without the rest of it': async (store) => {
    await store.set('view', bytesOf('xx-inside-xx').subarray(3, 9));
    await assertFound(store, 'view', bytesOf('inside'));
  },

  'a key that is set again holds the new body': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    await store.set('greeting', bytesOf('good evening'));
    await assertFound(store, 'greeting', bytesOf('good evening'));
  },

  'keys are compared exactly': async (store) => {
    const keys = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
    for (const key of keys) await store.set(key, bytesOf(key));
    for (const key of keys) await assertFound(store, key, bytesOf(key));
  },
} satisfies Record<string, (store: RedisBodyStore) => Promise<void>>;
