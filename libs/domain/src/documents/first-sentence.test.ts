import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlainLine } from '../line.ts';
import { firstSentenceOf } from './first-sentence.ts';

const complete = { isCut: false };

describe('the end of the first sentence', () => {
  test.each([
    ['Create a refund. The amount is returned.', 'Create a refund.'],
    ['Create a refund', 'Create a refund'],
    ['Is it raining? Ask here.', 'Is it raining?'],
    ['Sends text, e.g. "hello", i.e. an SMS. Then waits.', 'Sends text, e.g. "hello", i.e. an SMS.'],
    ['Lists cars, trucks, etc. of a fleet. Paged.', 'Lists cars, trucks, etc. of a fleet.'],
    ['Lists cars, trucks, etc. Paged.', 'Lists cars, trucks, etc.'],
    ['Migrates from v1.2 to v2.0. Slow.', 'Migrates from v1.2 to v2.0.'],
    ['Calls https://api.example.com/v1.0/users?x=1. Fast.', 'Calls https://api.example.com/v1.0/users?x=1.'],
    ['Reads a user of Node.js vs. Deno. Fast.', 'Reads a user of Node.js vs. Deno.'],
    ['Finds a house by its no. 5 in a street. Fast.', 'Finds a house by its no. 5 in a street.'],
    ['Waits ... and returns. Then ends.', 'Waits ... and returns.'],
    ['Sells to J. Smith in the U.S. market. Now.', 'Sells to J. Smith in the U.S. market.'],
    ['Sells in the U.S. Now.', 'Sells in the U.S.'],
    ['Waits for 5 ms. Then ends.', 'Waits for 5 ms.'],
    ['Returns the state ("on" or "off."). Then ends.', 'Returns the state ("on" or "off.").'],
    ['顧客に返金する。全額が返されます。', '顧客に返金する。'],
    ['创建一个新的 issue。需要权限。', '创建一个新的 issue。'],
    ['Deprecated. Use users instead. Please.', 'Deprecated. Use users instead.'],
    ['Ping.', 'Ping.'],
    ['Sends a message\nto a phone.\nSlowly.', 'Sends a message to a phone.'],
    ['Sends a message\n\nto a phone.', 'Sends a message'],
    ['Returns these fields:\n- id\n- name', 'Returns these fields…'],
  ])('of %j is that of %j', (text, sentence) => {
    expect(firstSentenceOf(text, complete)).toBe(sentence);
  });
});

describe('Markdown and HTML', () => {
  test.each([
    ['<p>Cancels a <b>subscription</b>.</p><p>At once.</p>', 'Cancels a subscription.'],
    ['<p>Cancels a subscription</p><p>At once.</p>', 'Cancels a subscription'],
    ['Cancels a subscription<br/>At once.', 'Cancels a subscription'],
    ['<h2>Overview</h2><p>Cancels it all. Now.</p>', 'Cancels it all.'],
    ['See <a href="https://a.example/x.html">the guide</a> for more. Bye.', 'See the guide for more.'],
    ['<!-- todo. -->Reads a user.', 'Reads a user.'],
    ['Reads /users/<id> of &quot;A &amp; B&quot;&#46; Fast.', 'Reads /users/<id> of "A & B".'],
    ['# Users\n\nReads a user. Fast.', 'Reads a user.'],
    ['Users\n=====\nReads a user. Fast.', 'Reads a user.'],
    ['## Reads a user ##', 'Reads a user'],
    ['Reads **one** _user_ by `user_id`, `a` or *b*. Fast.', 'Reads one user by user_id, a or b.'],
    ['Reads a [user](https://a.example/u.v_w_x) or [group][1]. Fast.', 'Reads a user or group.'],
    ['![logo](x.png) Reads a user. Fast.', 'Reads a user.'],
    ['![logo](x.png)\n\nReads a user. Fast.', 'Reads a user.'],
    ['<https://a.example> has more. Fast.', 'https://a.example has more.'],
    ['> Reads a\n> user. Fast.', 'Reads a user.'],
    ['- Reads a user\n- Fast', 'Reads a user'],
    ['1. Reads a user\n2. Fast', 'Reads a user'],
    ['```\ncurl x\n```\nReads a user. Fast.', 'Reads a user.'],
    ['| a | b |\n|---|---|\n\nReads a user.', 'Reads a user.'],
    ['---\nReads snake\\_case of *.json and *.yaml, 2 * 3. Fast.', 'Reads snake_case of *.json and *.yaml, 2 * 3.'],
    ['[Beta] Reads a user. Fast.', '[Beta] Reads a user.'],
  ])('in %j are removed', (text, sentence) => {
    expect(firstSentenceOf(text, complete)).toBe(sentence);
  });
});

test.each(['', ' \n ', '---', '<p></p>', '![](x.png)', '123', '```\ncurl x'])('%j has no sentence', (text) => {
  expect(firstSentenceOf(text, complete)).toBe('');
});

test.each([
  ['Reads a user by its id and na', 'Reads a user by its id and…'],
  ['Reads a user by its id, na', 'Reads a user by its id…'],
  ['Reads a user. By its na', 'Reads a user.'],
  ['# Reads a us', 'Reads a…'],
  ['Reads a user\n\nBy its na', 'Reads a user'],
  ['Reads a user by <a href="https://a.exa', 'Reads a user…'],
  ['Reads a user by [its id](https://a.exa', 'Reads a user by its…'],
  ['顧客に返金す', '顧客に返金す…'],
])('the cut text %j shows that %j is not the end', (text, sentence) => {
  expect(firstSentenceOf(text, { isCut: true })).toBe(sentence);
});

test('a sentence is a plain line, at most a character longer than its text', () => {
  const texts = fc.array(
    fc.constantFrom(...'aB .。<>p/b&#1;[](*_`~\\\n\t\u202e!-|:'.split(''), '<p>', '&amp;', '\ud800'),
    {
      maxLength: 200,
    },
  );
  fc.assert(
    fc.property(texts, fc.boolean(), (parts, isCut) => {
      const text = parts.join('');
      const sentence = firstSentenceOf(text, { isCut });
      expect(isPlainLine(sentence)).toBe(true);
      expect(sentence).toBe(sentence.trim());
      expect(sentence.length).toBeLessThanOrEqual(text.length + 1);
    }),
  );
});
