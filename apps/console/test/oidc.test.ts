import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { personAtProvider, startConsoleAtProvider, type ConsoleAtProvider } from './console-at-provider.ts';
import { provideBrowser } from './provide-service.ts';
import { openPage, screenshot } from './watched-page.ts';

const browser = await provideBrowser();

/** A token lifetime that is short enough to wait for: a token is renewed after two thirds of it. */
const shortSeconds = 9;
const hourSeconds = 3_600;
/** The minimum interval at which the service fetches unknown keys, plus one second. */
const keyIntervalMs = 31_000;

const ada = personAtProvider('ada');
const signOutButton = (page: Page) => page.getByRole('button', { name: 'Sign out' });
const expectHeading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describe.skipIf(!browser).each([
  { how: 'with a refresh token', refreshTokens: true },
  { how: 'in a hidden frame', refreshTokens: false },
])('a sign-in with an identity provider that is renewed $how', ({ refreshTokens }) => {
  if (!browser) return;
  let consoleAtProvider: ConsoleAtProvider;
  beforeAll(async () => {
    consoleAtProvider = await startConsoleAtProvider(browser, { refreshTokens, idTokenSeconds: shortSeconds });
    await consoleAtProvider.addAdmin(ada);
  });
  afterAll(() => consoleAtProvider.close());

  test('is renewed repeatedly, also after the provider rotates its key', async () => {
    const startedAt = Date.now();
    const { page, context } = await consoleAtProvider.open();
    await consoleAtProvider.signIn(page, ada);
    await expectHeading(page, 'People');
    const keyBefore = await readKeyIdOfNextCall(page, 'before');
    const renewals: Request[] = [];
    context.on('requestfinished', (request) => {
      if (isRenewal(request, refreshTokens)) renewals.push(request);
    });
    await expect.poll(() => renewals.length).toBeGreaterThan(2);
    await expect.poll(() => Date.now() - startedAt).toBeGreaterThan(keyIntervalMs);
    consoleAtProvider.provider.rotate();
    const count = renewals.length;
    await expect.poll(() => renewals.length).toBeGreaterThan(count);
    await expect.poll(() => readKeyIdOfNextCall(page, `after ${Date.now()}`), { interval: 500 }).not.toBe(keyBefore);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(JSON.stringify(await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      'eyJ',
    );
  });
});

const isRenewal = (request: Request, refreshTokens: boolean): boolean =>
  refreshTokens
    ? (request.postData()?.includes('grant_type=refresh_token') ?? false)
    : request.url().includes('prompt=none');

/** Types into the filter of the people list. Returns the id of the key that signed the resulting request's token. */
const readKeyIdOfNextCall = async (page: Page, searchText: string): Promise<string> => {
  const pendingResponse = page.waitForResponse((response) => /\/api\/profiles\/\?.*q=/.test(response.url()));
  await page.getByRole('searchbox').fill(searchText);
  const response = await pendingResponse;
  expect(response.status()).toBe(200);
  const [header = ''] = (response.request().headers()['authorization'] ?? '').replace('Bearer ', '').split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
};

describe.skipIf(!browser)('a sign-in with an identity provider', () => {
  if (!browser) return;
  let consoleAtProvider: ConsoleAtProvider;
  beforeAll(async () => {
    consoleAtProvider = await startConsoleAtProvider(browser, { refreshTokens: false, idTokenSeconds: hourSeconds });
    await consoleAtProvider.addAdmin(ada);
  });
  afterAll(() => consoleAtProvider.close());

  test('leads to the requested page, and signing out also ends the session at the provider', async () => {
    const { page } = await consoleAtProvider.open('/search');
    await expectAccessible(page);
    await screenshot(page, 'sign in with a provider');
    await consoleAtProvider.signIn(page, ada);
    await page.locator('#content h1').waitFor();
    expect(page.url()).toBe(`${consoleAtProvider.service.address}/console/search`);

    await signOutButton(page).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await consoleAtProvider.signInButton(page).waitFor();
    expect(page.url()).toBe(`${consoleAtProvider.service.address}/console/`);
    // A person who is still signed in at the provider would return without seeing the provider's login page.
    const interaction = page.waitForRequest(/\/interaction\//);
    await consoleAtProvider.signIn(page, ada);
    await interaction;
    await signOutButton(page).waitFor();
  });

  test('is restored after a reload while the provider has a session', async () => {
    const { page } = await consoleAtProvider.open('/search');
    await consoleAtProvider.signIn(page, ada);
    await signOutButton(page).waitFor();
    await page.reload();
    await signOutButton(page).waitFor();
    expect(page.url()).toBe(`${consoleAtProvider.service.address}/console/search`);
  });

  test('works in a window that another page opened', async () => {
    const { page, context } = await openPage(browser, consoleAtProvider.service, {
      origins: [consoleAtProvider.provider.issuer],
    });
    await page.goto(`${consoleAtProvider.service.address}/console/`);
    const pageEvent = context.waitForEvent('page');
    await page.evaluate(() => void window.open('/console/search'));
    const openedPage = await pageEvent;
    await consoleAtProvider.signIn(openedPage, ada);
    await openedPage.locator('#content h1').waitFor();
    expect(openedPage.url()).toBe(`${consoleAtProvider.service.address}/console/search`);
  });

  test('reports that the provider is unavailable, and works once it is available again', async () => {
    const { page, allowProblem } = await consoleAtProvider.open();
    allowProblem(/ERR_CONNECTION_REFUSED/);
    await consoleAtProvider.provider.control.stop();
    try {
      await consoleAtProvider.signIn(page, ada);
      await page.getByRole('alert').getByText('The identity provider cannot be reached.').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'provider unavailable');
    } finally {
      await consoleAtProvider.provider.control.start();
    }
    await consoleAtProvider.signIn(page, ada);
    await signOutButton(page).waitFor();
  });

  test('names the missing setting if the provider does not let the page request a token', async () => {
    const { page, allowProblem } = await consoleAtProvider.open();
    allowProblem(/CORS policy|ERR_FAILED/);
    consoleAtProvider.provider.allowCors(false);
    try {
      await consoleAtProvider.signIn(page, ada);
      const sentence = `Add ${consoleAtProvider.service.address} to the allowed web origins (CORS) of the client portico-console`;
      await page.getByRole('alert').getByText(sentence).waitFor();
    } finally {
      consoleAtProvider.provider.allowCors(true);
    }
    await consoleAtProvider.signIn(page, ada);
    await signOutButton(page).waitFor();
  });

  /** Opens the registration form for a new person, fills it in, and lets the sign-in expire without renewal. */
  const openExpiredForm = async (name: string) => {
    const { page, context, allowProblem } = await consoleAtProvider.open();
    allowProblem(/^console: .*404.*profiles\/me/);
    await page.clock.install();
    await page.reload();
    const newcomer = personAtProvider(name);
    await consoleAtProvider.signIn(page, newcomer);
    await page.getByLabel('Full name').fill('New Comer');
    await page.getByLabel('Company').fill('Newcomers');
    const postedUrls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().startsWith(consoleAtProvider.service.address))
        postedUrls.push(request.url());
    });
    // Without a session at the provider, no token is renewed silently. As on a sleeping computer, timers do not run.
    await context.clearCookies();
    await page.clock.setSystemTime(Date.now() + 2 * hourSeconds * 1_000);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
    expect(postedUrls).toEqual([]);
    return { page, newcomer, postedUrls };
  };

  test('that expired is repeated in a popup, and a waiting form is sent once', async () => {
    const { page, newcomer, postedUrls } = await openExpiredForm('newcomer');
    await expectAccessible(page);
    await screenshot(page, 'sign-in expired');
    consoleAtProvider.provider.logInAs(newcomer);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await expectHeading(page, 'Waiting for approval');
    expect(postedUrls).toEqual([`${consoleAtProvider.service.address}/api/profiles/register`]);
    expect(await page.getByRole('dialog').count()).toBe(0);
    const [profile] = await consoleAtProvider.service.request<object[]>(
      'GET',
      '/api/profiles/?registration_status=pending',
    );
    expect(profile).toMatchObject({ email: newcomer.email, full_name: 'New Comer', company_name: 'Newcomers' });
  });

  test('that a different person repeats does not send the requests of the previous person', async () => {
    const { page, postedUrls } = await openExpiredForm('leaver');
    consoleAtProvider.provider.logInAs(ada);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await consoleAtProvider.signInButton(page).waitFor();
    expect(postedUrls).toEqual([]);
  });

  test('that expired can be ended by signing out, and nothing is sent', async () => {
    const { page, postedUrls } = await openExpiredForm('quitter');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await consoleAtProvider.signInButton(page).waitFor();
    expect(postedUrls).toEqual([]);
  });

  test('remains valid while the provider is briefly unavailable', async () => {
    const { page, allowProblem } = await consoleAtProvider.open();
    allowProblem(/ERR_CONNECTION_REFUSED/);
    await page.clock.install();
    await page.reload();
    await consoleAtProvider.signIn(page, ada);
    await expectHeading(page, 'People');
    await consoleAtProvider.provider.control.stop();
    const requestFailed = page.context().waitForEvent('requestfailed');
    // The token is renewed a minute before it expires.
    await page.clock.fastForward((hourSeconds - 60) * 1_000);
    await requestFailed;
    await consoleAtProvider.provider.control.start();
    const renewalRequest = page.waitForRequest(`${consoleAtProvider.provider.issuer}/token`);
    await page.clock.fastForward(20_000);
    await renewalRequest;
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.clock.fastForward(hourSeconds * 500);
    await readKeyIdOfNextCall(page, 'still here');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
