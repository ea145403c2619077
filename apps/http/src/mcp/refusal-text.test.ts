import { PorticoError, type ErrorCode } from '@portico/domain';
import { expect, test } from 'vitest';
import { refusalText } from './refusal-text.ts';

test.each<[ErrorCode, RegExp]>([
  ['no_access', /administrator/],
  ['collection_not_found', /list_apis/],
  ['embedding_unavailable', /in a minute/],
  ['rate_limited', /Call again in 1 s/],
])('%s says what to do next', (code, words) => {
  expect(refusalText(new PorticoError(code))).toMatch(words);
});

test('while the embedder is busy, the advice says when to retry', () => {
  const error = new PorticoError('embedding_unavailable', { retryAfterSeconds: 10 });
  expect(refusalText(error)).toBe('Search does not work at the moment. Try again in 10 s, or use list_apis.');
});

test('invalid arguments are named as such', () => {
  const error = new PorticoError('invalid_body', { because: 'query is required' });
  expect(refusalText(error)).toBe('Invalid arguments: query is required. Call again with valid ones.');
});

test.each<[string, unknown]>([
  ['an expired deadline', new PorticoError('timed_out')],
  ['a deleted caller', new PorticoError('invalid_token')],
  ['a bug', new Error('secret')],
])('%s fails the whole request', (_case, error) => {
  expect(refusalText(error)).toBeNull();
});
