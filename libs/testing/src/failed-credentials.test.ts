import { expect, test } from 'vitest';
import { createHarness } from './harness.ts';

test('a failed credential that is over the failure limit does not count against the anonymous limit', async () => {
  const anonymousLimit = { allowed: 10, windowSeconds: 60 };
  const { useCases, ports } = createHarness({
    anonymousLimit,
    failedCredentialsLimit: { allowed: 2, windowSeconds: 60 },
  });
  const fail = () =>
    useCases.admit({
      credential: { kind: 'token', token: 'garbage' },
      auth: 'token',
      target: null,
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
  for (const detail of [
    'Invalid or expired token',
    'Invalid or expired token',
    'Rate limit exceeded',
    'Rate limit exceeded',
  ]) {
    await expect(fail()).rejects.toThrow(detail);
  }
  expect(await ports.limiter.peek('address:192.0.2.1', anonymousLimit)).toMatchObject({ remaining: 8 });
});
