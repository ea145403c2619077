import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { version } from '@portico/composition';
import { expect, onTestFinished, test } from 'vitest';

test('the first line of the log says which version starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-http-'));
  const service = spawn(process.execPath, ['-C', '@portico/source', join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  onTestFinished(async () => {
    service.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ version, msg: `Portico ${version} starts` });
});
