import { expect, test } from 'vitest';
import { resourcesOf } from './path-resources.ts';
import { phraseOf, sentenceOf } from './plain-words.ts';

test.each([
  ['PaymentMethods', 'payment methods'],
  ['payment_methods', 'payment methods'],
  ['customer-controller', 'customer'],
  ['SMS', 'SMS'],
  ['URLShortener', 'URL shortener'],
  ['Public APIs', 'public'],
  ['APIs', ''],
  ['**Users** & <b>Groups</b>', 'users & groups'],
  ['Straßen', 'straßen'],
  ['決済', '決済'],
  ['default', ''],
  ['{tenant}', ''],
  ['security_classification_6VMVochwUWo', ''],
  ['9f86d081884c7d65', ''],
  ['api.example.com', ''],
  ['x', ''],
  ['a name of more characters than anyone would read', ''],
])('the words of the name %j are %j', (name, words) => {
  expect(phraseOf(name)).toBe(words);
});

test.each([
  ['list all `orders`', 'List all orders.'],
  ['Creates an order. Needs a key.', 'Creates an order.'],
  ['Is it open?', 'Is it open?'],
  ['See [the guide](https://example.com/a) first', 'See the guide first.'],
  ['<p>Reads&nbsp;a <code>pet</code></p>', 'Reads a pet.'],
  ['Mail to help@example.com or https://example.com now', 'Mail to or now.'],
  ['Bearer ( `jwt` format)', 'Bearer (jwt format).'],
  ['GetBoardsByIdBoard', 'Get boards by id board.'],
  ['注文を取得する', '注文を取得する.'],
  ['注文を取得する。詳細', '注文を取得する。詳細.'],
  ['line one\r\nline two', 'Line one line two.'],
  ['Delete', ''],
  ['GET /v1/orders', ''],
  ['get_orders', ''],
  ['Deprecated: use another', ''],
  ['Reads the key 9f86d081884c7d65', ''],
  ['  ', ''],
])('the sentence of %j is %j', (text, sentence) => {
  expect(sentenceOf(text)).toBe(sentence);
});

test.each([
  ['/v1/customers/{id}/invoices', ['customers', 'invoices']],
  ['/api/v2.1/payment_methods.json', ['payment methods']],
  ['/2024-01-01/orders:batch/$metadata', []],
  ['/rest/{a}.{b}/search?q={q}', ['search']],
  ['orders', ['orders']],
  ['/', []],
])('the resources of %s are %j', (path, resources) => {
  expect(resourcesOf(path)).toEqual(resources);
});
