import { expect, test } from 'vitest';
import { proseOf } from './prose.ts';

const plainProseOf = (text: string) => proseOf(text).replace(/\s+/g, ' ').trim();

test.each([
  ['<p>Pay <b class="x">now</b><br/></p>', 'Pay now'],
  ['<style>p { color: red }</style>Text<script src="a">run()</script>', 'Text'],
  ['<!-- hidden -->Shown', 'Shown'],
  ['Read [the guide](https://example.com/guide?a=b "title") first', 'Read [the guide] first'],
  ['at https://example.com/a/b?c=d, or http://example.org or www.example.net/x', 'at or or'],
  ['![logo](data:image/png;base64,iVBORw0KGgo=) Name', '![logo] Name'],
  ['fish &amp; chips&nbsp;&#8211; &#x20AC;', 'fish chips'],
  ['write to help@example.com today', 'write to today'],
  ['Send it:\n```json\n{"a": 1}\n```\nDone', 'Send it: Done'],
  ['if a < b and c > d', 'if a < b and c > d'],
])('%j without markup and addresses is %j', (text, expected) => {
  expect(plainProseOf(text)).toBe(expected);
});

test.each([
  'For more information, see the guide.',
  'Please contact us.',
  'Terms of service: example.',
  'Copyright 2020 Example.',
  'Learn more about us here!',
])('the boilerplate sentence %j is removed', (sentence) => {
  expect(plainProseOf(`Ships parcels. ${sentence} Tracks them.`)).toBe('Ships parcels. Tracks them.');
  expect(plainProseOf(`Ships parcels.\n\n${sentence}`)).toBe('Ships parcels.');
});

test('a sentence that only mentions boilerplate terms is kept', () => {
  const text = 'Creates contact forms, and reads the terms of service of a shop. We ship to see the world.';
  expect(plainProseOf(text)).toBe(text);
});

test('the prose of a text of only markup, addresses and boilerplate is empty', () => {
  for (const text of ['https://api.example.com/', '<br/>', 'help@example.com', 'Please contact support.', ' ']) {
    expect(plainProseOf(text)).toBe('');
  }
});

test.each([
  '<',
  '<a',
  '<script>',
  '](',
  '<!--',
  '&a',
  'https://',
  'a<b ',
  '<script><',
  'a@',
  '```',
  'see the ',
  '. * ',
  '\n',
  '.\n ',
])('ten thousand characters of %j cause no excessive backtracking', (unit) => {
  const text = unit.repeat(Math.ceil(10_000 / unit.length));
  expect(proseOf(text).length).toBeLessThanOrEqual(text.length);
});
