import { expect, test } from 'vitest';
import { operationText, collectionText } from './operation-text.ts';

const operation = {
  method: 'POST',
  path: '/v1/paymentLinks/{link_id}:cancel',
  operationId: 'cancelPaymentLink',
  summary: 'Cancel a link',
  tags: ['payments', 'links'],
  excerpt: 'Nobody can pay by it any more.',
};

test('the text of an operation starts with its summary, with one line for each known field', () => {
  expect(operationText({ name: 'Pay' }, operation)).toBe(
    'Cancel a link\npost v1 payment Links link id cancel\ncancel Payment Link\nPay\npayments, links\n' +
      'Nobody can pay by it any more.',
  );
  const bare = { ...operation, operationId: null, summary: null, tags: [], excerpt: '' };
  expect(operationText({ name: 'Pay' }, bare)).toBe('post v1 payment Links link id cancel\nPay');
});

test('the text of an operation has at most 1,000 characters, without partial ones', () => {
  const long = { ...operation, summary: 'a'.repeat(500), excerpt: '🌧'.repeat(400) };
  const text = operationText({ name: 'Pay' }, long);
  expect(text).toHaveLength(1_000);
  expect(text.isWellFormed()).toBe(true);
});

test('the text of a collection is its name and description', () => {
  expect(collectionText({ name: 'Pay', description: 'Cards.' })).toBe('Pay\nCards.');
  expect(collectionText({ name: 'Pay', description: '' })).toBe('Pay');
  expect(collectionText({ name: 'Pay', description: 'a'.repeat(1_000) })).toHaveLength(1_000);
});
