import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { firstAdmin, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { waitForDialogsToClose, goTo, openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const pathOf = (uid: string): string => `/people/${encodeURIComponent(personOf(uid).email)}`;

describe.skipIf(!browser)('people', () => {
  if (!browser) return;
  const service = provideService();
  const registerPending = (uid: string) => service.register(personOf(uid), { fullName: nameOf(uid), approved: false });
  const registerApproved = (uid: string) => service.register(personOf(uid), { fullName: nameOf(uid) });
  const nameOf = (uid: string) => `${uid} Example`;
  const profileOf = (uid: string) =>
    service.request<Record<string, unknown>>('GET', `/api/profiles/${personOf(uid).email}?include=tier,suspension,key`);
  const choose = (page: Page, uid: string) => page.getByRole('checkbox', { name: `Select ${nameOf(uid)}` }).click();
  const dialog = (page: Page) => page.getByRole('dialog');

  test('approving one person shows the key once', async () => {
    await registerPending('alone');
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, '/people');
    await page.getByRole('link', { name: 'People 1 waiting' }).waitFor();
    await expectAccessible(page);
    await choose(page, 'alone');
    await page.getByRole('button', { name: 'Approve 1' }).click();
    await dialog(page).getByText('shown only now').waitFor();
    const secret = await dialog(page).getByRole('group', { name: 'Secret' }).innerText();
    expect(secret).toMatch(/^portico_sk_/);
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    await waitForDialogsToClose(page);
    expect(await page.content()).not.toContain(secret);
    await page.getByText('No one is waiting for approval.').waitFor();
  });

  test('approves more people than one call allows, in batches, and reports those already decided', async () => {
    const uids = Array.from({ length: 55 }, (_, index) => `lot${index}`);
    for (const uid of uids) await registerPending(uid);
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, '/people');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await service.request('POST', `/api/profiles/${personOf('lot0').email}/approve`);
    await service.request('POST', `/api/profiles/${personOf('lot1').email}/reject`);
    await page.getByRole('button', { name: 'Approve 55' }).click();
    await dialog(page).getByText('Each person gets an API key by email.').waitFor();
    await dialog(page).getByRole('button', { name: 'Approve 55' }).click();
    await page.getByText('53 people approved; the credentials were sent by email; failed for 2 people:').waitFor();
    await page.getByText('lot0 Example: already approved by someone else').waitFor();
    await page.getByText('lot1 Example: already rejected by someone else').waitFor();
    expect((await profileOf('lot54'))['registration_status']).toBe('approved');
    await expectAccessible(page);
  });

  test('rejects several people with one reason', async () => {
    await registerPending('no1');
    await registerPending('no2');
    const { page } = await openPage(browser, service, { theme: 'dark' });
    await signIn(page, service, firstAdmin, '/people');
    await choose(page, 'no1');
    await choose(page, 'no2');
    await page.getByRole('button', { name: 'Reject 2' }).click();
    await page.getByLabel('Reason').fill('Unknown company.');
    await dialog(page).getByRole('button', { name: 'Reject' }).click();
    await page.getByText('2 people rejected.').waitFor();
    expect((await profileOf('no2'))['registration_status']).toBe('rejected');
    await expectAccessible(page);
  });

  test('undoes a rejection and approves the person', async () => {
    await registerPending('mistake');
    await service.request('POST', `/api/profiles/${personOf('mistake').email}/reject`);
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, pathOf('mistake'));
    await page.getByRole('button', { name: 'Undo rejection' }).click();
    await page.getByText('mistake Example is waiting for approval again.').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog(page).getByText('shown only now').waitFor();
    expect((await profileOf('mistake'))['registration_status']).toBe('approved');
  });

  test('sets a tier for several people, adds them to a group, and suspends them', async () => {
    await registerApproved('many1');
    await registerApproved('many2');
    await service.request('POST', '/api/rate-limits/tiers', { tier: 'gold', allowed_limit: 9, window_seconds: 60 });
    await service.request('POST', '/api/groups', { name: 'Payments' });
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, '/people?status=approved&q=many');
    const selectAndClick = async (label: string) => {
      await choose(page, 'many1');
      await choose(page, 'many2');
      await page.getByRole('button', { name: label }).click();
    };
    await selectAndClick('Set tier');
    await dialog(page).getByLabel('Tier').selectOption('gold');
    await dialog(page).getByRole('button', { name: 'Set tier' }).click();
    await page.getByText('Tier set for 2 people.').waitFor();
    await selectAndClick('Add to group');
    await dialog(page).getByLabel('Groups').fill('pay');
    await page.getByRole('option', { name: 'Payments' }).click();
    await dialog(page).getByRole('button', { name: 'Add to group' }).click();
    await page.getByText('2 people added.').waitFor();
    await selectAndClick('Suspend');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('2 people suspended.').waitFor();
    const profile = await profileOf('many2');
    expect([profile['tier'], typeof profile['suspended_at']]).toEqual(['gold', 'string']);
    const members = await service.request<readonly unknown[]>('GET', '/api/groups/Payments/members');
    expect(members).toHaveLength(2);
  });

  test('suspends a person with a reason, reinstates them, and grants an API until a day', async () => {
    const { page } = await openPage(browser, service);
    await registerApproved('ada');
    await service.request('POST', '/api/collections/', {
      name: 'Weather',
      openapi_spec: { openapi: '3.0.0', info: { title: 'Weather', version: '1' }, paths: {} },
    });
    await signIn(page, service, firstAdmin, pathOf('ada'));
    await page.getByRole('heading', { name: 'ada Example' }).waitFor();
    await page.getByText('No access granted yet.').waitFor();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await dialog(page).getByLabel('Reason').fill('Left.');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Reinstate' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    await page.getByRole('button', { name: 'Grant APIs' }).click();
    await dialog(page).getByLabel('APIs').fill('wea');
    await page.getByRole('option', { name: 'Weather' }).click();
    await dialog(page).getByLabel('Last day').fill('2099-12-31');
    await dialog(page).getByRole('button', { name: 'Grant APIs' }).click();
    await page.getByRole('cell', { name: 'Dec 31, 2099' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke Weather' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke 1' }).click();
    await page.getByText('1 grant revoked.').waitFor();
    await page.getByText('No access granted yet.').waitFor();
  });

  test('the notification has a button that undoes a change of tier or group', async () => {
    await registerApproved('undone');
    await service.request('POST', '/api/rate-limits/tiers', { tier: 'silver', allowed_limit: 99, window_seconds: 60 });
    await service.request('POST', '/api/groups', { name: 'Crew' });
    await service.request('POST', '/api/groups/Crew/members', { profiles: [personOf('undone').email] });
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, pathOf('undone'));
    await page.getByLabel('Tier', { exact: true }).selectOption('silver');
    const notification = (text: string) => page.getByRole('alert').filter({ hasText: text });
    const undo = (text: string) => notification(text).getByRole('button', { name: 'Undo' }).click();
    await undo('undone Example now has the tier silver.');
    await notification('undone Example now has no personal tier.').waitFor();
    expect((await profileOf('undone'))['tier']).toBeNull();
    await page.getByRole('button', { name: 'Remove from Crew' }).click();
    await page.getByText('Not in any group.').waitFor();
    await undo('undone Example was removed from Crew.');
    await page.getByRole('button', { name: 'Remove from Crew' }).waitFor();
  });

  test('sets the expiry of a key, and shows a new secret once', async () => {
    await registerApproved('keyed.by.a.very.long.name.that.nobody.has');
    const { page } = await openPage(browser, service, { theme: 'dark', viewport: { width: 360, height: 740 } });
    await signIn(page, service, firstAdmin, pathOf('keyed.by.a.very.long.name.that.nobody.has'));
    await page.getByRole('button', { name: 'Set expiry' }).click();
    await dialog(page).getByLabel('Last day').fill('2099-12-31');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove expiry' }).waitFor();
    await page.getByRole('button', { name: 'Replace secret' }).click();
    // A leak is not the usual reason for a new secret, so programs get time to change.
    expect(await dialog(page).getByLabel('Previous secret').inputValue()).toBe('86400');
    await dialog(page).getByLabel('Previous secret').selectOption('3600');
    await dialog(page).getByRole('button', { name: 'Replace secret' }).click();
    await page.getByText('The previous secret remains valid for 1 hour.').waitFor();
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Remove expiry' }).click();
    await page.getByRole('button', { name: 'Set expiry' }).waitFor();
    expect((await profileOf('keyed.by.a.very.long.name.that.nobody.has'))['key_expires_at']).toBeNull();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });

  test('the last administrator cannot be removed, and a warning appears for a new one who has never signed in', async () => {
    await registerPending('unbound');
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/409/);
    await signIn(page, service, firstAdmin, `/people/${encodeURIComponent(firstAdmin.email)}`);
    await page.getByRole('button', { name: 'Make client' }).click();
    await dialog(page).getByRole('button', { name: 'Make client' }).click();
    await dialog(page).getByText('This is the last administrator who can sign in').waitFor();
    await page.keyboard.press('Escape');
    const body = { firebase_uid: 'nobody', email: 'nobody@example.com', full_name: 'nobody Example' };
    await fetch(`${service.address}/api/profiles/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await goTo(page, '/people/nobody%40example.com');
    await page.getByRole('button', { name: 'Make administrator' }).click();
    await dialog(page).getByRole('button', { name: 'Make administrator' }).click();
    await page.getByText('No one has signed in as this profile yet').waitFor();
  });

  test('a person can be deleted only after typing their email address', async () => {
    await registerApproved('gone');
    const { page } = await openPage(browser, service);
    await signIn(page, service, firstAdmin, pathOf('gone'));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const confirm = dialog(page).getByRole('button', { name: 'Delete' });
    await dialog(page).getByLabel('Type gone@example.com').fill('someone@example.com');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Type gone@example.com').fill('gone@example.com');
    await confirm.click();
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
    const { status } = await service.call('GET', '/api/profiles/gone@example.com');
    expect(status).toBe(404);
  });
});
