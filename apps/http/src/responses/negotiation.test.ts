import { expect, test } from 'vitest';
import { acceptsGzip, matchesIfNoneMatch } from './negotiation.ts';

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['br, gzip, deflate', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzip;q=0.001', true],
  ['gzip;q=1.001', false],
  ['gzip;q=x', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['*;q=0, gzip', true],
  ['gzip;q=0.5, identity', false],
  ['gzip;q=0.5, identity;q=0.4', true],
  ['gzip;q=1.0, identity;q=1.0', true],
  ['gzipped', false],
])('Accept-Encoding: %s accepts gzip: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['"b",W/"a"', true],
  ['*', true],
  [' * ', true],
  ['a', false],
  ['"A"', false],
  ['"aa"', false],
  ['"b"', false],
])('If-None-Match: %s lists "a": %s', (header, expected) => {
  expect(matchesIfNoneMatch(header, '"a"')).toBe(expected);
});
