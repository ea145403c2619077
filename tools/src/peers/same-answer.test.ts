import { expect, test } from 'vitest';
import { holds } from './same-answer.ts';

const row = { id: '1', name: 'small', description: 'About small', document: '{"openapi":"3.0.3"}' };
const { name, description } = row;
const document = { openapi: '3.0.3' };

test.each([
  ['as Portico answers', { name, description, openapi_spec: document }],
  ['with a document as JSON', { data: { name, description, document } }],
  ['with a document as text', { data: { name, description, text: row.document } }],
])('a row is right %s', (_, body) => {
  expect(holds(body, row)).toBe(true);
});

test.each([
  ['without a document', { data: { name, description } }],
  ['with another document', { data: { name, description, document: {} } }],
  ['with another name', { data: { name: 'large', description, document } }],
  ['that is an error', { errors: [{ message: 'forbidden' }] }],
])('a row is wrong %s', (_, body) => {
  expect(holds(body, row)).toBe(false);
});

test('a list is right with 100 rows that have names', () => {
  expect(holds({ data: Array(100).fill({ name }) }, null)).toBe(true);
  expect(holds(Array(100).fill({ name }), null)).toBe(true);
  expect(holds({ data: Array(25).fill({ name }) }, null)).toBe(false);
  expect(holds({ data: Array(100).fill({ id: 1 }) }, null)).toBe(false);
});
