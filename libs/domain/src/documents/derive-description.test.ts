import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { deriveDescription } from './derive-description.ts';

const info = { title: 'Billing', version: '1' };

test('it lists the most frequent subjects, then summaries of operations', () => {
  const document = {
    info,
    tags: [{ name: 'Invoices' }],
    paths: {
      '/v1/customers/{id}/invoices': {
        parameters: [{ name: 'id' }],
        get: { tags: ['Invoices'], summary: 'List the invoices of a customer' },
        post: { tags: ['Invoices'], summary: 'Write an invoice' },
      },
      '/v1/customers': { get: { summary: 'List customers' } },
      '/v1/payment_methods.json': { get: {} },
    },
  };
  expect(deriveDescription(document)).toBe(
    'Customers, invoices, payment methods. List the invoices of a customer. Write an invoice.',
  );
});

test('the summary of the document comes first', () => {
  expect(
    deriveDescription({ info: { ...info, summary: 'bills people. And more.' }, paths: { '/bills': { get: {} } } }),
  ).toBe('Bills people. Bills.');
});

test('a subject that all operations share comes last, and the title is not repeated', () => {
  const path = (resource: string) => [`/billing/company/${resource}`, { get: {} }];
  const paths = Object.fromEntries(['orders', 'refunds', 'taxes', 'orders/open'].map(path)) as Json;
  expect(deriveDescription({ info, paths })).toBe('Orders, refunds, taxes, open, company.');
});

test('words occur once, ignoring case and number', () => {
  const paths = { '/customers': { get: { tags: ['Customer'] } }, '/crossSelling/crossselling': { get: {} } };
  expect(deriveDescription({ info, paths })).toBe('Customer, cross selling.');
  const joinedWordsFirst = { '/crossselling/cross_selling': { get: {} } };
  expect(deriveDescription({ info, paths: joinedWordsFirst })).toBe('Crossselling.');
});

test('a document without words, or with an unexpected structure, has no description', () => {
  for (const document of [
    { info, paths: {} },
    { info, paths: { '/{id}': { get: 7 } }, tags: 'x' },
    {},
    null,
    [1],
  ] as Json[])
    expect(deriveDescription(document)).toBe('');
});

test('it consists of complete sentences, and has at most 600 characters', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => {
      const word = index.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
      return [`/r${word}`, { get: { summary: `Read what the ${word}${word} of the zoo is like, in many words` } }];
    }),
  );
  const text = deriveDescription({ info, paths });
  expect(text.length).toBeGreaterThan(500);
  expect(text.length).toBeLessThanOrEqual(600);
  expect(text).toMatch(/\.$/);
});

test('any words result in a plain line of at most 600 characters', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 60 });
  const operation = fc.record({ summary: anyText, tags: fc.array(anyText) });
  const document = fc.record({
    info: fc.record({ title: anyText, summary: anyText }),
    tags: fc.array(fc.record({ name: anyText })),
    paths: fc.dictionary(anyText, fc.record({ get: operation, post: operation })),
  });
  fc.assert(
    fc.property(document, (value) => {
      const text = deriveDescription(value);
      expect([...text].length).toBeLessThanOrEqual(600);
      expect(isPlainLine(text)).toBe(true);
    }),
  );
});
