import { expect, test } from 'vitest';
import { canBind } from './identity.ts';

const claims = (email: string | null, emailVerified: boolean) => ({ email, emailVerified });

test.each([
  ['claimed', null, false, false],
  ['claimed', null, true, false],
  ['claimed', 'a@example.com', false, true],
  ['claimed', 'b@example.com', true, false],
  ['verified', null, true, false],
  ['verified', 'a@example.com', false, false],
  ['verified', 'a@example.com', true, true],
  ['verified', 'b@example.com', true, false],
  ['off', 'b@example.com', false, true],
  ['off', null, false, true],
] as const)('with the check %s a token with email %s, verified: %s, binds: %s', (check, email, verified, binds) => {
  expect(canBind(check, 'a@example.com', claims(email, verified))).toBe(binds);
});
