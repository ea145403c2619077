import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { firstAdmin, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };

describe.skipIf(!browser)('the audit log', () => {
  if (!browser) return;
  const service = provideService();
  beforeAll(async () => {
    await service.register(ada);
    const openapi = { openapi: '3.0.3', info: { title: 'Tide times', version: '1' }, paths: {} };
    await service.request('POST', '/api/collections/', { name: 'Tide times', openapi_spec: openapi });
    await service.request('POST', '/api/access/grants', { profiles: [ada.email], collections: ['Tide times'] });
    const forgedEntry = {
      action: 'access.grant',
      profile: 'mallory@example.com',
      note: '<img src=x onerror=alert(1)>',
    };
    await service.request('POST', '/api/audit/', { message: forgedEntry }, ada);
  });

  test.each(['light', 'dark'] as const)(
    'lists actions with the names of people and APIs, in the %s theme',
    async (theme) => {
      const { page } = await openPage(browser, service, { theme });
      await signIn(page, service, undefined, '/audit');
      const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row');
      const grantEntry = rows.filter({ hasText: 'Tide times' }).filter({ hasText: 'granted access.grant' });
      await grantEntry.getByRole('link', { name: firstAdmin.email }).waitFor();
      await grantEntry.getByRole('link', { name: ada.email }).waitFor();
      const forgedRow = rows.filter({ hasText: 'reported by the caller' });
      expect(await forgedRow.getByRole('link').allInnerTexts()).toEqual([ada.email]);
      await forgedRow.getByText('Message', { exact: true }).click();
      await forgedRow.getByText('<img src=x onerror=alert(1)>').waitFor();
      await expectAccessible(page);
      await screenshot(page, `audit ${theme}`);
    },
  );

  test('is filtered by the URL and exported with the same filters', async () => {
    const { page } = await openPage(browser, service, { viewport: { width: 360, height: 800 } });
    await signIn(page, service, undefined, `/audit?api=Tide+times&actor=${firstAdmin.email}&action=access.grant`);
    await page.getByText('1 entry', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    const pendingDownload = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const line: unknown = JSON.parse(readFileSync(await (await pendingDownload).path(), 'utf8'));
    expect(line).toMatchObject({ actor: firstAdmin.email, message: { action: 'access.grant', profile: ada.email } });
  });
});
