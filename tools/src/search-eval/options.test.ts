import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { UsageError } from '../usage-error.ts';

const data = mkdtempSync(join(tmpdir(), 'portico-judged-'));
writeFileSync(join(data, 'catalog-eval.jsonl'), '');
afterAll(() => rmSync(data, { recursive: true }));

test('without your own files, all labelled data is used', () => {
  expect(readOptions([], data)).toEqual({
    collections: { corpus: join(data, 'catalog-eval.jsonl'), queries: join(data, 'queries-dev.json') },
    operations: join(data, 'operations'),
    json: false,
    record: null,
  });
});

test('with your own files, only those are evaluated', () => {
  expect(readOptions(['--corpus', 'c', '--queries', 'q'], data)).toMatchObject({
    collections: { corpus: 'c', queries: 'q' },
    operations: null,
  });
  expect(readOptions(['--operations', 'o'], data)).toMatchObject({ collections: null, operations: 'o' });
});

test('--help and -h request help', () => {
  expect([readOptions(['--help'], data), readOptions(['-h'], data)]).toEqual([null, null]);
});

test.each<[readonly string[], string]>([
  [['--corpus', 'c'], '--corpus and --queries must be used together'],
  [['--queries', 'q'], '--corpus and --queries must be used together'],
  [['--check', '--record'], '--check and --record cannot be used together'],
  [['--check', '--operations', 'o'], 'not your own'],
  [['--colour'], "Unknown option '--colour'"],
  [['file'], "Unexpected argument 'file'"],
])('%j is rejected', (args, message) => {
  expect(() => readOptions(args, data)).toThrow(UsageError);
  expect(() => readOptions(args, data)).toThrow(message);
});

test('a check does not pass without labelled data', () => {
  expect(() => readOptions(['--check'], join(data, 'none'))).toThrow('there is no labelled data in');
});
