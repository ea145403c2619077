import { expect, test } from 'vitest';
import { readSender } from './sender.ts';

test.each([
  ['portico@example.com', '', 'portico@example.com'],
  ['  portico@example.com ', '', 'portico@example.com'],
  ['<portico@example.com>', '', 'portico@example.com'],
  ['Portico <portico@localhost>', 'Portico', 'portico@localhost'],
  ['Portico<portico@localhost>', 'Portico', 'portico@localhost'],
  ['Łukasz 😀 <post@bücher.example>', 'Łukasz 😀', 'post@bücher.example'],
  ['Portico Inc. (Berlin) <portico@example.com>', 'Portico Inc. (Berlin)', 'portico@example.com'],
  ['"Portico, Inc. <\\"@\\">" <portico@example.com>', 'Portico, Inc. <"@">', 'portico@example.com'],
  [`${'x'.repeat(242)}@example.com`, '', `${'x'.repeat(242)}@example.com`],
])('%j is the name %j and the address %j', (text, name, address) => {
  expect(readSender(text)).toEqual({ name, address });
});

test.each([
  '',
  ' ',
  'Portico',
  '<>',
  'Portico <>',
  'Portico <portico>',
  'Portico <portico@',
  'Portico <portico@>',
  'Portico <@example.com>',
  'Portico portico@example.com',
  'Portico <portico@example.com> and more',
  'Portico <<portico@example.com>>',
  'a@example.com, b@example.com',
  'a@example.com b@example.com',
  'Portico <a@example.com>, b@example.com',
  'Portico <a@example.com, b@example.com>',
  'a@example.com, Portico <b@example.com>',
  'Portico, Inc. <portico@example.com>',
  'Portico: <portico@example.com>;',
  '"Portico <portico@example.com>',
  'Portico\r\nBcc: eve@example.com <portico@example.com>',
  'Por\ttico <portico@example.com>',
  '"Por\ntico" <portico@example.com>',
  'Portico\u2028 x <portico@example.com>',
  'portico@exam\nple.com',
  `${'x'.repeat(243)}@example.com`,
])('%j is not a sender', (text) => {
  expect(() => readSender(text)).toThrow('one address, as ADDRESS or NAME <ADDRESS>, in at most 254 characters');
});
