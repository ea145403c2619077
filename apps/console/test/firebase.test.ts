import { startFakeFirebase, type FirebasePerson, type FakeFirebase } from '@portico/test-servers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { startConsoleService, type ConsoleService } from './console-service.ts';
import { provideBrowser } from './provide-service.ts';
import { openPage, screenshot } from './watched-page.ts';

const browser = await provideBrowser();

const ada: FirebasePerson = {
  uid: 'ada-at-firebase',
  email: 'ada@example.com',
  password: 'right horse battery',
  emailVerified: true,
};
const expectHeading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describe.skipIf(!browser)('signing in with email and password', () => {
  if (!browser) return;
  let firebase: FakeFirebase;
  let service: ConsoleService;
  beforeAll(async () => {
    firebase = await startFakeFirebase({ people: [ada] });
    service = await startConsoleService({ IDENTITY_LOCAL: 'true', ...firebase.variables });
  });
  afterAll(async () => {
    await service.close();
    await firebase.close();
  });

  const open = async () => {
    const watchedPage = await openPage(browser, service, { origins: [`http://${firebase.host}`] });
    // Firebase denies a sign-in, or the person is not registered yet.
    watchedPage.allowProblem(/^console: .*400.*signInWithPassword/);
    watchedPage.allowProblem(/^console: .*404.*profiles\/me/);
    await watchedPage.page.goto(`${service.address}/console/`);
    return watchedPage;
  };
  const enter = async (page: Page, password: string, email = ada.email): Promise<void> => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel(/^Password/).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const countRenewals = () => firebase.calls.filter(({ path }) => path.endsWith('/token')).length;

  test('a wrong password is reported at its field, and the right one signs in', async () => {
    const { page } = await open();
    await enter(page, 'wrong');
    await page.getByText('There is no account with this email and password.').waitFor();
    const field = page.getByLabel(/^Password/);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const describedBy = (await field.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`#${escapeForSelector(describedBy)}`).innerText()).toContain('no account');
    await expectAccessible(page);
    await screenshot(page, 'wrong password');
    await enter(page, ada.password);
    await expectHeading(page, 'Register');
    expect(await page.getByLabel('Email').inputValue()).toBe(ada.email);
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Register' }).click();
    await expectHeading(page, 'Waiting for approval');
    const [{ id }] = await service.request<[{ id: string }]>('GET', '/api/profiles/?registration_status=pending');
    await service.request('POST', `/api/profiles/${id}/approve`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.locator('#content h1').waitFor();
    const storedText = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(storedText).not.toMatch(/eyJ|refresh/);
  });

  test('reports a disabled account', async () => {
    const { page } = await open();
    firebase.put({ ...ada, disabled: true });
    try {
      await enter(page, ada.password);
      await page.getByText('This account is disabled at the identity provider.').waitFor();
    } finally {
      firebase.put(ada);
    }
  });

  test('reports that a second factor is not supported', async () => {
    const { page } = await open();
    firebase.put({ ...ada, requiresSecondFactor: true });
    try {
      await enter(page, ada.password);
      await page.getByText('This account has a second factor, which is not supported here.').waitFor();
    } finally {
      firebase.put(ada);
    }
  });

  test('reports that Firebase is unavailable, and signs in once it is available again', async () => {
    const { page, allowProblem } = await open();
    allowProblem(/ERR_CONNECTION_REFUSED/);
    await firebase.control.stop();
    try {
      await enter(page, ada.password);
      await page.getByText('The identity provider cannot be reached.').waitFor();
    } finally {
      await firebase.control.start();
    }
    await enter(page, ada.password);
    await page.locator('#content h1').waitFor();
  });

  test('a sign-in is renewed automatically; when renewal is denied, a dialog asks for the password', async () => {
    const { page, allowProblem } = await open();
    allowProblem(/^console: .*400.*securetoken/);
    firebase.tokenSeconds = 12;
    const renewalsBefore = countRenewals();
    await enter(page, ada.password);
    await page.locator('#content h1').waitFor();
    const title = await page.locator('#content h1').innerText();
    await expect.poll(countRenewals).toBeGreaterThan(renewalsBefore + 1);
    expect(await page.getByRole('dialog').count()).toBe(0);

    firebase.revoke(ada.uid);
    const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
    await dialog.waitFor();
    await expectAccessible(page);
    await screenshot(page, 'password again');
    firebase.tokenSeconds = 3_600;
    await dialog.getByLabel('Email').fill(ada.email);
    await dialog.getByLabel(/^Password/).fill(ada.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expectHeading(page, title);
  });
});

/** Escapes an id that React generated, for a selector. */
const escapeForSelector = (id: string): string => id.replaceAll(/[^\w-]/g, (character) => `\\${character}`);
