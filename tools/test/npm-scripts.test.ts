import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';
import { isGroupAlive } from './process-group.ts';
import { inherited } from './run-tool.ts';

/** Starts a script by npm, in a process group of its own, and waits until it says that its database is away. */
const startScript = async (...command: readonly string[]) => {
  const installation = await createInstallation();
  const environment = {
    ...inherited,
    DATA_DIR: installation.folder,
    DATABASE_URL: 'postgresql://portico@127.0.0.1:1/portico',
  };
  // Without the scripts around it, which build the console.
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
  const ended = once(npm, 'exit');
  let said = '';
  const waits = new Promise<void>((resolve) => {
    for (const output of [npm.stdout, npm.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('cannot be reached')) resolve();
      });
  });
  await Promise.race([waits, ended]);
  return { pid, isAlive, ended, said: () => said };
};

test.for(['start', 'worker'])('npm run %s ends in order when npm alone gets a signal', async (script) => {
  const { pid, isAlive, ended, said } = await startScript(script);
  process.kill(pid, 'SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(isAlive()).toBe(false);
  expect(said()).toContain('"Stopped"');
});

test('Ctrl-C, which a terminal sends to npm and to the service, ends npm start in order', async () => {
  const { pid, isAlive, ended, said } = await startScript('start');
  process.kill(-pid, 'SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(isAlive()).toBe(false);
  expect(said()).toContain('"Stopped"');
});

test('a command of the tool ends with the npm that runs it', async () => {
  const { pid, isAlive, ended } = await startScript('portico', '--', 'people', 'list', '--admins');
  process.kill(pid, 'SIGTERM');
  await ended;
  expect(isAlive()).toBe(false);
});
