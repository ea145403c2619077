import { expect, test } from 'vitest';
import { OllamaRefusal } from './ollama-failure.ts';

test.each([
  ['the input length exceeds the context length', true],
  ['input length exceeds maximum context length', true],
  ['input exceeds maximum context length and cannot be truncated further', true],
  ['invalid input type', false],
  ['do embedding request: Post "http://127.0.0.1:40123/v1/embeddings": EOF', false],
])('a refusal by 400 that says %j is about the length of the text: %j', (said, isTooLong) => {
  expect(new OllamaRefusal(400, said).isTextTooLong).toBe(isTooLong);
  expect(new OllamaRefusal(500, said).isTextTooLong).toBe(false);
});

test.each([
  ['model "nope" not found, try pulling it first', 'missing'],
  ["model 'nope:latest' not found", 'missing'],
  ['404 page not found', 'server'],
])('a refusal by 404 that says %j is of the kind %s', (said, kind) => {
  expect(new OllamaRefusal(404, said).kind).toBe(kind);
});
