import assert from 'node:assert/strict';
import type { KeyHasher } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createManualDeadline } from './deadlines.ts';

/** A hasher whose computations are counted. */
export interface KeyHasherSubject {
  readonly keys: KeyHasher;
  /** Returns the number of the hasher's argon2 computations so far. */
  readonly computations: () => number;
}

/**
 * The PHC string format of argon2id, with at least 16 bytes of salt and 16 bytes of hash, in base64 without padding.
 */
const phcForm = /^\$argon2id\$v=19\$m=[1-9]\d*,t=[1-9]\d*,p=[1-9]\d*\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{22,}$/;

export const keyHasherContract = {
  'a secret matches its own hash every time': async ({ keys }) => {
    const hash = await keys.hash('one', null);
    for (let time = 0; time < 3; time++) assert.equal(await keys.matches('one', hash), true);
  },
  'a wrong secret does not match, even after the right one did': async ({ keys }) => {
    const hash = await keys.hash('one', null);
    assert.equal(await keys.matches('two', hash), false);
    assert.equal(await keys.matches('one', hash), true);
    assert.equal(await keys.matches('two', hash), false);
  },
  'a secret that matched one hash does not match the hash of another secret': async ({ keys }) => {
    const [one, two] = [await keys.hash('one', null), await keys.hash('two', null)];
    assert.equal(await keys.matches('one', one), true);
    assert.equal(await keys.matches('one', two), false);
  },
  'every call returns a different hash, and each one matches': async ({ keys }) => {
    const [first, second] = [await keys.hash('one', null), await keys.hash('one', null)];
    assert.notEqual(first, second);
    assert.deepEqual([await keys.matches('one', first), await keys.matches('one', second)], [true, true]);
  },
  'a hash is argon2id in PHC string format': async ({ keys }) => {
    for (const secret of ['', 'one', 'x'.repeat(1_000)]) assert.match(await keys.hash(secret, null), phcForm);
  },
  'a second match of the same pair computes no hash': async ({ keys, computations }) => {
    const before = computations();
    const hashes = [await keys.hash('one', null), await keys.hash('one', null), await keys.hash('two', null)] as const;
    assert.equal(computations(), before + 3);
    const matchAll = () => Promise.all(hashes.map((hash, at) => keys.matches(at < 2 ? 'one' : 'two', hash)));
    assert.deepEqual(await matchAll(), [true, true, true]);
    const afterFirstMatch = computations();
    for (let time = 0; time < 3; time++) assert.deepEqual(await matchAll(), [true, true, true]);
    assert.equal(computations(), afterFirstMatch);
  },
  'a hash does not contain the secret': async ({ keys }) => {
    assert.ok(!(await keys.hash('a-long-secret', null)).includes('a-long-secret'));
  },
  'no hash is made once the deadline has expired': async ({ keys }) => {
    const deadline = createManualDeadline();
    assert.match(await keys.hash('one', deadline), phcForm);
    deadline.expire();
    await assertRejects(keys.hash('one', deadline), 'timed_out');
  },
  'a tag is an unsigned 32-bit integer, the same for the same secret': async ({ keys }) => {
    const tag = keys.tag('one');
    assert.equal(tag, tag >>> 0);
    assert.equal(keys.tag('one'), tag);
  },
  'tags of different secrets differ': async ({ keys }) => {
    const tags = new Set(Array.from({ length: 100 }, (_, at) => keys.tag(`secret ${at}`)));
    assert.equal(tags.size, 100);
  },
} satisfies Contract<KeyHasherSubject>;
