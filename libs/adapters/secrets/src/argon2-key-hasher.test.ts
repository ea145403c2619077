import { argon2Sync } from 'node:crypto';
import { keyHasherContract } from '@portico/contracts';
import { isPorticoError } from '@portico/domain';
import { expect, test } from 'vitest';
import { createArgon2KeyHasher } from './argon2-key-hasher.ts';

const pepper = new Uint8Array(32).fill(5);
const createHasher = () => createArgon2KeyHasher({ pepper, concurrency: 1 });

for (const [sentence, check] of Object.entries(keyHasherContract)) {
  test(sentence, async () => {
    let computations = 0;
    const hasher = createArgon2KeyHasher({ pepper, concurrency: 1, onHash: () => (computations += 1) });
    await check({ keys: hasher, countComputations: () => computations });
  });
}

test('hashes use argon2id with at least the cost that OWASP recommends', async () => {
  expect(await createHasher().hash('s3cret', null)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a hash equals the hash of a different implementation of argon2id', async () => {
  const [, , , , salt = '', digest] = (await createHasher().hash('s3cret', null)).split('$');
  const nonce = Buffer.from(salt, 'base64');
  const expectedDigest = argon2Sync('argon2id', {
    message: 's3cret',
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  expect(nonce.length).toBeGreaterThanOrEqual(16);
  expect(digest).toBe(expectedDigest.toString('base64').replace(/=+$/, ''));
});

test('a hash created by a different process matches, and tags are equal only with the same pepper', async () => {
  const hash = await createHasher().hash('s3cret', null);
  expect(await createHasher().matches('s3cret', hash)).toBe(true);
  expect(createHasher().tag('s3cret')).toBe(createHasher().tag('s3cret'));
  expect(createArgon2KeyHasher({ pepper: new Uint8Array(32), concurrency: 1 }).tag('s3cret')).not.toBe(
    createHasher().tag('s3cret'),
  );
});

test('a successful match is cached: only the first one queues for argon2', async () => {
  const hasher = createHasher();
  const hash = await hasher.hash('s3cret', null);
  await hasher.matches('s3cret', hash);
  const order: string[] = [];
  const busyHash = hasher.hash('another', null).then(() => order.push('argon2'));
  await hasher.matches('s3cret', hash).then(() => order.push('cached'));
  await busyHash;
  expect(order).toEqual(['cached', 'argon2']);

  const uncachedHasher = createHasher();
  const slowHash = uncachedHasher.hash('another', null).then(() => order.push('argon2 again'));
  await uncachedHasher.matches('s3cret', hash).then(() => order.push('uncached'));
  await slowHash;
  expect(order.slice(2)).toEqual(['argon2 again', 'uncached']);
});

test('many simultaneous matches of one secret share one computation', async () => {
  const hasher = createHasher();
  const hash = await hasher.hash('s3cret', null);
  const results = Array.from({ length: 50 }, () => hasher.matches('s3cret', hash));
  expect(new Set(results).size).toBe(1);
  expect(await Promise.all(results)).toEqual(Array.from({ length: 50 }, () => true));
});

test('failed matches are not cached, and successful ones are evicted when there are too many', async () => {
  let computations = 0;
  const hasher = createArgon2KeyHasher({
    pepper,
    concurrency: 2,
    cachedSecretsMax: 1,
    onHash: () => (computations += 1),
  });
  const [firstHash, secondHash] = await Promise.all([hasher.hash('one', null), hasher.hash('two', null)]);
  for (const [secret, hash, expected] of [
    ['wrong', firstHash, 3],
    ['wrong', firstHash, 4],
    ['one', firstHash, 5],
    ['one', firstHash, 5],
    ['two', secondHash, 6],
    ['one', firstHash, 7],
  ] as const) {
    expect(await hasher.matches(secret, hash)).toBe(secret !== 'wrong');
    expect(computations).toBe(expected);
  }
});

test('the queue for argon2 is bounded: a call beyond its limit is rejected, and succeeds later', async () => {
  const hasher = createArgon2KeyHasher({ pepper, concurrency: 1, waitingMax: 2 });
  const hash = await hasher.hash('s3cret', null);
  const busyHashes = Array.from({ length: 3 }, () => hasher.hash('another', null));
  const [rejection] = await Promise.allSettled([hasher.matches('s3cret', hash)]);
  expect(rejection.status === 'rejected' && isPorticoError(rejection.reason, 'internal')).toBe(true);
  await Promise.all(busyHashes);
  expect(await hasher.matches('s3cret', hash)).toBe(true);
});

test('a pepper that could be guessed and a concurrency of 0 are rejected', () => {
  expect(() => createArgon2KeyHasher({ pepper: new Uint8Array(15), concurrency: 1 })).toThrow(RangeError);
  expect(() => createArgon2KeyHasher({ pepper, concurrency: 0 })).toThrow(RangeError);
  createArgon2KeyHasher({ pepper: new Uint8Array(16), concurrency: 1 });
});
