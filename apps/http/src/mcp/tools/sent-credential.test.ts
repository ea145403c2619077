import { expect, test } from 'vitest';
import { credentialPlaceOf, toSentCredential } from './sent-credential.ts';

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
  [createScheme('apiKey', 'header'), null, null],
  [createScheme('bearer'), 'abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [createScheme('bearer'), 'Bearer abc', { in: 'header', name: 'Authorization', value: 'Bearer abc' }],
  [createScheme('bearer'), null, null],
  [createScheme('basic'), 'YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('basic'), 'a:b', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('basic'), 'Basic YTpi', { in: 'header', name: 'Authorization', value: 'Basic YTpi' }],
  [createScheme('none'), null, null],
])('%j with the credential %j is sent as %j', (input, credential, expected) => {
  expect(toSentCredential(input, credential)).toEqual(expected);
});

test.each([
  [createScheme('apiKey'), { type: 'apiKey', in: 'header', name: 'key', prefix: '' }],
  [createScheme('apiKey', 'query'), { type: 'apiKey', in: 'query', name: 'key', prefix: '' }],
  [createScheme('bearer'), { type: 'bearer', in: 'header', name: 'Authorization', prefix: 'Bearer ' }],
  [createScheme('basic'), { type: 'basic', in: 'header', name: 'Authorization', prefix: 'Basic ' }],
  [createScheme('none'), null],
])('the credential of %j goes to %j', (input, expected) => {
  expect(credentialPlaceOf(input)).toEqual(expected);
});
