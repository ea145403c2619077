import { expect, test } from 'vitest';
import { areSameArguments } from './same-arguments.ts';

test.each([
  ['{"a":1,"b":[{"c":2,"d":3}]}', '{ "b": [ {"d":3, "c":2} ], "a": 1 }'],
  ['{"a":"é"}', '{"a":"\\u00e9"}'],
  ['{"a":1.0}', '{"a":1.0}'],
  ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
])('%s and %s are the same', (a, b) => {
  expect(areSameArguments(a, b)).toBe(true);
});

test.each([
  ['{"a":1}', '{"a":1.0}'],
  ['{"a":1}', '{"a":1e0}'],
  ['{"a":12345678901234567890}', '{"a":12345678901234567891}'],
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":null}', '{}'],
  ['{"a":{}}', '{"a":["object"]}'],
  ['{"a":[]}', '{"a":["array"]}'],
  ['{"__proto__":1}', '{"__proto__":2}'],
])('%s and %s differ', (a, b) => {
  expect(areSameArguments(a, b)).toBe(false);
});
