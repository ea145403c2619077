import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { UsageError } from '../usage-error.ts';

test('without options all peers are measured, and no file is written', () => {
  expect(readOptions([], tmpdir())).toEqual({
    only: ['directus', 'strapi', 'sqlite-vec'],
    folder: null,
    data: tmpdir(),
    into: null,
    quick: false,
  });
});

test('without data beside the repository the vectors are made up', () => {
  expect(readOptions([], '/there/is/no/such/folder')?.data).toBeNull();
});

test.each([
  [['--only', 'postgres'], '--only postgres: there are directus, strapi, sqlite-vec'],
  [['--data', '/there/is/no/such/folder'], 'no such folder'],
  [['--slow'], '--slow'],
])('%j is refused', (args, message) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(message);
});
