import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { isGroupAlive } from './process-group.ts';

const run = promisify(execFile);

test('the demo prints the same story each time, and does not touch other data', async () => {
  const folder = createTemporaryFolder(onTestFinished);
  const otherDatabase = join(folder, 'portico.sqlite');
  writeFileSync(otherDatabase, 'not looked at');
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(await findFreePort()) };
  const runDemo = async (): Promise<string> => {
    const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
    const { stdout } = await run(process.execPath, command, { cwd: root, env });
    return stdout
      .replace(/"retry_after":\d+/, '')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/v2/g, '{weather}')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');
  };
  // The demo itself throws if a part of its story is not true.
  const firstOutput = await runDemo();
  expect(firstOutput).toContain('This is the end of the demo.');
  expect(firstOutput).toContain("curl '{weather}/forecast/hourly?lat=LAT&lon=LON&app_key=API_KEY'");
  const linesFromTeamStep = firstOutput
    .split('\n')
    .slice(firstOutput.split('\n').findIndex((text) => text.startsWith('9. ')));
  const teamStep = linesFromTeamStep.slice(0, linesFromTeamStep.indexOf(''));
  expect(teamStep.length).toBeLessThanOrEqual(24);
  expect(Math.max(...teamStep.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(await runDemo()).toBe(firstOutput);
  expect(readFileSync(otherDatabase, 'utf8')).toBe('not looked at');
});

test('the demo and its service exit when only npm gets a signal', async () => {
  const folder = createTemporaryFolder(onTestFinished);
  const port = await findFreePort();
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
  const exit = once(npm, 'exit');
  let stderr = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const start = new Promise<void>((resolve) => {
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('1. An administrator')) resolve();
    });
  });
  await Promise.race([start, exit]);
  process.kill(pid, 'SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(stderr).toBe('');
  expect(isGroupAlive(pid)).toBe(false);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test('the demo reports in one line that its port is in use', async () => {
  const folder = createTemporaryFolder(onTestFinished);
  const otherServer = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void otherServer.close());
  await once(otherServer, 'listening');
  const { port } = otherServer.address() as AddressInfo;
  const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port) };
  await expect(run(process.execPath, command, { cwd: root, env })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `HOST and PORT: 127.0.0.1:${port} is in use: stop the process that listens there, or choose another port (EADDRINUSE)\n`,
  });
});
