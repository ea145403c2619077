import assert from 'node:assert/strict';
import type { RedisBodyStore } from '../src/redis-body-store.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const assertFound = async (store: RedisBodyStore, key: string, expected: Uint8Array): Promise<void> => {
  const found = await store.get(key);
  assert.ok(found, `nothing is kept under ${JSON.stringify(key)}`);
  assert.equal(found.length, expected.length);
  // Not compared as a whole: telling two long lists apart in a message costs more than the case itself.
  const wrong = expected.findIndex((byte, index) => found[index] !== byte);
  assert.equal(found[wrong], expected[wrong], `byte ${wrong} of ${JSON.stringify(key)}`);
};

/** What a store that is empty as yet keeps, by the sentence that is true of it. */
export const byteCases = {
  'what was set is found': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    await assertFound(store, 'greeting', bytesOf('hello'));
  },

  'a key that was never set is not found': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    assert.equal(await store.get('farewell'), undefined);
  },

  'every byte comes back as it was': async (store) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) >>> 3);
    await store.set('bytes', bytes);
    await assertFound(store, 'bytes', bytes);
  },

  'no bytes at all are a body too': async (store) => {
    await store.set('nothing', new Uint8Array());
    await assertFound(store, 'nothing', new Uint8Array());
  },

  'a view of a larger buffer is kept without the rest of it': async (store) => {
    await store.set('view', bytesOf('xx-inside-xx').subarray(3, 9));
    await assertFound(store, 'view', bytesOf('inside'));
  },

  'a key that is set again holds the new body': async (store) => {
    await store.set('greeting', bytesOf('hello'));
    await store.set('greeting', bytesOf('good evening'));
    await assertFound(store, 'greeting', bytesOf('good evening'));
  },

  'keys are told apart to the letter': async (store) => {
    const keys = ['a', 'A', 'a ', 'a:b', 'a*', 'ä', '__proto__'];
    for (const key of keys) await store.set(key, bytesOf(key));
    for (const key of keys) await assertFound(store, key, bytesOf(key));
  },
} satisfies Record<string, (store: RedisBodyStore) => Promise<void>>;
