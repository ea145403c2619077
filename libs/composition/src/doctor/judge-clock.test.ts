import { expect, test } from 'vitest';
import { judgeClock } from './judge-clock.ts';

test.each([
  [0, 'ok'],
  [60_000, 'ok'],
  [-60_000, 'ok'],
  [60_001, 'wrong'],
  [-60_001, 'wrong'],
  [null, 'skipped'],
] as const)('a clock that is %s ms ahead is %s', (aheadMs, state) => {
  expect(judgeClock('the issuer', aheadMs).state).toBe(state);
});

test('the line says in which direction', () => {
  expect(judgeClock('the issuer', 90_000).said).toBe('The clock of the issuer is 90 s ahead of that of this machine.');
  expect(judgeClock('the issuer', -90_000).said).toBe('The clock of the issuer is 90 s behind that of this machine.');
});
