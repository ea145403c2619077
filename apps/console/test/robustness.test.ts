import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import type { ConsoleService, Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn, type WatchedPage } from './watched-page.ts';

const browser = await provideBrowser();

const hourMs = 3_600_000;
const unavailableMessage = /The service cannot be reached/;
const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Your session has expired' });
/** Locates the outcome of an action, even below a dialog that shows a key. */
const outcome = (page: Page, text: string | RegExp) => page.locator('[role=status]').filter({ hasText: text });
const filter = (page: Page) => page.getByRole('searchbox');

describe.skipIf(!browser)('the console', () => {
  if (!browser) return;
  const service = provideService();
  let isStopped = false;
  beforeAll(async () => {
    for (const uid of ['ada', 'bob', 'cyd']) await service.register(personOf(uid), { approved: false });
  });
  afterEach(() => start());

  const stop = async (): Promise<void> => {
    isStopped = true;
    await service.stop();
  };
  const start = async (): Promise<void> => {
    if (isStopped) await service.start();
    isStopped = false;
  };
  /** Opens the list of pending people as an administrator. */
  const openAsAdministrator = async (): Promise<WatchedPage> => {
    const watchedPage = await openPage(browser, service);
    await signIn(watchedPage.page, service);
    await row(watchedPage.page, 'cyd@example.com').waitFor();
    return watchedPage;
  };
  const expectUnavailable = ({ allowProblem }: WatchedPage): void => {
    allowProblem(/ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE/);
  };

  test('reports that the service is unavailable, and continues once it is available again', async () => {
    const watchedPage = await openAsAdministrator();
    const { page } = watchedPage;
    expectUnavailable(watchedPage);
    await stop();
    await filter(page).fill('ada');
    await page.getByRole('alert').getByText(unavailableMessage).waitFor();
    expect(await filter(page).inputValue()).toBe('ada');
    await expectAccessible(page);
    await screenshot(page, 'service unavailable');
    await start();
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'ada@example.com').waitFor();
    expect(await page.getByRole('alert').getByText(unavailableMessage).count()).toBe(0);
  });

  test('opens a page that failed to load while the service was unavailable', async () => {
    const watchedPage = await openAsAdministrator();
    const { page } = watchedPage;
    expectUnavailable(watchedPage);
    watchedPage.allowProblem(/Failed to fetch dynamically imported module/);
    await stop();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('alert').waitFor();
    await screenshot(page, 'page not loaded');
    await start();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  });

  test('does not repeat a change that failed while the service was unavailable', async () => {
    const watchedPage = await openAsAdministrator();
    const { page } = watchedPage;
    expectUnavailable(watchedPage);
    const approve = async (): Promise<void> => {
      await row(page, 'ada@example.com').getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Approve 1' }).click();
    };
    await stop();
    await approve();
    await outcome(page, unavailableMessage).waitFor();
    await screenshot(page, 'not approved');
    await start();
    expect(await listPending(service)).toContain('ada@example.com');
    await approve();
    await outcome(page, 'approved; the credentials were sent').waitFor();
    expect(await listPending(service)).not.toContain('ada@example.com');
  });

  test('reports to the second of two administrators that a person was already approved', async () => {
    const [firstPage, secondPage] = [await openAsAdministrator(), await openAsAdministrator()];
    for (const { page } of [firstPage, secondPage]) await row(page, 'bob@example.com').getByRole('checkbox').check();
    await firstPage.page.getByRole('button', { name: 'Approve 1' }).click();
    await row(firstPage.page, 'bob@example.com').waitFor({ state: 'detached' });
    await secondPage.page.getByRole('button', { name: 'Approve 1' }).click();
    await outcome(secondPage.page, 'bob: already approved by someone else').waitFor();
    await row(secondPage.page, 'bob@example.com').waitFor({ state: 'detached' });
    await expectAccessible(secondPage.page);
    await screenshot(secondPage.page, 'approved by someone else');
  });

  /** Signs in with a fake clock; `consumeRefreshToken` uses up the refresh token, so that renewal no longer works. */
  const withClock = async () => {
    const watchedPage = await openPage(browser, service);
    const { page } = watchedPage;
    await page.clock.install();
    const pendingResponse = page.waitForResponse((response) => response.url().endsWith('/local-issuer/token'));
    await signIn(page, service);
    const { refresh_token: refreshToken } = (await (await pendingResponse).json()) as { refresh_token: string };
    await row(page, 'cyd@example.com').waitFor();
    const consumeRefreshToken = async (): Promise<void> => {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'portico',
        refresh_token: refreshToken,
      });
      expect((await fetch(`${service.address}/local-issuer/token`, { method: 'POST', body })).status).toBe(200);
    };
    return { ...watchedPage, consumeRefreshToken };
  };

  test('continues after hours of sleep without asking', async () => {
    const { page } = await withClock();
    await page.clock.setSystemTime(Date.now() + 2 * hourMs);
    const pendingResponse = page.waitForResponse(/\/api\/profiles\/\?.*q=cyd/);
    await filter(page).fill('cyd');
    expect((await pendingResponse).status()).toBe(200);
    await row(page, 'cyd@example.com').waitFor();
    expect(await dialog(page).count()).toBe(0);
  });

  test('that wakes up before its network does not treat the sign-in as expired', async () => {
    const watchedPage = await withClock();
    const { page } = watchedPage;
    expectUnavailable(watchedPage);
    await stop();
    await page.clock.setSystemTime(Date.now() + 2 * hourMs);
    await filter(page).fill('cyd');
    await page.getByRole('alert').getByText(unavailableMessage).waitFor();
    expect(await dialog(page).count()).toBe(0);
    await start();
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'cyd@example.com').waitFor();
  });

  test('asks for a code in a dialog when a sign-in has expired, and then sends the waiting request once', async () => {
    const { page, context, consumeRefreshToken, allowProblem } = await withClock();
    allowProblem(/^console: .*400.*local-issuer\/token/);
    const postedUrls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/api/')) postedUrls.push(request.url());
    });
    await row(page, 'cyd@example.com').getByRole('checkbox').check();
    await consumeRefreshToken();
    await page.clock.setSystemTime(Date.now() + 2 * hourMs);
    await page.getByRole('button', { name: 'Approve 1' }).click();
    await dialog(page).waitFor();
    expect(postedUrls).toEqual([]);
    const popupEvent = context.waitForEvent('page');
    const signInAgain = dialog(page).getByRole('button', { name: 'Sign in again' });
    await expect.poll(() => signInAgain.evaluate((element) => element === document.activeElement)).toBe(true);
    await signInAgain.click();
    const popup = await popupEvent;
    await popup.getByLabel('One-time code').fill(await service.codeFor());
    await popup.getByLabel('One-time code').press('Enter');
    await row(page, 'cyd@example.com').waitFor({ state: 'detached' });
    expect(popup.isClosed()).toBe(true);
    expect(postedUrls).toEqual([`${service.address}/api/profiles/approve`]);
    expect(await listPending(service)).not.toContain('cyd@example.com');
    await goTo(page, '/health');
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
  });
});

const listPending = async (service: ConsoleService): Promise<readonly string[]> =>
  (await service.request<{ email: string }[]>('GET', '/api/profiles/?registration_status=pending')).map(
    ({ email }) => email,
  );
