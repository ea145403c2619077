import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort, createTemporaryFolder } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { provideBrowser } from './provide-service.ts';
import { openPage } from './watched-page.ts';

const browser = await provideBrowser();

/** Starts the demo and returns the link that it prints last. The demo runs until the test ends. */
const startDemo = async (): Promise<string> => {
  const folder = createTemporaryFolder(onTestFinished);
  const demo = spawn(process.execPath, ['-C', '@portico/source', 'tools/src/demo/main.ts'], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: String(await findFreePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(demo, 'exit');
  onTestFinished(async () => {
    demo.kill('SIGTERM');
    await exited;
  });
  for await (const line of createInterface({ input: demo.stdout })) {
    const [link] = /http:\S+\/console\S*/.exec(line) ?? [];
    if (link !== undefined) return link;
  }
  throw new Error('The demo exited without a link to the console');
};

describe.skipIf(!browser)('the demo', () => {
  if (!browser) return;
  test('the link signs in and opens the list of APIs', async () => {
    const link = await startDemo();
    const { page } = await openPage(browser, { address: new URL(link).origin });
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'APIs', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Weather' }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/apis');
  });
});
