import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureFile } from './ensure-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is created only once, accessible only to its owner, and then read', async () => {
  const path = join(folder, 'deep', 'secrets.key');
  expect(await ensureFile(path, () => 'one')).toEqual({ text: 'one', isNew: true });
  expect(await ensureFile(path, () => 'two')).toEqual({ text: 'one', isNew: false });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['secrets.key']);
});

test('many simultaneous calls return the same text', async () => {
  const path = join(folder, 'secrets.key');
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => ensureFile(path, () => `text ${index}`)));
  expect(new Set(results.map(({ text }) => text)).size).toBe(1);
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
});

test('an unreadable file is an error and is not replaced', async () => {
  await expect(ensureFile(folder, () => 'text')).rejects.toThrow('EISDIR');
});
