import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { firstAdmin, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a one-time code' });
const signOutButton = (page: Page) => page.getByRole('button', { name: 'Sign out' });
const expectHeading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describe.skipIf(!browser)('signing in', () => {
  if (!browser) return;
  const service = provideService();

  test('the printed link signs in without a click, and its code is removed from the URL and the history', async () => {
    const { page } = await openPage(browser, service);
    const visitedUrls: string[] = [];
    page.on('framenavigated', (frame) => void visitedUrls.push(frame.url()));
    await signIn(page, service);
    await expectHeading(page, 'People');
    expect(page.url()).toBe(`${service.address}/console/people`);
    expect(visitedUrls.at(-1)).not.toContain('code');
    await signOutButton(page).waitFor();
    expect(await page.title()).toContain('People');
    await expectAccessible(page);
    await screenshot(page, 'signed in');
    await page.goBack();
    await signInButton(page).waitFor();
    expect(page.url()).toBe(`${service.address}/console/`);
  });

  test('a printed link pasted into a tab with the console signs in there', async () => {
    const { page } = await openPage(browser, service);
    await page.goto(`${service.address}/console/`);
    await signInButton(page).waitFor();
    await page.goto(await service.linkFor());
    await expectHeading(page, 'People');

    await service.register(personOf('pasted'));
    const link = await service.linkFor(personOf('pasted'), '/mine');
    await page.goto(link);
    await expectHeading(page, 'My APIs');
    expect(page.url()).toBe(`${service.address}/console/mine`);
  });

  test('a page whose file no longer exists after an upgrade asks for a reload', async () => {
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/404 .*assets\/health-page/);
    await signIn(page, service);
    await page.route('**/assets/health-page*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('alert').getByText('may have been upgraded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reload' }).click();
    await signInButton(page).waitFor();
    expect(page.url()).toBe(`${service.address}/console/health`);
  });

  test('a used link leads to a page that explains why, asks for a code, and accepts a fresh one', async () => {
    const { page, allowProblem } = await openPage(browser, service);
    // The browser logs each response with an error status to its console.
    allowProblem(/^console: .*400.*local-issuer\/authorize/);
    const link = await service.linkFor();
    await page.goto(link);
    await signOutButton(page).click();
    await signInButton(page).waitFor();

    // Only the fragment of the URL differs, so the browser loads nothing by itself.
    await page.goto(link);
    await expectHeading(page, 'Sign in to Portico');
    const field = page.getByLabel('One-time code');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const describedBy = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
    const problem = page.getByRole('alert');
    expect(describedBy).toContain(await problem.getAttribute('id'));
    expect(await problem.innerText()).not.toBe('');
    await expectAccessible(page);
    await screenshot(page, 'code used twice');

    await field.fill('wrong');
    await field.press('Enter');
    await problem.waitFor();
    await field.fill((await service.codeFor()).toLowerCase());
    await field.press('Enter');
    await expectHeading(page, 'People');
    expect(page.url()).toBe(`${service.address}/console/people`);
  });

  test('a person without a link types a code', async () => {
    const { page } = await openPage(browser, service);
    await page.goto(`${service.address}/console/`);
    await signInButton(page).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'sign in');
    await signInButton(page).click();
    await page.getByLabel('One-time code').fill(await service.codeFor());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectHeading(page, 'People');
  });

  test('stores no credentials: a reload or signing out asks for a new sign-in', async () => {
    const { page, context } = await openPage(browser, service);
    await signIn(page, service);
    const storedText = await readStorage(page, context);
    expect(storedText).not.toMatch(/eyJ|refresh|id_token|access_token/);
    expect(storedText).not.toContain(firstAdmin.email);
    await page.reload();
    await signInButton(page).waitFor();

    await signIn(page, service);
    await signOutButton(page).click();
    await signInButton(page).waitFor();
    expect(await readStorage(page, context)).not.toMatch(/eyJ|refresh|id_token|access_token/);
    await page.goBack();
    await signInButton(page).waitFor();
  });

  test('a requested page opens after signing in', async () => {
    const { page } = await openPage(browser, service);
    await page.goto(`${service.address}/console/audit?action=x`);
    await signInButton(page).click();
    await page.getByLabel('One-time code').fill(await service.codeFor());
    await page.getByLabel('One-time code').press('Enter');
    await signOutButton(page).waitFor();
    expect(page.url()).toMatch(`${service.address}/console/audit`);

    await goTo(page, '/health');
    await page.waitForURL(`${service.address}/console/health`);
    await signOutButton(page).waitFor();
    await goTo(page, '/no-such-page');
    await expectHeading(page, 'Page not found.');
  });

  test('the chosen theme survives a reload and overrides the system preference', async () => {
    const { page } = await openPage(browser, service);
    const readColorScheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    await signIn(page, service);
    expect(await readColorScheme()).toBe('light');
    await page.getByRole('button', { name: 'Dark theme' }).click();
    expect(await readColorScheme()).toBe('dark');
    await expectAccessible(page);
    await screenshot(page, 'signed in dark');
    await page.reload();
    await signInButton(page).waitFor();
    expect(await readColorScheme()).toBe('dark');
    await expectAccessible(page);
  });

  test('a new person registers, waits, and continues once approved', async () => {
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/^console: .*404.*profiles\/me/);
    const ada = personOf('ada');
    await page.goto(await service.linkFor(ada));
    await expectHeading(page, 'Register');
    await expectAccessible(page);
    await screenshot(page, 'register');
    expect(await page.getByLabel('Email').inputValue()).toBe(ada.email);
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByLabel('Company').fill('Analytical Engines');
    await page.getByRole('button', { name: 'Register' }).click();
    await expectHeading(page, 'Waiting for approval');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Check again' }).click();
    await expectHeading(page, 'Waiting for approval');

    const [{ id, full_name, company_name }] = await service.request<[RegisteredProfile]>(
      'GET',
      '/api/profiles/?registration_status=pending',
    );
    expect([full_name, company_name]).toEqual(['Ada Lovelace', 'Analytical Engines']);
    await service.request('POST', `/api/profiles/${id}/approve`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await signOutButton(page).waitFor();
    await page.locator('#content h1').waitFor();
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'client at the start');
  });

  test('a rejected person sees that they were rejected', async () => {
    const { page } = await openPage(browser, service);
    const bob = personOf('bob');
    const id = await service.register(bob, { approved: false });
    await service.request('POST', `/api/profiles/${id}/reject`);
    await page.goto(await service.linkFor(bob));
    await expectHeading(page, 'Registration rejected');
    await expectAccessible(page);
    await signOutButton(page).click();
    await signInButton(page).waitFor();
  });

  test('a suspended person is denied access, and can continue when reinstated', async () => {
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/^console: .*401.*profiles\/me/);
    const eve = personOf('eve');
    const id = await service.register(eve);
    await service.request('POST', `/api/profiles/${id}/suspend`);
    await page.goto(await service.linkFor(eve));
    await expectHeading(page, 'Access denied');
    expect(await page.getByText('eve@example.com').count()).toBe(1);
    await expectAccessible(page);
    await screenshot(page, 'suspended');
    await service.request('POST', `/api/profiles/${id}/resume`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await signOutButton(page).waitFor();
    await page.locator('#content h1').waitFor();
  });
});

interface RegisteredProfile {
  readonly id: string;
  readonly full_name: string;
  readonly company_name: string;
}

/** Returns everything that the browser stores for the console: storages, databases, caches and cookies. */
const readStorage = async (page: Page, context: BrowserContext): Promise<string> => {
  const pageStorage = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    cookie: document.cookie,
    name: window.name,
    state: JSON.stringify(history.state),
  }));
  expect([pageStorage.databases, pageStorage.caches, pageStorage.workers]).toEqual([[], [], 0]);
  return JSON.stringify([pageStorage, await context.cookies()]);
};
