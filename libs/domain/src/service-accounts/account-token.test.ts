import { expect, test } from 'vitest';
import { secretBytes, addChecksum } from '../checked-secret.ts';
import type { ServiceAccountId } from '../ids.ts';
import { isWellFormedSecret } from '../profiles/api-key.ts';
import { accountIdOf, makeAccountToken } from './account-token.ts';

const id = '5e2b9c4d-8a1f-4e73-b6d0-1c9f3a7e5b24' as ServiceAccountId;
const random = Uint8Array.from({ length: secretBytes }, (_, index) => (index * 37 + 11) % 256);
const token = makeAccountToken(id, random);

test('a token has 82 characters and contains the id of its account', () => {
  expect(token).toMatch(/^portico_sa_[0-9A-Za-z]{71}$/);
  for (const accountId of [id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    expect(accountIdOf(makeAccountToken(accountId as ServiceAccountId, random))).toBe(accountId);
});

test('the tokens of an account differ only by their random bytes', () => {
  const otherToken = makeAccountToken(
    id,
    random.map((byte) => byte ^ 1),
  );
  expect(otherToken.slice(0, 33)).toBe(token.slice(0, 33));
  expect(otherToken.slice(33, -6)).not.toBe(token.slice(33, -6));
});

test('a token with any one character changed, missing or added is rejected', () => {
  for (let index = 0; index < token.length; index++) {
    const changedToken = token[index] === 'A' ? 'B' : 'A';
    expect(accountIdOf(token.slice(0, index) + changedToken + token.slice(index + 1))).toBeNull();
    expect(accountIdOf(token.slice(0, index) + token.slice(index + 1))).toBeNull();
  }
  for (const text of [`${token}A`, ` ${token}`, '', 'portico_sa_']) expect(accountIdOf(text)).toBeNull();
});

test('an id above the largest UUID is rejected, although its checksum is correct', () => {
  const tokenWithTooLargeId = addChecksum(`portico_sa_${'z'.repeat(22)}${token.slice(33, -6)}`);
  expect(tokenWithTooLargeId).toHaveLength(82);
  expect(accountIdOf(tokenWithTooLargeId)).toBeNull();
});

test('a token is not an API secret, and an API secret is not a token', () => {
  expect(isWellFormedSecret(token)).toBe(false);
  expect(accountIdOf(token.replace('portico_sa_', 'portico_sk_'))).toBeNull();
});

test('a token is made from exactly 32 bytes', () => {
  expect(() => makeAccountToken(id, new Uint8Array(31))).toThrow(RangeError);
});
