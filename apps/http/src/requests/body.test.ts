import { expect, test } from 'vitest';
import { refusePollutingMembers } from './body.ts';

test('a member that could reach a prototype is refused by its place, at any depth', () => {
  const value = JSON.parse('{"a":[1,{"__proto__":{}}]}') as unknown;
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /: authentication\.a\[1\]\.__proto__ is no member that can be taken$/,
  );
  expect(() => refusePollutingMembers({ prototype: 1, toString: { in: 'header' } }, 'authentication')).not.toThrow();
});

test('a long name is cut in the reason', () => {
  const value = { ['x'.repeat(100_000)]: { constructor: 1 } };
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /^Invalid request body: authentication\.x{485}…$/,
  );
});
