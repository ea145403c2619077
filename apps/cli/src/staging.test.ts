import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { withStaging } from './staging.ts';

/** Keeps creating files in a folder for 200 ms, as a copy does that a signal interrupts. */
const writer = `
  const { writeFileSync } = require('node:fs');
  const { workerData: folder } = require('node:worker_threads');
  const end = Date.now() + 200;
  for (let n = 0; Date.now() < end; n++) {
    try { writeFileSync(folder + '/' + n, ''); } catch (error) { if (error.code !== 'ENOENT') throw error; }
  }`;

test('the folder is removed even if a thread is still writing to it', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'portico-staging-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  let staging = '';
  let stopped: Promise<unknown> = Promise.resolve();
  await withStaging(join(parent, '.staging-'), async (folder) => {
    staging = folder;
    const thread = new Worker(writer, { eval: true, workerData: folder });
    stopped = new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject));
    await expect.poll(() => existsSync(join(folder, '0')), { interval: 1 }).toBe(true);
    await setTimeout(20);
  });
  await stopped;
  expect(existsSync(staging)).toBe(false);
});
