import { argon2Sync } from 'node:crypto';
import { keyHasherContract } from '@portico/contracts';
import { isPorticoError } from '@portico/domain';
import { expect, test } from 'vitest';
import { createArgon2KeyHasher } from './argon2-key-hasher.ts';

const pepper = new Uint8Array(32).fill(5);
const create = () => createArgon2KeyHasher({ pepper, concurrency: 1 });

for (const [sentence, check] of Object.entries(keyHasherContract)) {
  test(sentence, async () => {
    let computations = 0;
    const keys = createArgon2KeyHasher({ pepper, concurrency: 1, onHash: () => (computations += 1) });
    await check({ keys, computations: () => computations });
  });
}

test('a hash is argon2id with the cost that OWASP recommends, or a higher one', async () => {
  expect(await create().hash('s3cret', null)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a hash equals the hash of another implementation of argon2id', async () => {
  const [, , , , salt = '', digest] = (await create().hash('s3cret', null)).split('$');
  const nonce = Buffer.from(salt, 'base64');
  const computed = argon2Sync('argon2id', {
    message: 's3cret',
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  expect(nonce.length).toBeGreaterThanOrEqual(16);
  expect(digest).toBe(computed.toString('base64').replace(/=+$/, ''));
});

test('a hash of another process matches, and tags are equal only with the same pepper', async () => {
  const hash = await create().hash('s3cret', null);
  expect(await create().matches('s3cret', hash)).toBe(true);
  expect(create().tag('s3cret')).toBe(create().tag('s3cret'));
  expect(createArgon2KeyHasher({ pepper: new Uint8Array(32), concurrency: 1 }).tag('s3cret')).not.toBe(
    create().tag('s3cret'),
  );
});

test('a successful match is cached: only the first one queues for argon2', async () => {
  const keys = create();
  const hash = await keys.hash('s3cret', null);
  await keys.matches('s3cret', hash);
  const order: string[] = [];
  const busy = keys.hash('another', null).then(() => order.push('argon2'));
  await keys.matches('s3cret', hash).then(() => order.push('cached'));
  await busy;
  expect(order).toEqual(['cached', 'argon2']);

  const uncached = create();
  const slow = uncached.hash('another', null).then(() => order.push('argon2 again'));
  await uncached.matches('s3cret', hash).then(() => order.push('uncached'));
  await slow;
  expect(order.slice(2)).toEqual(['argon2 again', 'uncached']);
});

test('many simultaneous matches of one secret share one computation', async () => {
  const keys = create();
  const hash = await keys.hash('s3cret', null);
  const results = Array.from({ length: 50 }, () => keys.matches('s3cret', hash));
  expect(new Set(results).size).toBe(1);
  expect(await Promise.all(results)).toEqual(Array.from({ length: 50 }, () => true));
});

test('failed matches are not cached, and successful ones are evicted when there are too many', async () => {
  let computations = 0;
  const keys = createArgon2KeyHasher({ pepper, concurrency: 2, memoMax: 1, onHash: () => (computations += 1) });
  const [one, two] = await Promise.all([keys.hash('one', null), keys.hash('two', null)]);
  for (const [secret, hash, expected] of [
    ['wrong', one, 3],
    ['wrong', one, 4],
    ['one', one, 5],
    ['one', one, 5],
    ['two', two, 6],
    ['one', one, 7],
  ] as const) {
    expect(await keys.matches(secret, hash)).toBe(secret !== 'wrong');
    expect(computations).toBe(expected);
  }
});

test('the queue for argon2 is bounded: a call beyond its limit is rejected, and succeeds later', async () => {
  const keys = createArgon2KeyHasher({ pepper, concurrency: 1, waitingMax: 2 });
  const hash = await keys.hash('s3cret', null);
  const busy = Array.from({ length: 3 }, () => keys.hash('another', null));
  const [rejection] = await Promise.allSettled([keys.matches('s3cret', hash)]);
  expect(rejection.status === 'rejected' && isPorticoError(rejection.reason, 'internal')).toBe(true);
  await Promise.all(busy);
  expect(await keys.matches('s3cret', hash)).toBe(true);
});

test('a pepper that could be guessed and a concurrency of 0 are rejected', () => {
  expect(() => createArgon2KeyHasher({ pepper: new Uint8Array(15), concurrency: 1 })).toThrow(RangeError);
  expect(() => createArgon2KeyHasher({ pepper, concurrency: 0 })).toThrow(RangeError);
  createArgon2KeyHasher({ pepper: new Uint8Array(16), concurrency: 1 });
});
