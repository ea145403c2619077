import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ConsoleService, Person } from './console-service.ts';
import { documentsForImport } from './documents.ts';
import { createCountingUser, type Effort, type CountingUser } from './counting-user.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { waitForDialogsToClose, openPage, screenshot } from './watched-page.ts';

const browser = await provideBrowser();

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const people = ['ada', 'bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map(personOf);
const [personWithOverride, , personWithLeak, reader, otherReader] = people as [Person, Person, Person, Person, Person];
const suspendedPerson = people[9] as Person;
const colleague = personOf('kim');
const emailsOf = (persons: readonly Person[]): string => persons.map(({ email }) => email).join('\n');
const nameOf = ({ uid }: Person): string => `${uid.slice(0, 1).toUpperCase()}${uid.slice(1)} Example`;

const documents = documentsForImport(30);
const grantedApis = [...documents.values()].slice(0, 8).map(({ title }) => title);
const [usedApi = ''] = grantedApis;
const tiers = { gold: 1_200, silver: 300 } as const;
const overrideLimit = 5_000;

/** The maximum effort for each step, set to the current effort. */
const efforts = {
  'sign in with a link': { actions: 1, fields: 0 },
  'import 30 documents, 2 more are rejected': { actions: 3, fields: 0 },
  'approve ten pending people': { actions: 4, fields: 0 },
  'grant ten people access to eight APIs': { actions: 3, fields: 2 },
  'create two tiers': { actions: 5, fields: 4 },
  'assign them to ten people': { actions: 4, fields: 2 },
  'give one person a limit override': { actions: 2, fields: 2 },
  'see who has access to an API, and export it as CSV': { actions: 4, fields: 1 },
  'see who used it last week': { actions: 3, fields: 0 },
  'see the changes of a colleague': { actions: 3, fields: 1 },
  'replace a leaked secret with a grace period': { actions: 6, fields: 1 },
  'suspend a person': { actions: 4, fields: 2 },
  'reinstate them': { actions: 1, fields: 0 },
} as const satisfies Readonly<Record<string, Effort>>;
type Step = keyof typeof efforts;

describe.skipIf(!browser)("an administrator's day", () => {
  if (!browser) return;
  const service = provideService({ RATE_LIMIT_DEFAULT: '100000/60' });
  beforeAll(async () => {
    await service.register(colleague, { fullName: 'Kim Example' });
    await service.request('PUT', `/api/profiles/${colleague.email}/role`, { role: 'admin' });
  });

  test('takes few clicks in the console, and requires no ids', async () => {
    const { user, page } = await startDay(browser, service);
    await importAndApprove(service, user, page);
    await grantAndLimit(service, user, page);
    await lookUp(service, user, page);
    await suspendAndReplace(service, user, page);
    console.log(tableOf(user.getEfforts()));
    expect([...user.getEfforts().keys()]).toEqual(Object.keys(efforts));
    for (const [step, { actions, fields }] of user.getEfforts()) {
      const maximum: Effort = efforts[step as Step];
      expect(actions, `clicks for: ${step}`).toBeLessThanOrEqual(maximum.actions);
      expect(fields, `fields for: ${step}`).toBeLessThanOrEqual(maximum.fields);
    }
    await screenshot(page, 'admin day');
  });
});

const startDay = async (chromium: Browser, service: ConsoleService) => {
  const { page, context } = await openPage(chromium, service);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const user = createCountingUser(page);
  await user.step('sign in with a link', async () => {
    await user.open(await service.linkFor());
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  });
  return { user, page };
};

const menuLink = (page: Page, name: string): Locator =>
  page.getByRole('link', { name: new RegExp(`^${name}`) }).first();
const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const fieldOf = (page: Page, label: string): Locator =>
  page.getByRole('dialog').getByLabel(label, { exact: true }).first();

const importAndApprove = async (service: ConsoleService, user: CountingUser, page: Page): Promise<void> => {
  await user.step('import 30 documents, 2 more are rejected', async () => {
    await user.click(menuLink(page, 'APIs'));
    await page.getByRole('heading', { name: 'APIs', level: 1 }).waitFor();
    const texts = [...documents].map(([file, { text }]) => [file, text] as const);
    const others = { 'broken.json': '{"openapi": "3.0.3",,}', 'package.json': '{"name": "no document"}' };
    await user.drop('text=Drop to import', { ...Object.fromEntries(texts), ...others });
    await page.getByText(/^30 to create/).waitFor();
    await user.click(button(page, 'Import 30 APIs'));
    await page.getByText('30 created, 1 skipped, 1 rejected or failed').waitFor();
  });
  const names = (await service.request<{ name: string }[]>('GET', '/api/collections/')).map(({ name }) => name);
  expect(names.sort()).toEqual([...documents.values()].map(({ title }) => title).sort());

  for (const person of people) await service.register(person, { fullName: nameOf(person), approved: false });
  await user.step('approve ten pending people', async () => {
    await user.click(menuLink(page, 'People'));
    await page.getByText('Waiting (10)').first().waitFor();
    await user.click(page.getByRole('checkbox', { name: 'Select all shown' }));
    await user.click(button(page, 'Approve 10'));
    await user.click(inDialog(page, 'Approve 10'));
    await page.getByText('10 people approved; the credentials were sent by email.').waitFor();
  });
  expect(await service.request('GET', '/api/profiles/?registration_status=pending')).toEqual([]);
};

const grantAndLimit = async (service: ConsoleService, user: CountingUser, page: Page): Promise<void> => {
  await user.step('grant ten people access to eight APIs', async () => {
    await user.click(menuLink(page, 'Access'));
    await user.click(button(page, 'Grant access'));
    await user.paste(fieldOf(page, 'People'), emailsOf(people));
    await user.paste(fieldOf(page, 'APIs'), grantedApis.join('\n'));
    await user.click(inDialog(page, 'Grant 80'));
    await page.getByText('80 granted.').waitFor();
  });
  const pairs = await service.request<{ email: string; collection_name: string }[]>(
    'GET',
    '/api/access/matrix?limit=1000',
  );
  const expectedPairs = people.flatMap(({ email }) => grantedApis.map((api) => `${email} ${api}`));
  expect(pairs.map(({ email, collection_name: api }) => `${email} ${api}`).sort()).toEqual(expectedPairs.sort());

  await user.step('create two tiers', async () => {
    await user.click(menuLink(page, 'Limits'));
    for (const [tier, allowed] of Object.entries(tiers)) {
      await user.click(button(page, 'New tier'));
      await user.type(page.getByRole('textbox', { name: 'Name', exact: true }), tier);
      await user.type(page.getByRole('spinbutton', { name: 'Requests' }), String(allowed));
      await user.click(inDialog(page, 'Save'));
      await waitForDialogsToClose(page);
    }
  });
  await user.step('assign them to ten people', async () => {
    for (const [tier, assignees] of [
      ['gold', people.slice(0, 5)],
      ['silver', people.slice(5)],
    ] as const) {
      await user.click(button(page, `Assign ${tier}`));
      await user.paste(fieldOf(page, 'People'), emailsOf(assignees));
      await user.click(inDialog(page, 'Assign'));
      await page.getByText('Assigned to 5.').waitFor();
    }
  });
  await user.step('give one person a limit override', async () => {
    await user.click(button(page, 'New override'));
    await user.paste(fieldOf(page, 'People'), personWithOverride.email);
    await user.type(page.getByRole('spinbutton', { name: 'Requests' }), String(overrideLimit));
    await user.click(inDialog(page, 'Save'));
    await page.getByText('1 override created.').waitFor();
  });
  const limits = await Promise.all(people.map((person) => limitOf(service, person)));
  expect(limits).toEqual([overrideLimit, ...Array<number>(4).fill(tiers.gold), ...Array<number>(5).fill(tiers.silver)]);
};

const limitOf = async (service: ConsoleService, { email }: Person): Promise<number> => {
  const { client_id: clientId } = await service.request<Pick<Key, 'client_id'>>('GET', `/api/profiles/${email}`);
  return (await service.request<{ allowed_limit: number }>('GET', `/api/rate-limits/effective/${clientId}`))
    .allowed_limit;
};

const lookUp = async (service: ConsoleService, user: CountingUser, page: Page): Promise<void> => {
  await user.step('see who has access to an API, and export it as CSV', async () => {
    await user.click(menuLink(page, 'Access'));
    await user.click(page.getByRole('combobox', { name: 'API', exact: true }));
    await user.type(page.getByRole('combobox', { name: 'API', exact: true }), usedApi);
    await user.click(page.getByRole('option', { name: usedApi, exact: true }));
    await expect.poll(() => page.getByRole('table', { name: 'Access' }).getByRole('row').count()).toBe(11);
    const pendingDownload = page.waitForEvent('download');
    await user.click(button(page, 'Export CSV'));
    const lines = readFileSync(await (await pendingDownload).path(), 'utf8')
      .trim()
      .split('\n');
    for (const { email } of people) expect(lines.filter((line) => line.includes(email))).toHaveLength(1);
  });

  const ids = await service.request<{ id: string; name: string }[]>('GET', '/api/collections/');
  const id = ids.find(({ name }) => name === usedApi)?.id;
  for (const person of [reader, otherReader]) await service.request('GET', `/api/collections/${id}`, undefined, person);
  // Usage counts are written every few seconds.
  const readUsage = () => service.request<unknown[]>('GET', '/api/usage?by=profile');
  await expect.poll(async () => (await readUsage()).length).toBe(2);
  await user.step('see who used it last week', async () => {
    await user.click(menuLink(page, 'Usage'));
    await user.click(page.getByText('7 days', { exact: true }));
    const users = page.getByRole('table', { name: 'People by usage' }).getByRole('row');
    const api = page.getByRole('table', { name: 'APIs by usage' }).getByRole('button', { name: usedApi, exact: true });
    await user.click(api);
    await expect.poll(() => users.count()).toBe(3);
    const text = (await users.allInnerTexts()).join('\n');
    for (const { email } of [reader, otherReader]) expect(text).toContain(email);
  });

  await service.request(
    'POST',
    '/api/rate-limits/tiers',
    { tier: 'bronze', allowed_limit: 60, window_seconds: 60 },
    colleague,
  );
  await user.step('see the changes of a colleague', async () => {
    await user.click(menuLink(page, 'Audit'));
    await user.click(page.getByRole('combobox', { name: 'Who', exact: true }));
    await user.type(page.getByRole('combobox', { name: 'Who', exact: true }), 'kim');
    await user.click(page.getByRole('option', { name: colleague.email }));
    const entries = page.getByRole('table', { name: 'Audit' }).getByRole('row');
    await entries.filter({ hasText: 'created a tier' }).filter({ hasText: 'bronze' }).waitFor();
    const otherEntries = entries.filter({ hasNotText: colleague.email }).filter({ hasNotText: 'Kim Example' });
    // Only the header row is left.
    await expect.poll(() => otherEntries.count()).toBe(1);
  });
};

interface Key {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Returns the status of a call with this key. */
const statusOf = async (
  service: ConsoleService,
  { client_id: clientId, client_secret: secret }: Key,
): Promise<number> => {
  const headers = { 'x-client-id': clientId, 'x-api-key': secret };
  return (await fetch(`${service.address}/api/usage`, { headers })).status;
};

const openPerson = async (user: CountingUser, page: Page, person: Person): Promise<void> => {
  await user.click(menuLink(page, 'People'));
  await user.type(page.getByLabel('Name or email'), person.uid);
};

const suspendAndReplace = async (service: ConsoleService, user: CountingUser, page: Page): Promise<void> => {
  const previousKey = await service.request<Key>('POST', `/api/profiles/${personWithLeak.email}/credentials`, {});
  user.expectId(previousKey.client_id);
  await user.step('replace a leaked secret with a grace period', async () => {
    await openPerson(user, page, personWithLeak);
    await user.click(page.getByRole('link', { name: nameOf(personWithLeak) }));
    await user.click(button(page, 'Replace secret'));
    await user.choose(fieldOf(page, 'Previous secret'), 'remains valid for 1 hour');
    await user.click(inDialog(page, 'Replace secret'));
    await page.getByText('The previous secret remains valid for 1 hour.').waitFor();
  });
  const secret = (await page.getByRole('group', { name: 'Secret (X-API-Key)' }).innerText()).trim();
  expect(secret).not.toBe(previousKey.client_secret);
  for (const candidate of [secret, previousKey.client_secret])
    expect(await statusOf(service, { ...previousKey, client_secret: candidate })).toBe(200);
  await inDialog(page, 'I have copied it').click();

  const key = await service.request<Key>('POST', `/api/profiles/${suspendedPerson.email}/credentials`, {});
  await user.step('suspend a person', async () => {
    await openPerson(user, page, suspendedPerson);
    await user.click(page.getByRole('link', { name: nameOf(suspendedPerson) }));
    await user.click(button(page, 'Suspend'));
    await user.type(fieldOf(page, 'Reason'), 'Left the company');
    await user.click(inDialog(page, 'Suspend'));
    await page.getByText(`${nameOf(suspendedPerson)} is suspended.`).waitFor();
  });
  expect(await statusOf(service, key)).toBe(401);
  await user.step('reinstate them', async () => {
    await user.click(button(page, 'Reinstate'));
    await page.getByText(`${nameOf(suspendedPerson)} is reinstated`).waitFor();
  });
  expect(await statusOf(service, key)).toBe(200);
  const accessRows = await service.request<unknown[]>('GET', `/api/access/matrix?profile=${suspendedPerson.email}`);
  expect(accessRows).toHaveLength(grantedApis.length);
};

const tableOf = (steps: ReadonlyMap<string, Effort>): string => {
  const line = (step: string, actions: string | number, fields: string | number) =>
    `${step.padEnd(46)} ${String(actions).padStart(6)} ${String(fields).padStart(6)}`;
  const sum = (countOf: (effort: Effort) => number) => [...steps.values()].map(countOf).reduce((a, b) => a + b, 0);
  return [
    line('step', 'clicks', 'fields'),
    ...[...steps].map(([step, { actions, fields }]) => line(step, actions, fields)),
    line(
      'the whole day',
      sum(({ actions }) => actions),
      sum(({ fields }) => fields),
    ),
  ].join('\n');
};
