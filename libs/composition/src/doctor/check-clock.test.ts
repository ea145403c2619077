import { expect, test } from 'vitest';
import { checkClock } from './check-clock.ts';

test.each([
  [0, 'ok'],
  [60_000, 'ok'],
  [-60_000, 'ok'],
  [60_001, 'wrong'],
  [-60_001, 'wrong'],
  [null, 'skipped'],
] as const)('a clock that is %s ms ahead is %s', (aheadMs, state) => {
  expect(checkClock('the issuer', aheadMs).state).toBe(state);
});

test('the message reports the direction', () => {
  expect(checkClock('the issuer', 90_000).message).toBe(
    'The clock of the issuer is 90 s ahead of that of this machine.',
  );
  expect(checkClock('the issuer', -90_000).message).toBe(
    'The clock of the issuer is 90 s behind that of this machine.',
  );
});
