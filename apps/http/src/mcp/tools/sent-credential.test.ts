import { expect, test } from 'vitest';
import { describeCredential, toSentCredential } from './sent-credential.ts';

const createScheme = (
  type: 'apiKey' | 'bearer' | 'basic' | 'none',
  location: 'header' | 'query' | 'cookie' | null = null,
) => ({
  type,
  name: type === 'none' ? null : type === 'apiKey' ? 'key' : 'Authorization',
  in: location,
});

test.each([
  [createScheme('apiKey', 'header'), 'abc', { in: 'header', name: 'key', value: 'abc' }],
  [createScheme('apiKey', 'query'), 'abc', { in: 'query', name: 'key', value: 'abc' }],
  [createScheme('apiKey', 'cookie'), 'abc', { in: 'cookie', name: 'key', value: 'abc' }],
  [createScheme('bearer'), 'abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [createScheme('bearer'), 'Bearer abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [createScheme('bearer'), null, { in: 'header', name: 'Authorization', value: 'Bearer <credential>' }],
  [createScheme('basic'), 'YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('basic'), 'a:b', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('basic'), 'Basic YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('none'), null, null],
])('%j with the credential %j is sent as %j', (input, credential, expected) => {
  expect(toSentCredential(input, credential)).toEqual(expected);
});

test('the text shows where the credential goes, and where to get it', () => {
  expect(describeCredential(toSentCredential(createScheme('apiKey', 'query'), 'abc'), 'shown')).toMatch(
    /^Calls send the query parameter key=abc\n/,
  );
  expect(describeCredential(toSentCredential(createScheme('bearer'), null), 'stored')).toContain('include_credential');
  expect(describeCredential(toSentCredential(createScheme('bearer'), null), 'absent')).toContain('no credential');
  expect(describeCredential(null, 'absent')).toBe('Calls need no credential.');
});
