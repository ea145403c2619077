import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const lastDay = '2099-12-31';
const displayedDay = 'Dec 31, 2099';

/** Time zones west of UTC, at UTC, and so far east that it is the next day, with browsers in three languages. */
const locales = [
  ['America/Los_Angeles', 'en-US'],
  ['UTC', 'de-DE'],
  ['Pacific/Kiritimati', 'ar-EG'],
] as const;

describe.skipIf(!browser)('in every time zone and language', () => {
  if (!browser) return;
  const service = provideService();
  let api = '';
  beforeAll(async () => {
    await service.register(ada);
    const openapi = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };
    const body = { name: 'Weather', openapi_spec: openapi };
    api = (await service.request<{ id: string }>('POST', '/api/collections/', body)).id;
    await service.request('POST', '/api/groups', { name: 'Crew' });
    const grantBody = { profiles: [ada.email], groups: ['Crew'], collections: [api], expires_at: lastDay };
    await service.request('POST', '/api/access/grants', grantBody);
    await service.request('PUT', `/api/profiles/${ada.email}/credentials`, { expires_at: lastDay });
  });

  /** Expects the page to show the chosen last day, and no text in another language. */
  const expectChosenDay = async (page: Page, path: string, count = 1): Promise<void> => {
    await goTo(page, path);
    const days = page.locator('#content').getByText(displayedDay);
    await expect.poll(() => days.count(), { message: path }).toBeGreaterThanOrEqual(count);
    const text = await page.locator('#content').innerText();
    expect([path, text.match(/2100|2099-12|[\u0600-\u06ff]|\b(vor|in) \d+ (Minute|Sekunde|Stunde)|Dez/)]).toEqual([
      path,
      null,
    ]);
  };

  test.each(locales)('an expiry is shown as the chosen last day, in English (%s, %s)', async (timeZone, language) => {
    const { page } = await openPage(browser, service, { timeZone, language });
    await signIn(page, service, undefined, '/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    await page.getByLabel('Expires', { exact: true }).selectOption('On a date');
    await page.getByLabel('Last day').fill(lastDay);
    await page.getByText(`The last day is ${displayedDay}.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expectChosenDay(page, '/access');
    await expectChosenDay(page, `/people/${ada.email}`, 2);
    await page.getByRole('button', { name: 'Change expiry' }).click();
    expect(await page.getByLabel('Last day').inputValue()).toBe(lastDay);
    await page.keyboard.press('Escape');
    await expectChosenDay(page, '/access/groups/Crew?show=apis');
    await expectChosenDay(page, '/audit?action=access.grant');
    await goTo(page, `/apis/${api}`);
    await page.getByRole('button', { name: 'Who has access' }).click();
    await expectChosenDay(page, `/apis/${api}`);
    const { page: clientPage } = await openPage(browser, service, { timeZone, language });
    await signIn(clientPage, service, ada, '/key');
    await expectChosenDay(clientPage, '/key');
  });
});
