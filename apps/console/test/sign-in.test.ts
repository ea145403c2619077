import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { startBrowser } from './browser.ts';
import { startConsoleService, type ConsoleService } from './console-service.ts';
import { openPage, screenshot, signIn } from './watched-page.ts';

const browser = await startBrowser();
afterAll(() => browser?.close());

describe.skipIf(!browser)('signing in by a one-time code', () => {
  if (!browser) return;
  let service: ConsoleService;
  beforeAll(async () => {
    service = await startConsoleService();
  }, 120_000);
  afterAll(() => service.close());

  test('the link signs in without a click, and its code is gone from the address', async () => {
    const { page } = await openPage(browser, service);
    await signIn(page, service);
    expect(page.url()).toBe(`${service.address}/console/people`);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'signed in');
  });
});
