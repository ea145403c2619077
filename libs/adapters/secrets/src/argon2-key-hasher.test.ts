import { keyHasherContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createArgon2KeyHasher } from './argon2-key-hasher.ts';

const pepper = new Uint8Array(32).fill(5);
const create = () => createArgon2KeyHasher({ pepper, concurrency: 1 });

for (const [sentence, check] of Object.entries(keyHasherContract)) test(sentence, () => check(create()));

test('a hash is argon2id with the cost that OWASP recommends, or a higher one', async () => {
  expect(await create().hash('s3cret')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a hash of another process matches, and its tag is the same under the same pepper alone', async () => {
  const hash = await create().hash('s3cret');
  expect(await create().matches('s3cret', hash)).toBe(true);
  expect(create().tag('s3cret')).toBe(create().tag('s3cret'));
  expect(createArgon2KeyHasher({ pepper: new Uint8Array(32), concurrency: 1 }).tag('s3cret')).not.toBe(
    create().tag('s3cret'),
  );
});

test('what was found true is remembered: a second look needs no place before argon2, which a first one does', async () => {
  const keys = create();
  const hash = await keys.hash('s3cret');
  await keys.matches('s3cret', hash);
  const order: string[] = [];
  const busy = keys.hash('another').then(() => order.push('argon2'));
  await keys.matches('s3cret', hash).then(() => order.push('remembered'));
  await busy;
  expect(order).toEqual(['remembered', 'argon2']);

  const forgetful = create();
  const slow = forgetful.hash('another').then(() => order.push('argon2 again'));
  await forgetful.matches('s3cret', hash).then(() => order.push('first look'));
  await slow;
  expect(order.slice(2)).toEqual(['argon2 again', 'first look']);
});

test('many who present one secret at once wait for one hash', async () => {
  const keys = create();
  const hash = await keys.hash('s3cret');
  const answers = Array.from({ length: 50 }, () => keys.matches('s3cret', hash));
  expect(new Set(answers).size).toBe(1);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 50 }, () => true));
});
