import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { version } from '@portico/composition';
import { createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';

const startService = (variables: Readonly<Record<string, string>>) => {
  const folder = createTemporaryFolder(onTestFinished);
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
  ['an invalid configuration', { PORT: 'none' }, /PORT: read "none"/],
  [
    'an address of a different machine',
    { PORT: '0', HOST: '192.0.2.1' },
    /^HOST and PORT is not an address of this machine/,
  ],
])(
  'with %s, the log ends with the reason, which is also printed to standard error as text',
  async (_, variables, reason) => {
    const { service, ended: exit } = startService(variables);
    const [log, errorText] = await Promise.all([text(service.stdout), text(service.stderr), exit]);
    expect(errorText).toMatch(reason);
    const lastEntry = JSON.parse(log.trimEnd().split('\n').at(-1) ?? '') as object;
    expect(lastEntry).toMatchObject({ level: 'fatal', msg: errorText.trimEnd() });
  },
);
