import assert from 'node:assert/strict';
import type { KeyHasher } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createManualDeadline } from './deadlines.ts';

/** A hasher whose computations are counted. */
export interface KeyHasherSubject {
  readonly keys: KeyHasher;
  /** Returns the number of the hasher's argon2 computations so far. */
  readonly countComputations: () => number;
}

/**
 * The PHC string format of argon2id, with at least 16 bytes of salt and 16 bytes of hash, in base64 without padding.
 */
const phcFormat = /^\$argon2id\$v=19\$m=[1-9]\d*,t=[1-9]\d*,p=[1-9]\d*\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{22,}$/;

export const keyHasherContract = {
  'a secret matches its own hash every time': async ({ keys }) => {
    const hash = await keys.hash('one', null);
    for (let attempt = 0; attempt < 3; attempt++) assert.equal(await keys.matches('one', hash), true);
  },
  'a wrong secret does not match, even after the correct one did': async ({ keys }) => {
    const hash = await keys.hash('one', null);
    assert.equal(await keys.matches('two', hash), false);
    assert.equal(await keys.matches('one', hash), true);
    assert.equal(await keys.matches('two', hash), false);
  },
  'a secret that matched one hash does not match the hash of a different secret': async ({ keys }) => {
    const [hashOfOne, hashOfTwo] = [await keys.hash('one', null), await keys.hash('two', null)];
    assert.equal(await keys.matches('one', hashOfOne), true);
    assert.equal(await keys.matches('one', hashOfTwo), false);
  },
  'every call returns a different hash, and each one matches': async ({ keys }) => {
    const [first, second] = [await keys.hash('one', null), await keys.hash('one', null)];
    assert.notEqual(first, second);
    assert.deepEqual([await keys.matches('one', first), await keys.matches('one', second)], [true, true]);
  },
  'a hash is argon2id in PHC string format': async ({ keys }) => {
    for (const secret of ['', 'one', 'x'.repeat(1_000)]) assert.match(await keys.hash(secret, null), phcFormat);
  },
  'matching the same pair a second time does not compute a hash': async ({ keys, countComputations }) => {
    const before = countComputations();
    const hashes = [await keys.hash('one', null), await keys.hash('one', null), await keys.hash('two', null)] as const;
    assert.equal(countComputations(), before + 3);
    const matchAll = () => Promise.all(hashes.map((hash, index) => keys.matches(index < 2 ? 'one' : 'two', hash)));
    assert.deepEqual(await matchAll(), [true, true, true]);
    const afterFirstMatch = countComputations();
    for (let attempt = 0; attempt < 3; attempt++) assert.deepEqual(await matchAll(), [true, true, true]);
    assert.equal(countComputations(), afterFirstMatch);
  },
  'a hash does not contain the secret': async ({ keys }) => {
    assert.ok(!(await keys.hash('a-long-secret', null)).includes('a-long-secret'));
  },
  'no hash is computed once the deadline has expired': async ({ keys }) => {
    const deadline = createManualDeadline();
    assert.match(await keys.hash('one', deadline), phcFormat);
    deadline.expire();
    await assertRejects(keys.hash('one', deadline), 'timed_out');
  },
  'a tag is an unsigned 32-bit integer, and equal secrets have equal tags': async ({ keys }) => {
    const tag = keys.tag('one');
    assert.equal(tag, tag >>> 0);
    assert.equal(keys.tag('one'), tag);
  },
  'tags of different secrets differ': async ({ keys }) => {
    const tags = new Set(Array.from({ length: 100 }, (_, index) => keys.tag(`secret ${index}`)));
    assert.equal(tags.size, 100);
  },
} satisfies Contract<KeyHasherSubject>;
