import { expect, test } from 'vitest';
import { inferMethods } from './verbs.ts';

test.each([
  ['delete a webhook', { DELETE: 1 }],
  ['list all customers', { GET: 1 }],
  ['create a draft invoice', { POST: 1, PUT: 0.3 }],
  ['rename a channel', { PUT: 1, PATCH: 1, POST: 0.5 }],
])('%j implies these methods', (query, methods) => {
  expect(inferMethods(query.split(' '))).toEqual(methods);
});

test('a query without a known verb implies no method', () => {
  expect(inferMethods(['void', 'a', 'label'])).toEqual({});
  expect(inferMethods(['constructor', 'toString'])).toEqual({});
});

test('an ambiguous verb, and two verbs, imply the methods of both', () => {
  expect(inferMethods(['set'])).toEqual({ POST: 1, PUT: 1, PATCH: 1 });
  expect(inferMethods(['delete', 'get'])).toEqual({ DELETE: 1, GET: 1 });
});
