import { expect, test } from 'vitest';
import { removeMarkup, wordsOf } from './words.ts';

test.each([
  ['Send an E-Mail!', ['send', 'an', 'e', 'mail']],
  ['getUserById', ['get', 'user', 'by', 'id', 'getuserbyid']],
  ['HTTPServer2', ['http', 'server', '2', 'httpserver2']],
  ['user_name-list', ['user', 'name', 'list']],
  ['OAuth2', ['o', 'auth', '2', 'oauth2']],
  ['Ｃａｆé ÅNGSTRÖM', ['cafe', 'angstrom']],
  ['ﬁle ½', ['file', '1', '2']],
  ['Погода в Москве', ['погода', 'в', 'москве']],
  ['日本の天気', ['日本', '本の', 'の天', '天気']],
  ['天', ['天']],
  ['API天気API', ['api', '天気', 'api']],
  ['\u{20000}\u{20001}', ['\u{20000}\u{20001}']],
  ['🙂', ['🙂']],
  [' ...! ', ['...!']],
  [' \n\t', []],
  ['', []],
])('%j has the words %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('only the first 40 letters of a long run are used', () => {
  expect(wordsOf('a'.repeat(5000))).toEqual(['a'.repeat(40)]);
  expect(wordsOf('!'.repeat(5000))).toEqual(['!'.repeat(40)]);
});

test.each([
  ['<p>Pay <b class="x">now</b><br/></p>', 'Pay now'],
  ['<style>p { color: red }</style>Text<script src="a">run()</script>', 'Text'],
  ['<!-- hidden -->Shown', 'Shown'],
  ['Read [the guide](https://example.com/guide?a=b) first', 'Read [the guide] first'],
  ['see https://example.com/a/b?c=d, or http://example.org', 'see or'],
  ['![logo](data:image/png;base64,iVBORw0KGgo=) Name', '![logo] Name'],
  ['fish &amp; chips&nbsp;&#8211; &#x20AC;', 'fish chips'],
  ['if a < b and c > d', 'if a < b and c > d'],
])('%j without markup is %j', (text, plain) => {
  expect(removeMarkup(text).replace(/\s+/g, ' ').trim()).toBe(plain);
});

test.each(['<', '<a', '<script>', '](', '<!--', '&a', 'https://', 'a<b ', '<script><'])(
  'ten thousand characters of %j cause no excessive backtracking',
  (unit) => {
    const text = unit.repeat(Math.ceil(10_000 / unit.length));
    expect(removeMarkup(text).length).toBeLessThanOrEqual(text.length);
  },
);
