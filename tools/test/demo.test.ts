import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';

const run = promisify(execFile);

test('the demo tells the same story each time, and leaves other data alone', { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'portico.sqlite'), 'not looked at');
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(await freePort()) };
  const tell = async (): Promise<string> => {
    const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
    const { stdout } = await run(process.execPath, command, { cwd: root, env });
    return stdout.replace(/"retry_after":\d+/, '').replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');
  };
  const first = await tell();
  expect(first).toContain('ada@example.com is pending');
  expect(first).toContain('That was the story');
  expect(await tell()).toBe(first);
});
