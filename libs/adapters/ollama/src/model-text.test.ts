import { expect, test } from 'vitest';
import { cutText, prefixOf } from './model-text.ts';

test.each([
  ['nomic-embed-text', 'document', 'search_document: '],
  ['nomic-embed-text:v1.5', 'query', 'search_query: '],
  ['Nomic-Embed-Text-v2-moe', 'query', 'search_query: '],
  ['registry.example.com:5000/ai/nomic-embed-text:latest', 'document', 'search_document: '],
  ['all-minilm', 'document', ''],
  ['nomic-embed-text/other', 'query', ''],
] as const)('the prefix of %s for a %s is %j', (model, purpose, prefix) => {
  expect(prefixOf(model, purpose)).toBe(prefix);
});

test('a text is cut to the limit, and a short text is unchanged', () => {
  expect(cutText('abcdef', 3)).toBe('abc');
  expect(cutText('abc', 3)).toBe('abc');
});

test('a surrogate pair is never split; a lone surrogate is an ordinary unit', () => {
  expect(cutText('ab🙂cd', 3)).toBe('ab');
  expect(cutText('ab🙂cd', 4)).toBe('ab🙂');
  expect(cutText('ab\ud83dcd', 3)).toBe('ab\ud83d');
});
