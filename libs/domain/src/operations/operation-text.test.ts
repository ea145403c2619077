import { expect, test } from 'vitest';
import { operationTextOf, collectionTextOf } from './operation-text.ts';

const operation = {
  method: 'POST',
  path: '/v1/paymentLinks/{link_id}:cancel',
  operationId: 'cancelPaymentLink',
  summary: 'Cancel a link',
  tags: ['payments', 'links'],
  excerpt: 'No one can pay with it anymore.',
};

test('the text of an operation starts with its summary, with one line for each known field', () => {
  expect(operationTextOf({ name: 'Pay' }, operation)).toBe(
    'Cancel a link\npost v1 payment Links link id cancel\ncancel Payment Link\nPay\npayments, links\n' +
      'No one can pay with it anymore.',
  );
  const minimalOperation = { ...operation, operationId: null, summary: null, tags: [], excerpt: '' };
  expect(operationTextOf({ name: 'Pay' }, minimalOperation)).toBe('post v1 payment Links link id cancel\nPay');
});

test('the text of an operation has at most 1,000 characters, and is not truncated inside one', () => {
  const longOperation = { ...operation, summary: 'a'.repeat(500), excerpt: '🌧'.repeat(400) };
  const text = operationTextOf({ name: 'Pay' }, longOperation);
  expect(text).toHaveLength(1_000);
  expect(text.isWellFormed()).toBe(true);
});

test('the text of a collection is its name and description', () => {
  expect(collectionTextOf({ name: 'Pay', description: 'Cards.' })).toBe('Pay\nCards.');
  expect(collectionTextOf({ name: 'Pay', description: '' })).toBe('Pay');
  expect(collectionTextOf({ name: 'Pay', description: 'a'.repeat(1_000) })).toHaveLength(1_000);
});
