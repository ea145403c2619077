import { expect, test } from 'vitest';
import { checkNode } from './process.ts';

test.each([
  ['v24.0.0', 'ok'],
  ['v25.1.0', 'ok'],
  ['v23.11.1', 'wrong'],
  ['v9.0.0', 'wrong'],
  ['of another form', 'wrong'],
] as const)('Node %s is %s', (version, state) => {
  expect(checkNode(version)).toMatchObject({ state, message: expect.stringContaining(version) as string });
});
