import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { version } from '@portico/composition';
import { expect, onTestFinished, test } from 'vitest';

/** Returns the messages that a worker logs until it is ready. */
const readStartupMessages = async (variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const worker = spawn(process.execPath, ['-C', '@portico/source', join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exitEvent = once(worker, 'exit');
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    await exitEvent;
  });
  const messages: string[] = [];
  for await (const line of createInterface({ input: worker.stdout })) {
    messages.push((JSON.parse(line) as { msg: string }).msg);
    if (messages.at(-1) === 'The worker is ready') return messages;
  }
  throw new Error(`The worker exited before it was ready: ${messages.join('\n')}`);
};

test('a worker warns about jobs at startup, but not about settings for requests', async () => {
  const variables = {
    NODE_ENV: 'production',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    IDENTITY_LOCAL: 'true',
    JOBS: 'off',
  };
  expect(await readStartupMessages(variables)).toEqual([
    `Portico ${version} starts`,
    expect.stringContaining('Mail is off'),
    expect.stringMatching(/^\d+ migrations ran in \d+ ms$/),
    expect.stringContaining('this profile is an admin now'),
    'The worker is ready',
  ]);
});
