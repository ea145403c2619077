import { expect, test } from 'vitest';
import { wordsOf } from './words.ts';

test.each([
  ['Send an E-Mail!', ['send', 'an', 'e', 'mail']],
  ['getUserById', ['get', 'user', 'by', 'id']],
  ['HTTPServer2', ['http', 'server2']],
  ['user_name-list', ['user', 'name', 'list']],
  ['OAuth2 EC2 s3 2fa MP3s', ['o', 'auth2', 'ec2', 's3', '2fa', 'mp3', 's']],
  ['Ｃａｆé ÅNGSTRÖM', ['cafe', 'angstrom']],
  ['Погода в Москве', ['погода', 'в', 'москве']],
  ['日本の天気', ['日本', '本の', 'の天', '天気']],
  ['天', ['天']],
  ['API天気API', ['api', '天気', 'api']],
  ['🙂 ...! \n\t', []],
  ['', []],
])('%j has the words %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('only the first 24 letters of a long run are used', () => {
  expect(wordsOf('a'.repeat(24))).toEqual(['a'.repeat(24)]);
  expect(wordsOf('a'.repeat(5000))).toEqual(['a'.repeat(24)]);
  expect(wordsOf('é'.repeat(5000))).toEqual(['e'.repeat(24)]);
});
