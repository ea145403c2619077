import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { replaceFile, writeNewFile } from './durable-file.ts';

const root = mkdtempSync(join(tmpdir(), 'portico-durable-'));
let folder = root;

beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
});
afterAll(() => rmSync(root, { recursive: true }));

test('a new file is accessible only to its owner, and an existing file is not changed', async () => {
  const path = join(folder, 'key');
  await writeNewFile(path, 'first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(writeNewFile(path, 'second')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(path, 'utf8')).toBe('first');
});

test('a file replaces the previous one, even if a killed process left a draft', async () => {
  const path = join(folder, 'state');
  writeFileSync(`${path}.tmp`, 'half');
  await replaceFile(path, 'first');
  await replaceFile(path, 'second');
  expect(readFileSync(path, 'utf8')).toBe('second');
  expect(readdirSync(folder)).toEqual(['state']);
});

test('a file that cannot be renamed leaves nothing behind', async () => {
  const path = join(folder, 'state');
  await replaceFile(join(folder, 'other'), '');
  await expect(replaceFile(join(folder, 'other', 'within'), '')).rejects.toThrow('ENOTDIR');
  await expect(replaceFile(folder, '', `${path}.tmp`)).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['other']);
});
