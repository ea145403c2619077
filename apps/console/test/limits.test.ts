import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { firstAdmin, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const bob: Person = { uid: 'bob', email: 'bob@example.com' };

describe.skipIf(!browser)('limits', () => {
  if (!browser) return;
  const service = provideService();
  beforeAll(async () => {
    await service.register(ada, { fullName: 'Ada Example' });
    await service.register(bob, { fullName: 'Bob Example' });
    await service.request('POST', '/api/groups', { name: 'Payments' });
  });

  const tierOf = async ({ email }: Person) =>
    (await service.request<{ tier: string | null }>('GET', `/api/profiles/${email}?include=tier`)).tier;

  test('creates a tier, changes it, assigns it to people and groups, and deletes it', async () => {
    const { page } = await openPage(browser, service);
    const dialog = page.getByRole('dialog');
    await signIn(page, service, firstAdmin, '/limits');
    await page.getByText('No tiers yet').waitFor();
    await page.getByRole('button', { name: 'New tier' }).click();
    await dialog.getByLabel('Name').fill('gold');
    await dialog.getByLabel('Requests').fill('1200');
    await dialog.getByLabel('Unit').selectOption('hour');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '1,200 requests an hour' }).waitFor();
    await page.getByRole('button', { name: 'Edit gold' }).click();
    await dialog.getByRole('spinbutton', { name: 'Per', exact: true }).fill('2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '1,200 requests in 2 hours' }).waitFor();
    await page.getByRole('button', { name: 'Assign gold' }).click();
    await dialog.getByLabel('People').fill('ada');
    await page.getByRole('option', { name: 'Ada Example' }).click();
    await dialog.getByLabel('Groups').fill('pay');
    await page.getByRole('option', { name: 'Payments' }).click();
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Assigned to 2.').waitFor();
    expect(await tierOf(ada)).toBe('gold');
    await page.getByRole('button', { name: 'Delete gold' }).click();
    await dialog.getByText('Groups that lose it: Payments.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tiers yet').waitFor();
    expect(await tierOf(ada)).toBeNull();
  });

  test('the form rejects a tier name that already exists', async () => {
    await service.request('POST', '/api/rate-limits/tiers', { tier: 'taken', allowed_limit: 9, window_seconds: 60 });
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/409/);
    await signIn(page, service, firstAdmin, '/limits');
    await page.getByRole('button', { name: 'New tier' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('taken');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Tier already exists').waitFor();
  });

  test('creates an override for a person, changes it, switches it off and on, and deletes it', async () => {
    const { page } = await openPage(browser, service, { theme: 'dark' });
    const dialog = page.getByRole('dialog');
    await signIn(page, service, firstAdmin, '/limits');
    await page.getByText('No overrides.').waitFor();
    await page.getByRole('button', { name: 'New override' }).click();
    await dialog.getByLabel('People').fill('bob');
    await page.getByRole('option', { name: 'Bob Example' }).click();
    await dialog.getByLabel('Requests').fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const overrides = page.getByRole('table', { name: 'Overrides' });
    await overrides.getByRole('link', { name: 'Bob Example' }).waitFor();
    await overrides.getByText('7 requests a minute').waitFor();
    await page.getByRole('button', { name: 'Deactivate the override for Bob Example' }).click();
    const countActive = async () =>
      (await service.request<readonly unknown[]>('GET', '/api/rate-limits/overrides?active_only=true')).length;
    await expect.poll(countActive).toBe(0);
    const notification = page.getByRole('alert').filter({ hasText: 'The override for Bob Example is now inactive.' });
    await notification.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(countActive).toBe(1);
    await page.getByRole('button', { name: 'Deactivate the override for Bob Example' }).waitFor();
    await page.getByRole('button', { name: 'Edit the override for Bob Example' }).click();
    await dialog.getByLabel('Requests').fill('8');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await overrides.getByText('8 requests a minute').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete the override for Bob Example' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No overrides.').waitFor();
  });

  test('lists a person who reached the limit, also on a phone', async () => {
    const body = { client_id: ada.email, allowed_limit: 2, window_seconds: 3_600 };
    await service.request('POST', '/api/rate-limits/overrides', body);
    for (let calls = 1; calls <= 3; calls += 1) await service.call('GET', '/api/catalog', undefined, ada);
    const { page } = await openPage(browser, service, { viewport: { width: 360, height: 740 } });
    await signIn(page, service, firstAdmin, '/limits');
    const nearLimitTable = page.getByRole('table', { name: 'Near the limit now' });
    await nearLimitTable.getByText('2 of 2').waitFor();
    await nearLimitTable.getByText('limit reached').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});
