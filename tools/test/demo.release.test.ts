import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { isGroupAlive } from './process-group.ts';

const run = promisify(execFile);

test('the demo tells the same story each time, and leaves other data alone', async () => {
  const folder = temporaryFolder(onTestFinished);
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

test('run by npm, the demo ends with its service when npm alone gets a signal', async () => {
  const folder = temporaryFolder(onTestFinished);
  const port = await freePort();
  const npm = spawn('npm', ['run', '--ignore-scripts', 'demo'], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid = 0 } = npm;
  onTestFinished(() => {
    if (isGroupAlive(pid)) process.kill(-pid, 'SIGKILL');
  });
  const ended = once(npm, 'exit');
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const begun = new Promise<void>((resolve) => {
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('1. An administrator')) resolve();
    });
  });
  await Promise.race([begun, ended]);
  process.kill(pid, 'SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(said).toBe('');
  expect(isGroupAlive(pid)).toBe(false);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test('the demo says in one line that its port is taken', async () => {
  const folder = temporaryFolder(onTestFinished);
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port) };
  await expect(run(process.execPath, command, { cwd: root, env })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `HOST and PORT: 127.0.0.1:${port} is in use: stop the process that listens there, or choose another port (EADDRINUSE)\n`,
  });
});
