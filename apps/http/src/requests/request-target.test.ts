import { expect, test } from 'vitest';
import { escapeUndecodable } from './request-target.ts';

test.each([
  ['/api/collections/%ff', '/api/collections/%25ff'],
  ['/api/collections/%/metadata', '/api/collections/%25/metadata'],
  ['/%41%zz/%41', '/%2541%25zz/%41'],
  ['/x/%E0%A4%A?page=%ff', '/x/%25E0%25A4%25A?page=%ff'],
])('%s is parsed as %s', (url, result) => {
  expect(escapeUndecodable(url)).toBe(result);
  expect(() => decodeURIComponent(result.replace(/\?.*/, ''))).not.toThrow();
});

test.each(['/', '/api/collections/', '/a?b=%', '/%E2%82%AC/%00/%2F', '*', ''])('%j is not changed', (url) => {
  expect(escapeUndecodable(url)).toBe(url);
});
