import { expect, test } from 'vitest';
import { checkNetworks } from './calls.ts';

test.each<[networks: readonly string[], state: string, message: RegExp]>([
  [[], 'ok', /public addresses only, with TLS/],
  [['10.20.0.0/16', 'fd12:3456::/32'], 'ok', /also reach 10\.20\.0\.0\/16, fd12:3456::\/32/],
  [['::/0'], 'warning', /contains ::\/0: calls and webhooks reach every private address/],
  [['10.0.0.0/8', '169.254.169.254'], 'warning', /169\.254\.169\.254, which stays refused/],
  [['fd00:ec2::/32'], 'warning', /fd00:ec2::254, which stays refused/],
  [['100.64.0.0/10'], 'warning', /100\.100\.100\.200, which stays refused/],
])('the networks %j are reported as %s', (callNetworks, state, message) => {
  expect(checkNetworks({ callNetworks })).toMatchObject({ state, message: expect.stringMatching(message) as string });
});
