import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { version } from '@portico/composition';
import { temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';

const startService = (variables: Readonly<Record<string, string>>) => {
  const folder = temporaryFolder(onTestFinished);
  const service = spawn(process.execPath, ['-C', '@portico/source', join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(service, 'exit');
  onTestFinished(async () => {
    service.kill('SIGKILL');
    await exit;
  });
  return { service, ended: exit };
};

test('the first line of the log has the version', async () => {
  const { service } = startService({ PORT: '0' });
  const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ version, msg: `Portico ${version} starts` });
});

test.each([
  ['a wrong configuration', { PORT: 'none' }, /PORT: read "none"/],
  ['an address that is not here', { PORT: '0', HOST: '192.0.2.1' }, /^HOST and PORT is not an address of this machine/],
])('%s ends the log with the reason, which is printed to standard error as text', async (_, variables, reason) => {
  const { service, ended: exit } = startService(variables);
  const [log, errorText] = await Promise.all([text(service.stdout), text(service.stderr), exit]);
  expect(errorText).toMatch(reason);
  const last = JSON.parse(log.trimEnd().split('\n').at(-1) ?? '') as object;
  expect(last).toMatchObject({ level: 'fatal', msg: errorText.trimEnd() });
});
