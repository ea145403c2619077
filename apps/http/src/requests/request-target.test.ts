import { expect, test } from 'vitest';
import { escapeUndecodable } from './request-target.ts';

test.each([
  ['/api/collections/%ff', '/api/collections/%25ff'],
  ['/api/collections/%/metadata', '/api/collections/%25/metadata'],
  ['/%41%zz/%41', '/%2541%25zz/%41'],
  ['/x/%E0%A4%A?page=%ff', '/x/%25E0%25A4%25A?page=%ff'],
])('%s is read as %s', (url, read) => {
  expect(escapeUndecodable(url)).toBe(read);
  expect(() => decodeURIComponent(read.replace(/\?.*/, ''))).not.toThrow();
});

test.each(['/', '/api/collections/', '/a?b=%', '/%E2%82%AC/%00/%2F', '*', ''])('%j stays as it is', (url) => {
  expect(escapeUndecodable(url)).toBe(url);
});
