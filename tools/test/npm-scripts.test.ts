import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';
import { isGroupAlive } from './process-group.ts';
import { inheritedVariables } from './run-tool.ts';

/** Starts an npm script in its own process group and waits until it reports that the database is unavailable. */
const startScript = async (...command: readonly string[]) => {
  const installation = await createInstallation();
  const environment = {
    ...inheritedVariables,
    DATA_DIR: installation.folder,
    DATABASE_URL: 'postgresql://portico@127.0.0.1:1/portico',
  };
  // Skips the pre and post scripts, which build the console.
  const npm = spawn('npm', ['run', '--ignore-scripts', ...command], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid = 0 } = npm;
  const isAlive = () => isGroupAlive(pid);
  onTestFinished(async () => {
    if (isAlive()) process.kill(-pid, 'SIGKILL');
    await installation.remove();
  });
  const exit = once(npm, 'exit');
  let log = '';
  const databaseUnreachable = new Promise<void>((resolve) => {
    for (const output of [npm.stdout, npm.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('cannot be reached')) resolve();
      });
  });
  await Promise.race([databaseUnreachable, exit]);
  return { pid, isAlive, exit, readLog: () => log };
};

test.for(['start', 'worker'])('npm run %s shuts down cleanly when only npm gets a signal', async (script) => {
  const { pid, isAlive, exit, readLog } = await startScript(script);
  process.kill(pid, 'SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(isAlive()).toBe(false);
  expect(readLog()).toContain('"Stopped"');
});

test('Ctrl-C, which a terminal sends to npm and to the service, shuts npm start down cleanly', async () => {
  const { pid, isAlive, exit, readLog } = await startScript('start');
  process.kill(-pid, 'SIGINT');
  expect(await exit).toEqual([0, null]);
  expect(isAlive()).toBe(false);
  expect(readLog()).toContain('"Stopped"');
});

test('a command of the tool stops with the npm process that runs it', async () => {
  const { pid, isAlive, exit } = await startScript('portico', '--', 'people', 'list', '--admins');
  process.kill(pid, 'SIGTERM');
  await exit;
  expect(isAlive()).toBe(false);
});
