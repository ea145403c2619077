import { expect, test } from 'vitest';
import { methodsMeant } from './verbs.ts';

test.each([
  ['delete a webhook', { DELETE: 1 }],
  ['list all customers', { GET: 1 }],
  ['create a draft invoice', { POST: 1, PUT: 0.3 }],
  ['rename a channel', { PUT: 1, PATCH: 1, POST: 0.5 }],
])('%j asks for these methods', (question, methods) => {
  expect(methodsMeant(question.split(' '))).toEqual(methods);
});

test('a question without a known verb asks for no method', () => {
  expect(methodsMeant(['void', 'a', 'label'])).toEqual({});
  expect(methodsMeant(['constructor', 'toString'])).toEqual({});
});

test('a word of two meanings, and two verbs, ask for the methods of both', () => {
  expect(methodsMeant(['set'])).toEqual({ POST: 1, PUT: 1, PATCH: 1 });
  expect(methodsMeant(['delete', 'get'])).toEqual({ DELETE: 1, GET: 1 });
});
