import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const chosen = '2099-12-31';
const shown = 'Dec 31, 2099';

/** West of UTC, there, and so far east that it is the next day; with browsers of three languages. */
const places = [
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
    const made = { name: 'Weather', openapi_spec: openapi };
    api = (await service.ask<{ id: string }>('POST', '/api/collections/', made)).id;
    await service.ask('POST', '/api/groups', { name: 'Crew' });
    const granted = { profiles: [ada.email], groups: ['Crew'], collections: [api], expires_at: chosen };
    await service.ask('POST', '/api/access/grants', granted);
    await service.ask('PUT', `/api/profiles/${ada.email}/credentials`, { expires_at: chosen });
  });

  /** Nothing of a page is of another language, and an end is the day that was chosen. */
  const expectChosenDay = async (page: Page, path: string, count = 1): Promise<void> => {
    await goTo(page, path);
    const days = page.locator('#content').getByText(shown);
    await expect.poll(() => days.count(), { message: path }).toBeGreaterThanOrEqual(count);
    const text = await page.locator('#content').innerText();
    expect([path, text.match(/2100|2099-12|[\u0600-\u06ff]|\b(vor|in) \d+ (Minute|Sekunde|Stunde)|Dez/)]).toEqual([
      path,
      null,
    ]);
  };

  test.each(places)('an end is the last day that was chosen, in English (%s, %s)', async (timeZone, language) => {
    const { page } = await openPage(browser, service, { timeZone, language });
    await signIn(page, service, undefined, '/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    await page.getByLabel('Until when').selectOption('A date');
    await page.getByLabel('Last day').fill(chosen);
    await page.getByText(`The last day is ${shown}.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expectChosenDay(page, '/access');
    await expectChosenDay(page, `/people/${ada.email}`, 2);
    await page.getByRole('button', { name: 'Change the end' }).click();
    expect(await page.getByLabel('Last day').inputValue()).toBe(chosen);
    await page.keyboard.press('Escape');
    await expectChosenDay(page, '/access/groups/Crew?show=apis');
    await expectChosenDay(page, '/audit?action=access.grant');
    await goTo(page, `/apis/${api}`);
    await page.getByRole('button', { name: 'Who may use it' }).click();
    await expectChosenDay(page, `/apis/${api}`);
    const { page: own } = await openPage(browser, service, { timeZone, language });
    await signIn(own, service, ada, '/key');
    await expectChosenDay(own, '/key');
  });
});
