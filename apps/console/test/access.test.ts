import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const numberedNames = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const peopleOf = (name: string, count: number) => numberedNames(name, count).map(personOf);
const emailsOf = (people: readonly Person[]) => people.map(({ email }) => email);
const apiNames = numberedNames('Harbour API ', 8);

const team = peopleOf('sailor', 10);
const [requester = personOf('asker1'), ...requesters] = peopleOf('asker', 5);

interface MatrixRow {
  readonly email: string;
  readonly collection_name: string;
  readonly expires_at: string | null;
}

interface AccessRequest {
  readonly id: string;
  readonly status: string;
  readonly answer: string | null;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/;

describe.skipIf(!browser)('access', () => {
  if (!browser) return;
  const service = provideService({ IDENTITY_GROUPS_CLAIM: 'groups' });
  const ids = new Map<string, string>();
  beforeAll(async () => {
    for (const person of [...team, requester, ...requesters]) await service.register(person);
    for (const name of apiNames) {
      const openapi = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
      const body = { name, discoverable: true, openapi_spec: openapi };
      ids.set(name, (await service.request<{ id: string }>('POST', '/api/collections/', body)).id);
    }
  });

  const open = async (path: string, options: Parameters<typeof openPage>[2] = {}) => {
    const watchedPage = await openPage(browser, service, options);
    await watchedPage.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(watchedPage.page, service, undefined, path);
    return watchedPage;
  };
  const rowsOf = (query: string) => service.request<MatrixRow[]>('GET', `/api/access/matrix?limit=1000&${query}`);
  const requestAccess = async (person: Person, name: string, days: number | null = null): Promise<string> => {
    const body = { collection_id: ids.get(name), reason: `Because of ${name}`, duration_days: days };
    return (await service.request<AccessRequest>('POST', '/api/access/requests', body, person)).id;
  };
  const requestOf = (id: string) => service.request<AccessRequest>('GET', `/api/access/requests/${id}`);

  test('grants ten people access to eight APIs in one step from pasted lists, and reports unknown people', async () => {
    const { page } = await open('/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Grant access' });
    await paste(page, 'People', [...emailsOf(team), 'Zoe <zoe@example.com>'].join(',\n'));
    await paste(page, 'APIs', apiNames.join('\n'));
    await dialog.getByLabel('Expires').selectOption('90 days');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Grant 88' }).click();
    await dialog.getByText('80 granted, 8 not granted.').waitFor();
    await dialog.getByText('No one is registered as zoe@example.com.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('cell', { name: 'sailor1@example.com' }).first().waitFor();

    const rows = await rowsOf('');
    expect(rows).toHaveLength(80);
    const days = (new Date(rows[0]?.expires_at ?? 0).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThan(92);
    await screenshot(page, 'access');
  });

  test('a URL opens the dialog for a person and an API, by name or id, and shows only names', async () => {
    const [name = ''] = apiNames;
    const { page } = await open(`/access?grant=1&person=${requester.email}&api=${ids.get(name)}`);
    const dialog = page.getByRole('dialog', { name: 'Grant access' });
    await dialog.getByText(name).waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(uuid);
    await dialog.getByRole('button', { name: 'Grant 1', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 granted.').waitFor();
    expect(await rowsOf(`profile=${requester.email}`)).toEqual([
      expect.objectContaining({ collection_name: name, expires_at: null }),
    ]);
    // The URL no longer opens the dialog, but still has the filters.
    expect(new URL(page.url()).searchParams.get('grant')).toBeNull();
    expect(new URL(page.url()).searchParams.get('person')).toBe(requester.email);
  });

  test('changes the expiry of only the selected grants, and revokes only the selected grants', async () => {
    const { page } = await open('/access?person=sailor2@example.com');
    await choose(page, ['sailor2: Harbour API 1', 'sailor2: Harbour API 2']);
    await page.getByRole('button', { name: 'Change expiry of 2' }).click();
    await page.getByLabel('Expires', { exact: true }).selectOption('No expiry');
    await page.getByRole('dialog').getByRole('button', { name: 'Change expiry of 2' }).click();
    await page.getByText('2 grants have the new expiry.').waitFor();
    const noExpiryFlags = async () =>
      (await rowsOf('profile=sailor2@example.com')).map(({ expires_at: expiresAt }) => expiresAt === null);
    expect(await noExpiryFlags()).toEqual([true, true, ...Array<boolean>(6).fill(false)]);

    await choose(page, ['sailor2: Harbour API 1', 'sailor2: Harbour API 3']);
    await page.getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByText('2 grants for 1 person will stop working as of the next request.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await noExpiryFlags()).toHaveLength(8);
    await page.getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByText('2 grants revoked.').waitFor();
    const names = (await rowsOf('profile=sailor2@example.com')).map(({ collection_name: name }) => name);
    expect(names).toEqual(apiNames.filter((name) => !/[13]$/.test(name)));
    expect(await rowsOf('')).toHaveLength(79);
  });

  test('exports the filtered matrix as CSV', async () => {
    const { page } = await open('/access?person=sailor3@example.com');
    const pendingDownload = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const download = await pendingDownload;
    expect(download.suggestedFilename()).toBe('access.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(9);
    expect(lines.slice(1).every((line) => line.includes('sailor3@example.com'))).toBe(true);
  });

  test('creates a group, adds members from a pasted list, grants it access to APIs, renames it and deletes it', async () => {
    const { page } = await open('/access/groups');
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Deck / Bridge');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Deck / Bridge' }).waitFor();
    await page.getByText('This group has no members.').waitFor();

    await page.getByRole('button', { name: 'Add members' }).click();
    await paste(page, 'People', 'asker2@example.com asker3@example.com zoe@example.com');
    await page.getByRole('button', { name: 'Add 3' }).click();
    await page.getByText('2 added.').waitFor();
    await page.getByText('No one is registered as zoe@example.com.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('cell', { name: 'asker3@example.com' }).waitFor();
    await page.getByText('Members (2)').click();

    await page.getByText('APIs (0)').click();
    await page.getByRole('button', { name: 'Grant access' }).click();
    await paste(page, 'APIs', 'Harbour API 1\nHarbour API 2');
    await page.getByRole('button', { name: 'Grant 2' }).click();
    await page.getByText('2 granted.').waitFor();
    await page.getByRole('link', { name: 'Harbour API 2' }).waitFor();
    await expectAccessible(page);
    expect(await rowsOf('group=Deck%20%2F%20Bridge')).toHaveLength(4);

    await goTo(page, '/access?person=asker2@example.com');
    const groupGrantRow = page.getByRole('row', { name: /Harbour API 1/ });
    await groupGrantRow.getByText('Through group').waitFor();
    expect(await groupGrantRow.getByRole('checkbox').isDisabled()).toBe(true);
    await groupGrantRow.getByRole('link', { name: 'Deck / Bridge' }).click();

    await page.getByText('APIs (2)').click();
    await choose(page, ['Harbour API 1']);
    await page.getByRole('button', { name: 'Revoke 1' }).click();
    await page.getByText('2 members of Deck / Bridge will lose access to 1 API').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 1' }).click();
    await page.getByText('APIs (1)').waitFor();

    await page.getByText('Members (2)').click();
    await choose(page, ['asker3']);
    await page.getByRole('button', { name: 'Remove 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove 1' }).click();
    await page.getByText('Members (1)').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Bridge');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bridge', exact: true }).waitFor();
    expect(page.url()).toContain('/access/groups/Bridge');

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 member will lose access to 1 API as of the next request').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no groups yet.').waitFor();
    expect(await rowsOf('profile=asker2@example.com')).toEqual([]);
  });

  test('members that the identity provider assigned to a group cannot be removed here', async () => {
    await service.request('POST', '/api/groups', { name: 'Crew' });
    await service.request('POST', '/api/groups/Crew/members', { profiles: ['sailor1@example.com'] });
    const [, , , memberFromClaim = requester] = team;
    await service.request('GET', '/api/profiles/me', undefined, { ...memberFromClaim, groups: ['Crew'] });
    const { page } = await open('/access/groups/Crew');
    await page.getByText('added manually').waitFor();
    await page.getByText('identity provider', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select sailor4' }).isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Select sailor1' }).isDisabled()).toBe(false);
    await page.getByText('Only the identity provider can remove the members it assigned.').waitFor();
    await goTo(page, '/access/groups/Nowhere');
    await page.getByText('There is no group with this name.').waitFor();
  });

  test('approves and denies single requests, and shows who decided', async () => {
    const firstRequestId = await requestAccess(requester, 'Harbour API 2', 30);
    const { page } = await open(`/access/requests?request=${firstRequestId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Because of Harbour API 2').waitFor();
    await expectAccessible(page);
    expect(await dialog.getByLabel('Expires').inputValue()).toBe('requested');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 request approved; access is active now.').waitFor();
    const [row] = await rowsOf(`profile=${requester.email}&collection=Harbour%20API%202`);
    expect((new Date(row?.expires_at ?? 0).getTime() - Date.now()) / 86_400_000).toBeCloseTo(30, 1);

    await goTo(page, `/access/requests?request=${firstRequestId}`);
    await dialog.getByText('admin@localhost').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    const secondRequestId = await requestAccess(requester, 'Harbour API 3');
    await goTo(page, `/access/requests?request=${secondRequestId}`);
    await dialog.getByText('Deny').click();
    await dialog.getByLabel('Reason').fill('Use the other one');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('1 request denied.').waitFor();
    expect(await requestOf(secondRequestId)).toMatchObject({ status: 'denied', answer: 'Use the other one' });
  });

  test('approves many requests in one step, and reports one that someone else decided in the meantime', async () => {
    const requestIds: string[] = [];
    for (const person of requesters) requestIds.push(await requestAccess(person, 'Harbour API 4'));
    const { page, allowProblem } = await open('/access/requests');
    await page.getByText('4 waiting').waitFor();
    // The browser logs each response with an error status to its console.
    allowProblem(/^console: .*409/);
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByRole('button', { name: 'Review 4 requests' }).click();
    await service.request('POST', `/api/access/requests/${requestIds[1]}/deny`, {});
    await page.getByRole('button', { name: 'Approve 4' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 requests approved').waitFor();
    await dialog.getByText('asker3 for Harbour API 4: already decided').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('No requests are waiting.').waitFor();
    expect(await Promise.all(requestIds.map(async (id) => (await requestOf(id)).status))).toEqual([
      'approved',
      'denied',
      'approved',
      'approved',
    ]);
  });

  test('a person who is not an administrator sees that the page is not available', async () => {
    const watchedPage = await openPage(browser, service);
    watchedPage.allowProblem(/^console: .*403/);
    await signIn(watchedPage.page, service, requester, '/access');
    await watchedPage.page.getByText('Admin access required').first().waitFor();
    expect(await watchedPage.page.getByRole('table', { name: 'Access' }).count()).toBe(0);
  });

  test('shows the arguments of waiting calls, approves one and denies another', async () => {
    const api = ids.get('Harbour API 1') ?? '';
    const [caller = personOf('sailor1')] = team;
    const firstCallId = await service.holdCall(caller, api, '{"berth":"<b>north</b>","tonnes":12}');
    const secondCallId = await service.holdCall(caller, api, '{"berth":"south"}');
    const callOf = (id: string) => service.request('GET', `/api/calls/${id}`);
    const { page } = await open('/access/calls');
    await page.getByRole('link', { name: 'Calls 2 waiting' }).waitFor();
    await page.getByRole('cell', { name: 'DELETE /berths/{berth}' }).first().waitFor();
    await page
      .getByRole('button', { name: `Review ${caller.email}: DELETE /berths/{berth}` })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"berth": "<b>north</b>"').waitFor();
    await dialog.getByText('"tonnes": 12').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The call is approved.').waitFor();
    expect(await callOf(firstCallId)).toMatchObject({ state: 'approved' });

    await goTo(page, `/access/calls?call=${secondCallId}`);
    await dialog.getByText('Deny').click();
    await dialog.getByLabel('Reason').fill('Use the other berth');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The call is denied.').waitFor();
    expect(await callOf(secondCallId)).toMatchObject({ state: 'denied', reason: 'Use the other berth' });
    await page.getByText('No calls are waiting.').waitFor();

    await goTo(page, `/access/calls?status=denied&call=${secondCallId}`);
    await dialog.getByText('Use the other berth').waitFor();
    await dialog.getByText('No longer stored, or visible only to the caller.').waitFor();
    await expectAccessible(page);
  });

  test.each([
    ['light', 1_280],
    ['dark', 360],
  ] as const)('every page is accessible, fits the screen and shows no ids (%s, %i px)', async (theme, width) => {
    const { page } = await open('/access', { theme, viewport: { width, height: 800 } });
    for (const path of [
      '/access',
      '/access?grant=1',
      '/access/groups',
      '/access/groups/Crew',
      '/access/groups/Crew?show=apis',
      '/access/requests',
      '/access/requests?status=all',
      '/access/calls',
      '/access/calls?status=all',
    ]) {
      await goTo(page, path);
      await page.waitForLoadState('networkidle');
      await page.locator('#content').getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await page.locator('body').innerText()).not.toMatch(uuid);
      await page.keyboard.press('Escape');
    }
    await screenshot(page, `requests ${theme} ${width}`);
  });
});

/** Pastes from the clipboard with the keyboard, as a person does. */
const paste = async (page: Page, label: string, text: string): Promise<void> => {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.getByRole('dialog').getByLabel(label, { exact: true }).first().focus();
  await page.keyboard.press('Control+V');
};

const choose = async (page: Page, names: readonly string[]): Promise<void> => {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
};
