import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';

const run = promisify(execFile);

test('the demo tells the same story each time, and leaves other data alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const others = join(folder, 'portico.sqlite');
  writeFileSync(others, 'not looked at');
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(await freePort()) };
  const tell = async (): Promise<string> => {
    const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
    const { stdout } = await run(process.execPath, command, { cwd: root, env });
    return stdout
      .replace(/"retry_after":\d+/, '')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/v2/g, '{weather}')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');
  };
  // The demo itself throws where its story is not true.
  const first = await tell();
  expect(first).toContain('That was the story');
  expect(first).toContain("curl '{weather}/forecast/hourly?lat=LAT&lon=LON&app_key=API_KEY'");
  const team = first.split('\n').slice(first.split('\n').findIndex((text) => text.startsWith('9. ')));
  const told = team.slice(0, team.indexOf(''));
  expect(told.length).toBeLessThanOrEqual(24);
  expect(Math.max(...told.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(await tell()).toBe(first);
  expect(readFileSync(others, 'utf8')).toBe('not looked at');
});
