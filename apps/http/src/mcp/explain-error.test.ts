import { PorticoError, type ErrorCode } from '@portico/domain';
import { expect, test } from 'vitest';
import { explainError } from './explain-error.ts';

test.each<[ErrorCode, RegExp]>([
  ['no_access', /administrator/],
  ['collection_not_found', /list_apis/],
  ['embedding_unavailable', /in a minute/],
  ['rate_limited', /Call again in 1 s/],
])('the text of %s says how to continue', (code, expectedText) => {
  expect(explainError(new PorticoError(code))).toMatch(expectedText);
});

test('while the embedder is busy, the text says when to retry', () => {
  const error = new PorticoError('embedding_unavailable', { retryAfterSeconds: 10 });
  expect(explainError(error)).toBe('Search does not work at the moment. Try again in 10 s, or use list_apis.');
});

test('invalid arguments are reported as invalid arguments', () => {
  const error = new PorticoError('invalid_body', { reason: 'query is required' });
  expect(explainError(error)).toBe('Invalid arguments: query is required. Call again with valid ones.');
});

test.each<[string, unknown]>([
  ['an expired deadline', new PorticoError('timed_out')],
  ['a deleted caller', new PorticoError('invalid_token')],
  ['a bug', new Error('secret')],
])('%s fails the whole request', (_case, error) => {
  expect(explainError(error)).toBeNull();
});
