import { expect, test } from 'vitest';
import { credentialText, sentCredential } from './sent-credential.ts';

const scheme = (type: 'apiKey' | 'bearer' | 'basic' | 'none', place: 'header' | 'query' | 'cookie' | null = null) => ({
  type,
  name: type === 'none' ? null : type === 'apiKey' ? 'key' : 'Authorization',
  in: place,
});

test.each([
  [scheme('apiKey', 'header'), 'abc', { in: 'header', name: 'key', value: 'abc' }],
  [scheme('apiKey', 'query'), 'abc', { in: 'query', name: 'key', value: 'abc' }],
  [scheme('apiKey', 'cookie'), 'abc', { in: 'cookie', name: 'key', value: 'abc' }],
  [scheme('bearer'), 'abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [scheme('bearer'), 'Bearer abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [scheme('bearer'), null, { in: 'header', name: 'Authorization', value: 'Bearer <credential>' }],
  [scheme('basic'), 'YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [scheme('basic'), 'a:b', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [scheme('basic'), 'Basic YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [scheme('none'), null, null],
])('%j with the credential %j is sent as %j', (input, credential, expected) => {
  expect(sentCredential(input, credential)).toEqual(expected);
});

test('the text shows where the credential goes, and where to get it', () => {
  expect(credentialText(sentCredential(scheme('apiKey', 'query'), 'abc'), 'shown')).toMatch(
    /^Calls carry the query parameter key=abc\n/,
  );
  expect(credentialText(sentCredential(scheme('bearer'), null), 'stored')).toContain('include_credential');
  expect(credentialText(sentCredential(scheme('bearer'), null), 'absent')).toContain('no credential');
  expect(credentialText(null, 'absent')).toBe('Calls need no credential.');
});
