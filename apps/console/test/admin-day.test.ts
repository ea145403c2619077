import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ConsoleService, Person } from './console-service.ts';
import { documentsForImport } from './documents.ts';
import { createHand, type Effort, type Hand } from './hand.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { dialogsClosed, openPage, screenshot } from './watched-page.ts';

const browser = await provideBrowser();

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
const people = ['ada', 'bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map(personOf);
const [favoured, , leaked, user, otherUser] = people as [Person, Person, Person, Person, Person];
const leaver = people[9] as Person;
const colleague = personOf('kim');
const emailsOf = (some: readonly Person[]): string => some.map(({ email }) => email).join('\n');
const nameOf = ({ uid }: Person): string => `${uid.slice(0, 1).toUpperCase()}${uid.slice(1)} Example`;

const documents = documentsForImport(30);
const granted = [...documents.values()].slice(0, 8).map(({ title }) => title);
const [used = ''] = granted;
const tiers = { gold: 1_200, silver: 300 } as const;
const overridden = 5_000;

/** The maximum effort for each step, set to the current effort. */
const efforts = {
  'sign in by a link': { acts: 1, fields: 0 },
  'import 30 documents, 2 more are rejected': { acts: 3, fields: 0 },
  'approve ten pending people': { acts: 4, fields: 0 },
  'grant ten people eight APIs': { acts: 3, fields: 2 },
  'create two tiers': { acts: 5, fields: 4 },
  'assign them to ten people': { acts: 4, fields: 2 },
  'give one person a limit override': { acts: 2, fields: 2 },
  'see who has access to an API, and export it as CSV': { acts: 4, fields: 1 },
  'see who used it last week': { acts: 3, fields: 0 },
  'see the changes of a colleague': { acts: 3, fields: 1 },
  'replace a leaked secret with a grace period': { acts: 6, fields: 1 },
  'suspend a person': { acts: 4, fields: 2 },
  'reinstate them': { acts: 1, fields: 0 },
} as const satisfies Readonly<Record<string, Effort>>;
type Step = keyof typeof efforts;

describe.skipIf(!browser)("an administrator's day", () => {
  if (!browser) return;
  const service = provideService({ RATE_LIMIT_DEFAULT: '100000/60' });
  beforeAll(async () => {
    await service.register(colleague, { fullName: 'Kim Example' });
    await service.request('PUT', `/api/profiles/${colleague.email}/role`, { role: 'admin' });
  });

  test('takes few clicks in the console, and no ids', async () => {
    const { hand, page } = await startDay(browser, service);
    await importAndApprove(service, hand, page);
    await grantAndLimit(service, hand, page);
    await lookUp(service, hand, page);
    await suspendAndReplace(service, hand, page);
    console.log(tableOf(hand.efforts()));
    expect([...hand.efforts().keys()]).toEqual(Object.keys(efforts));
    for (const [step, { acts, fields }] of hand.efforts()) {
      const most: Effort = efforts[step as Step];
      expect(acts, `clicks of: ${step}`).toBeLessThanOrEqual(most.acts);
      expect(fields, `fields of: ${step}`).toBeLessThanOrEqual(most.fields);
    }
    await screenshot(page, 'admin day');
  });
});

const startDay = async (chromium: Browser, service: ConsoleService) => {
  const { page, context } = await openPage(chromium, service);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const hand = createHand(page);
  await hand.step('sign in by a link', async () => {
    await hand.open(await service.linkFor());
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  });
  return { hand, page };
};

const menu = (page: Page, name: string): Locator => page.getByRole('link', { name: new RegExp(`^${name}`) }).first();
const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const fieldOf = (page: Page, label: string): Locator =>
  page.getByRole('dialog').getByLabel(label, { exact: true }).first();

const importAndApprove = async (service: ConsoleService, hand: Hand, page: Page): Promise<void> => {
  await hand.step('import 30 documents, 2 more are rejected', async () => {
    await hand.click(menu(page, 'APIs'));
    await page.getByRole('heading', { name: 'APIs', level: 1 }).waitFor();
    const texts = [...documents].map(([file, { text }]) => [file, text] as const);
    const others = { 'broken.json': '{"openapi": "3.0.3",,}', 'package.json': '{"name": "no document"}' };
    await hand.drop('text=Drop to import', { ...Object.fromEntries(texts), ...others });
    await page.getByText(/^30 to create/).waitFor();
    await hand.click(button(page, 'Import 30 APIs'));
    await page.getByText('30 created, 1 skipped, 1 rejected or failed').waitFor();
  });
  const names = (await service.request<{ name: string }[]>('GET', '/api/collections/')).map(({ name }) => name);
  expect(names.sort()).toEqual([...documents.values()].map(({ title }) => title).sort());

  for (const person of people) await service.register(person, { fullName: nameOf(person), approved: false });
  await hand.step('approve ten pending people', async () => {
    await hand.click(menu(page, 'People'));
    await page.getByText('Waiting (10)').first().waitFor();
    await hand.click(page.getByRole('checkbox', { name: 'Select all shown' }));
    await hand.click(button(page, 'Approve 10'));
    await hand.click(inDialog(page, 'Approve 10'));
    await page.getByText('10 people approved; the credentials were sent by e-mail.').waitFor();
  });
  expect(await service.request('GET', '/api/profiles/?registration_status=pending')).toEqual([]);
};

const grantAndLimit = async (service: ConsoleService, hand: Hand, page: Page): Promise<void> => {
  await hand.step('grant ten people eight APIs', async () => {
    await hand.click(menu(page, 'Access'));
    await hand.click(button(page, 'Grant access'));
    await hand.paste(fieldOf(page, 'People'), emailsOf(people));
    await hand.paste(fieldOf(page, 'APIs'), granted.join('\n'));
    await hand.click(inDialog(page, 'Grant 80'));
    await page.getByText('80 granted.').waitFor();
  });
  const pairs = await service.request<{ email: string; collection_name: string }[]>(
    'GET',
    '/api/access/matrix?limit=1000',
  );
  const expectedPairs = people.flatMap(({ email }) => granted.map((api) => `${email} ${api}`));
  expect(pairs.map(({ email, collection_name: api }) => `${email} ${api}`).sort()).toEqual(expectedPairs.sort());

  await hand.step('create two tiers', async () => {
    await hand.click(menu(page, 'Limits'));
    for (const [tier, allowed] of Object.entries(tiers)) {
      await hand.click(button(page, 'New tier'));
      await hand.type(page.getByRole('textbox', { name: 'Name', exact: true }), tier);
      await hand.type(page.getByRole('spinbutton', { name: 'Requests' }), String(allowed));
      await hand.click(inDialog(page, 'Save'));
      await dialogsClosed(page);
    }
  });
  await hand.step('assign them to ten people', async () => {
    for (const [tier, some] of [
      ['gold', people.slice(0, 5)],
      ['silver', people.slice(5)],
    ] as const) {
      await hand.click(button(page, `Assign ${tier}`));
      await hand.paste(fieldOf(page, 'People'), emailsOf(some));
      await hand.click(inDialog(page, 'Assign'));
      await page.getByText('Assigned to 5.').waitFor();
    }
  });
  await hand.step('give one person a limit override', async () => {
    await hand.click(button(page, 'New override'));
    await hand.paste(fieldOf(page, 'People'), favoured.email);
    await hand.type(page.getByRole('spinbutton', { name: 'Requests' }), String(overridden));
    await hand.click(inDialog(page, 'Save'));
    await page.getByText('1 override created.').waitFor();
  });
  const limits = await Promise.all(people.map((person) => limitOf(service, person)));
  expect(limits).toEqual([overridden, ...Array<number>(4).fill(tiers.gold), ...Array<number>(5).fill(tiers.silver)]);
};

const limitOf = async (service: ConsoleService, { email }: Person): Promise<number> => {
  const { client_id: client } = await service.request<Pick<Key, 'client_id'>>('GET', `/api/profiles/${email}`);
  return (await service.request<{ allowed_limit: number }>('GET', `/api/rate-limits/effective/${client}`))
    .allowed_limit;
};

const lookUp = async (service: ConsoleService, hand: Hand, page: Page): Promise<void> => {
  await hand.step('see who has access to an API, and export it as CSV', async () => {
    await hand.click(menu(page, 'Access'));
    await hand.click(page.getByRole('combobox', { name: 'API', exact: true }));
    await hand.type(page.getByRole('combobox', { name: 'API', exact: true }), used);
    await hand.click(page.getByRole('option', { name: used, exact: true }));
    await expect.poll(() => page.getByRole('table', { name: 'Access' }).getByRole('row').count()).toBe(11);
    const saving = page.waitForEvent('download');
    await hand.click(button(page, 'Export CSV'));
    const lines = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\n');
    for (const { email } of people) expect(lines.filter((line) => line.includes(email))).toHaveLength(1);
  });

  const ids = await service.request<{ id: string; name: string }[]>('GET', '/api/collections/');
  const id = ids.find(({ name }) => name === used)?.id;
  for (const person of [user, otherUser]) await service.request('GET', `/api/collections/${id}`, undefined, person);
  // Usage counts are written every few seconds.
  const counted = () => service.request<unknown[]>('GET', '/api/usage?by=profile');
  await expect.poll(async () => (await counted()).length).toBe(2);
  await hand.step('see who used it last week', async () => {
    await hand.click(menu(page, 'Usage'));
    await hand.click(page.getByText('7 days', { exact: true }));
    const users = page.getByRole('table', { name: 'People by usage' }).getByRole('row');
    const api = page.getByRole('table', { name: 'APIs by usage' }).getByRole('button', { name: used, exact: true });
    await hand.click(api);
    await expect.poll(() => users.count()).toBe(3);
    const text = (await users.allInnerTexts()).join('\n');
    for (const { email } of [user, otherUser]) expect(text).toContain(email);
  });

  await service.request(
    'POST',
    '/api/rate-limits/tiers',
    { tier: 'bronze', allowed_limit: 60, window_seconds: 60 },
    colleague,
  );
  await hand.step('see the changes of a colleague', async () => {
    await hand.click(menu(page, 'Audit'));
    await hand.click(page.getByRole('combobox', { name: 'Who', exact: true }));
    await hand.type(page.getByRole('combobox', { name: 'Who', exact: true }), 'kim');
    await hand.click(page.getByRole('option', { name: colleague.email }));
    const entries = page.getByRole('table', { name: 'Audit' }).getByRole('row');
    await entries.filter({ hasText: 'created a tier' }).filter({ hasText: 'bronze' }).waitFor();
    const rest = entries.filter({ hasNotText: colleague.email }).filter({ hasNotText: 'Kim Example' });
    // Only the header row is left.
    await expect.poll(() => rest.count()).toBe(1);
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

const openPerson = async (hand: Hand, page: Page, person: Person): Promise<void> => {
  await hand.click(menu(page, 'People'));
  await hand.type(page.getByLabel('Name or e-mail'), person.uid);
};

const suspendAndReplace = async (service: ConsoleService, hand: Hand, page: Page): Promise<void> => {
  const before = await service.request<Key>('POST', `/api/profiles/${leaked.email}/credentials`, {});
  hand.expectId(before.client_id);
  await hand.step('replace a leaked secret with a grace period', async () => {
    await openPerson(hand, page, leaked);
    await hand.click(page.getByRole('link', { name: nameOf(leaked) }));
    await hand.click(button(page, 'Replace secret'));
    await hand.choose(fieldOf(page, 'Previous secret'), 'stays valid for 1 hour');
    await hand.click(inDialog(page, 'Replace secret'));
    await page.getByText('The previous secret stays valid for 1 hour.').waitFor();
  });
  const secret = (await page.getByRole('group', { name: 'Secret (X-API-Key)' }).innerText()).trim();
  expect(secret).not.toBe(before.client_secret);
  for (const one of [secret, before.client_secret])
    expect(await statusOf(service, { ...before, client_secret: one })).toBe(200);
  await inDialog(page, 'I have copied it').click();

  const key = await service.request<Key>('POST', `/api/profiles/${leaver.email}/credentials`, {});
  await hand.step('suspend a person', async () => {
    await openPerson(hand, page, leaver);
    await hand.click(page.getByRole('link', { name: nameOf(leaver) }));
    await hand.click(button(page, 'Suspend'));
    await hand.type(fieldOf(page, 'Reason'), 'Left the company');
    await hand.click(inDialog(page, 'Suspend'));
    await page.getByText(`${nameOf(leaver)} is suspended.`).waitFor();
  });
  expect(await statusOf(service, key)).toBe(401);
  await hand.step('reinstate them', async () => {
    await hand.click(button(page, 'Reinstate'));
    await page.getByText(`${nameOf(leaver)} is reinstated`).waitFor();
  });
  expect(await statusOf(service, key)).toBe(200);
  const may = await service.request<unknown[]>('GET', `/api/access/matrix?profile=${leaver.email}`);
  expect(may).toHaveLength(granted.length);
};

const tableOf = (steps: ReadonlyMap<string, Effort>): string => {
  const line = (step: string, acts: string | number, fields: string | number) =>
    `${step.padEnd(46)} ${String(acts).padStart(6)} ${String(fields).padStart(6)}`;
  const sum = (of: (effort: Effort) => number) => [...steps.values()].map(of).reduce((a, b) => a + b, 0);
  return [
    line('step', 'clicks', 'fields'),
    ...[...steps].map(([step, { acts, fields }]) => line(step, acts, fields)),
    line(
      'the whole day',
      sum(({ acts }) => acts),
      sum(({ fields }) => fields),
    ),
  ].join('\n');
};
