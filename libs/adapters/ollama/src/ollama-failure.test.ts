import { expect, test } from 'vitest';
import { OllamaStatusError } from './ollama-failure.ts';

test.each([
  ['the input length exceeds the context length', true],
  ['input length exceeds maximum context length', true],
  ['input exceeds maximum context length and cannot be truncated further', true],
  ['invalid input type', false],
  ['do embedding request: Post "http://127.0.0.1:40123/v1/embeddings": EOF', false],
])('status 400 with the message %j means that the text is too long: %j', (message, isTooLong) => {
  expect(new OllamaStatusError(400, message).isTextTooLong).toBe(isTooLong);
  expect(new OllamaStatusError(500, message).isTextTooLong).toBe(false);
});

test.each([
  ['model "nope" not found, try pulling it first', 'missing'],
  ["model 'nope:latest' not found", 'missing'],
  ['404 page not found', 'server'],
])('status 404 with the message %j is a failure of the kind %s', (message, kind) => {
  expect(new OllamaStatusError(404, message).kind).toBe(kind);
});
