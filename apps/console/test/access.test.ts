import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const peopleOf = (name: string, count: number) => numbered(name, count).map(personOf);
const emailsOf = (people: readonly Person[]) => people.map(({ email }) => email);
const apiNames = numbered('Harbour API ', 8);

const team = peopleOf('sailor', 10);
const [asker = personOf('asker1'), ...askers] = peopleOf('asker', 5);

interface MatrixRow {
  readonly email: string;
  readonly collection_name: string;
  readonly expires_at: string | null;
}

interface Asked {
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
    for (const person of [...team, asker, ...askers]) await service.register(person);
    for (const name of apiNames) {
      const openapi = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
      const made = { name, discoverable: true, openapi_spec: openapi };
      ids.set(name, (await service.ask<{ id: string }>('POST', '/api/collections/', made)).id);
    }
  });

  const opened = async (path: string, options: Parameters<typeof openPage>[2] = {}) => {
    const watched = await openPage(browser, service, options);
    await watched.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(watched.page, service, undefined, path);
    return watched;
  };
  const rowsOf = (query: string) => service.ask<MatrixRow[]>('GET', `/api/access/matrix?limit=1000&${query}`);
  const askFor = async (person: Person, name: string, days: number | null = null): Promise<string> => {
    const wish = { collection_id: ids.get(name), reason: `Because of ${name}`, duration_days: days };
    return (await service.ask<Asked>('POST', '/api/access/requests', wish, person)).id;
  };
  const askedAs = (id: string) => service.ask<Asked>('GET', `/api/access/requests/${id}`);

  test('ten people get eight APIs in one act, by pasted lists; who is unknown is told', async () => {
    const { page } = await opened('/access');
    await page.getByRole('button', { name: 'Grant access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Grant access' });
    await paste(page, 'People', [...emailsOf(team), 'Zoe <zoe@example.com>'].join(',\n'));
    await paste(page, 'APIs', apiNames.join('\n'));
    await dialog.getByLabel('Until when').selectOption('90 days');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Grant 88' }).click();
    await dialog.getByText('80 granted, 8 not granted.').waitFor();
    await dialog.getByText('Nobody is registered as zoe@example.com.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('cell', { name: 'sailor1@example.com' }).first().waitFor();

    const rows = await rowsOf('');
    expect(rows).toHaveLength(80);
    const days = (new Date(rows[0]?.expires_at ?? 0).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThan(92);
    await screenshot(page, 'access');
  });

  test('an address opens the dialog for a person and an API, by its id too, and shows names alone', async () => {
    const [name = ''] = apiNames;
    const { page } = await opened(`/access?grant=1&person=${asker.email}&api=${ids.get(name)}`);
    const dialog = page.getByRole('dialog', { name: 'Grant access' });
    await dialog.getByText(name).waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(uuid);
    await dialog.getByRole('button', { name: 'Grant 1', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 granted.').waitFor();
    expect(await rowsOf(`profile=${asker.email}`)).toEqual([
      expect.objectContaining({ collection_name: name, expires_at: null }),
    ]);
    // The address no longer opens the dialog, and still names the filters.
    expect(new URL(page.url()).searchParams.get('grant')).toBeNull();
    expect(new URL(page.url()).searchParams.get('person')).toBe(asker.email);
  });

  test('chosen grants get another end and are revoked, and no others', async () => {
    const { page } = await opened('/access?person=sailor2@example.com');
    await choose(page, ['sailor2: Harbour API 1', 'sailor2: Harbour API 2']);
    await page.getByRole('button', { name: 'Change the end of 2' }).click();
    await page.getByLabel('Until when').selectOption('No end');
    await page.getByRole('dialog').getByRole('button', { name: 'Change the end of 2' }).click();
    await page.getByText('2 grants have the new end.').waitFor();
    const ends = async () => (await rowsOf('profile=sailor2@example.com')).map(({ expires_at: end }) => end === null);
    expect(await ends()).toEqual([true, true, ...Array<boolean>(6).fill(false)]);

    await choose(page, ['sailor2: Harbour API 1', 'sailor2: Harbour API 3']);
    await page.getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByText('2 grants of 1 person will end with the next request.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await ends()).toHaveLength(8);
    await page.getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 2' }).click();
    await page.getByText('2 grants revoked.').waitFor();
    const left = (await rowsOf('profile=sailor2@example.com')).map(({ collection_name: name }) => name);
    expect(left).toEqual(apiNames.filter((name) => !/[13]$/.test(name)));
    expect(await rowsOf('')).toHaveLength(79);
  });

  test('the filtered matrix is saved as CSV', async () => {
    const { page } = await opened('/access?person=sailor3@example.com');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('access.csv');
    const lines = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(9);
    expect(lines.slice(1).every((line) => line.includes('sailor3@example.com'))).toBe(true);
  });

  test('a group is made, filled by a pasted list, given an API, renamed and deleted', async () => {
    const { page } = await opened('/access/groups');
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Deck / Bridge');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Deck / Bridge' }).waitFor();
    await page.getByText('Nobody is in this group.').waitFor();

    await page.getByRole('button', { name: 'Add members' }).click();
    await paste(page, 'People', 'asker2@example.com asker3@example.com zoe@example.com');
    await page.getByRole('button', { name: 'Add 3' }).click();
    await page.getByText('2 added.').waitFor();
    await page.getByText('Nobody is registered as zoe@example.com.').waitFor();
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
    const byGroup = page.getByRole('row', { name: /Harbour API 1/ });
    await byGroup.getByText('By the group').waitFor();
    expect(await byGroup.getByRole('checkbox').isDisabled()).toBe(true);
    await byGroup.getByRole('link', { name: 'Deck / Bridge' }).click();

    await page.getByText('APIs (2)').click();
    await choose(page, ['Harbour API 1']);
    await page.getByRole('button', { name: 'Revoke 1' }).click();
    await page.getByText('2 members of Deck / Bridge will lose 1 API').waitFor();
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
    await page.getByText('1 member will lose 1 API with the next request').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no groups yet.').waitFor();
    expect(await rowsOf('profile=asker2@example.com')).toEqual([]);
  });

  test('members whom the identity provider put into a group cannot be removed here', async () => {
    await service.ask('POST', '/api/groups', { name: 'Crew' });
    await service.ask('POST', '/api/groups/Crew/members', { profiles: ['sailor1@example.com'] });
    const [, , , claimed = asker] = team;
    await service.ask('GET', '/api/profiles/me', undefined, { ...claimed, groups: ['Crew'] });
    const { page } = await opened('/access/groups/Crew');
    await page.getByText('by hand').waitFor();
    await page.getByText('by the identity provider', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select sailor4' }).isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Select sailor1' }).isDisabled()).toBe(false);
    await page.getByText('Only the identity provider ends a membership that it claims.').waitFor();
    await goTo(page, '/access/groups/Nowhere');
    await page.getByText('There is no group of this name.').waitFor();
  });

  test('requests are approved and denied, one and many; who decided is told, and decided ones are not decided again', async () => {
    const one = await askFor(asker, 'Harbour API 2', 30);
    const { page } = await opened(`/access/requests?request=${one}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Because of Harbour API 2').waitFor();
    await expectAccessible(page);
    expect(await dialog.getByLabel('Until when').inputValue()).toBe('wished');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 request approved; access is there now.').waitFor();
    const [row] = await rowsOf(`profile=${asker.email}&collection=Harbour%20API%202`);
    expect((new Date(row?.expires_at ?? 0).getTime() - Date.now()) / 86_400_000).toBeCloseTo(30, 1);

    await goTo(page, `/access/requests?request=${one}`);
    await dialog.getByText('admin@localhost').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    const two = await askFor(asker, 'Harbour API 3');
    await goTo(page, `/access/requests?request=${two}`);
    await dialog.getByText('Deny').click();
    await dialog.getByLabel('Reason').fill('Use the other one');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('1 request denied.').waitFor();
    expect(await askedAs(two)).toMatchObject({ status: 'denied', answer: 'Use the other one' });
  });

  test('many requests are decided in one act; one that somebody else decided meanwhile is told', async () => {
    const waiting: string[] = [];
    for (const person of askers) waiting.push(await askFor(person, 'Harbour API 4'));
    const { page, expectTrouble } = await opened('/access/requests');
    await page.getByText('4 waiting').waitFor();
    // The browser's console tells of each answer that is no success.
    expectTrouble(/^console: .*409/);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Decide about 4 requests' }).click();
    await service.ask('POST', `/api/access/requests/${waiting[1]}/deny`, {});
    await page.getByRole('button', { name: 'Approve 4' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 requests approved').waitFor();
    await dialog.getByText('asker3 for Harbour API 4: decided already').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Nobody is waiting for an answer.').waitFor();
    expect(await Promise.all(waiting.map(async (id) => (await askedAs(id)).status))).toEqual([
      'approved',
      'denied',
      'approved',
      'approved',
    ]);
  });

  test('who is no administrator is told so, and sees no access', async () => {
    const watched = await openPage(browser, service);
    watched.expectTrouble(/^console: .*403/);
    await signIn(watched.page, service, asker, '/access');
    await watched.page.getByText('Admin access required').first().waitFor();
    expect(await watched.page.getByRole('table', { name: 'Access' }).count()).toBe(0);
  });

  test.each([
    ['light', 1_280],
    ['dark', 360],
  ] as const)('every page is accessible, narrow enough and free of ids (%s, %i px)', async (theme, width) => {
    const { page } = await opened('/access', { theme, viewport: { width, height: 800 } });
    for (const path of [
      '/access',
      '/access?grant=1',
      '/access/groups',
      '/access/groups/Crew',
      '/access/groups/Crew?show=apis',
      '/access/requests',
      '/access/requests?status=all',
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

/** Pastes as a person does: with the keys, from the clipboard. */
const paste = async (page: Page, label: string, text: string): Promise<void> => {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.getByRole('dialog').getByLabel(label, { exact: true }).first().focus();
  await page.keyboard.press('Control+V');
};

const choose = async (page: Page, names: readonly string[]): Promise<void> => {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
};
