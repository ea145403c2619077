import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ensureKeyFile, parseSecretsKey } from './secrets-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'));
});

test('a key file is made once, for its owner alone, and read again', async () => {
  const path = join(folder, 'deep', 'secrets.key');
  const first = await ensureKeyFile(path);
  const second = await ensureKeyFile(path);
  expect(first.made).toBe(true);
  expect(second).toEqual({ key: first.key, made: false });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['secrets.key']);
});

test('many who make it at once end with one key', async () => {
  const path = join(folder, 'secrets.key');
  const all = await Promise.all(Array.from({ length: 20 }, () => ensureKeyFile(path)));
  expect(new Set(all.map(({ key }) => Buffer.from(key).toString('hex'))).size).toBe(1);
  expect(all.filter(({ made }) => made)).toHaveLength(1);
});

test('a file that holds no key is refused by its name, without its content', async () => {
  const path = join(folder, 'secrets.key');
  writeFileSync(path, 'too short but secret');
  await expect(ensureKeyFile(path)).rejects.toThrow(path);
  await expect(ensureKeyFile(path)).rejects.not.toThrow('too short but secret');
});

test('only 32 bytes in base64 are a key', () => {
  expect(parseSecretsKey(`${Buffer.alloc(32, 1).toString('base64')}\n`)).toHaveLength(32);
  for (const bytes of [0, 31, 33])
    expect(() => parseSecretsKey(Buffer.alloc(bytes, 1).toString('base64'))).toThrow('32 bytes');
});
