import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage } from './watched-page.ts';

const browser = await provideBrowser();

const assets = resolve(import.meta.dirname, '../dist/assets');
const kilobyte = 1_024;
/**
 * The maximum size of all scripts until the first page is ready, including those for the sign-in; compressed, as sent.
 */
const scriptsMax = 250 * kilobyte;
const stylesMax = 60 * kilobyte;
const client: Person = { uid: 'cora', email: 'cora@example.com' };

describe.skipIf(!browser)('the first view', () => {
  if (!browser) return;
  const service = provideService();
  beforeAll(async () => {
    await service.register(client);
  });

  /** Returns the bytes of all built files that are requested until the network is idle. */
  const measureLoad = async (link: string, heading: string) => {
    const { page } = await openPage(browser, service);
    const files = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/console/assets/')) files.add(basename(pathname));
    });
    await page.goto(link);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const bytesOf = (extension: string): number =>
      [...files]
        .filter((file) => file.endsWith(extension))
        .map((file) => statSync(join(assets, `${file}.gz`)).size)
        .reduce((sum, size) => sum + size, 0);
    return { scripts: bytesOf('.js'), styles: bytesOf('.css') };
  };

  test.each([
    ['for signing in', 'Portico', async () => `${service.address}/console/`],
    ['for administrators', 'People', () => service.linkFor()],
    ['for clients', 'My APIs', () => service.linkFor(client)],
  ])('%s is small', async (_name, heading, link) => {
    const { scripts, styles } = await measureLoad(await link(), heading);
    expect(scripts).toBeGreaterThan(10 * kilobyte);
    expect(scripts).toBeLessThan(scriptsMax);
    expect(styles).toBeGreaterThan(kilobyte);
    expect(styles).toBeLessThan(stylesMax);
  });
});
