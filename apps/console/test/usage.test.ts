import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible } from './accessible.ts';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const ben: Person = { uid: 'ben', email: 'ben@example.com' };

describe.skipIf(!browser)('usage', () => {
  if (!browser) return;
  const service = provideService();
  beforeAll(async () => {
    for (const name of ['Tide times', 'Berth booking']) {
      const openapi = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
      const { id } = await service.request<{ id: string }>('POST', '/api/collections/', {
        name,
        openapi_spec: openapi,
      });
      for (const person of [ada, ben]) {
        const profile = name === 'Tide times' ? await service.register(person) : person.email;
        await service.request('POST', '/api/access/grants', { profiles: [profile], collections: [id] });
        const reads = person === ada ? 3 : 1;
        for (let count = 0; count < reads; count++)
          await service.request('GET', `/api/collections/${id}`, undefined, person);
      }
    }
    const listUsage = () => service.request<readonly unknown[]>('GET', '/api/usage?by=profile');
    await vi.waitFor(async () => expect(await listUsage()).toHaveLength(2), { timeout: 2 * 60_000 });
  });

  test.each(['light', 'dark'] as const)('two clicks show who used an API last week, in the %s theme', async (theme) => {
    const { page } = await openPage(browser, service, { theme });
    await signIn(page, service, undefined, '/use');
    await page.getByRole('img', { name: /^Usage per day, 30 days/ }).waitFor();
    await page.getByRole('button', { name: 'Tide times' }).click();
    await page.getByText('7 days', { exact: true }).click();
    await page.getByRole('img', { name: /^Usage per day, 7 days/ }).waitFor();
    const people = page.getByRole('table', { name: 'People by usage' });
    await expect.poll(() => people.getByRole('row').nth(1).innerText()).toMatch(/ada@example.com\s+3\s+3 reads/);
    expect(new URL(page.url()).search).toBe('?api=Tide+times&days=7');
    await page.getByText('Show as a table').click();
    await expectAccessible(page);
    await screenshot(page, `use ${theme}`);

    const pendingDownload = page.waitForEvent('download');
    await page.getByRole('button', { name: 'People by usage as CSV' }).click();
    expect(readFileSync(await (await pendingDownload).path(), 'utf8')).toMatch(/^profile_id,profile_email,reads/);
  });

  test('a client sees only their own usage, and no people', async () => {
    const { page } = await openPage(browser, service, { viewport: { width: 360, height: 800 } });
    await signIn(page, service, ben, '/use?person=ada@example.com');
    await page.getByRole('table', { name: 'APIs by usage' }).getByRole('row').nth(2).waitFor();
    expect(await page.getByText('People by usage').count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toContain('ada@example.com');
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    await expectAccessible(page);
  });
});
