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
  const loadedBy = async (link: string, heading: string) => {
    const { page } = await openPage(browser, service);
    const files = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/console/assets/')) files.add(basename(pathname));
    });
    await page.goto(link);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const bytesOf = (ending: string): number =>
      [...files]
        .filter((file) => file.endsWith(ending))
        .map((file) => statSync(join(assets, `${file}.gz`)).size)
        .reduce((sum, size) => sum + size, 0);
    return { scripts: bytesOf('.js'), styles: bytesOf('.css') };
  };

  test.each([
    ['to sign in', 'Portico', async () => `${service.address}/console/`],
    ['of administrators', 'People', () => service.linkFor()],
    ['of clients', 'My APIs', () => service.linkFor(client)],
  ])('%s loads little', async (_whose, heading, link) => {
    const { scripts, styles } = await loadedBy(await link(), heading);
    expect(scripts).toBeGreaterThan(10 * kilobyte);
    expect(scripts).toBeLessThan(scriptsMax);
    expect(styles).toBeGreaterThan(kilobyte);
    expect(styles).toBeLessThan(stylesMax);
  });
});
