import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import type { Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { goTo, openPage, screenshot, signIn, type PageOptions } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const eve: Person = { uid: 'eve', email: 'eve@example.com' };

const messages = {
  openapi: '3.1.0',
  info: { title: 'Messages', version: '1' },
  servers: [{ url: 'https://messages.example' }],
  paths: {
    '/messages': {
      post: { summary: 'Send a text message to a phone', responses: { 200: { description: 'Sent' } } },
      get: { summary: 'List the text messages that were sent', responses: { 200: { description: 'All' } } },
    },
  },
};

const documentOf = (title: string) => ({ ...messages, info: { title, version: '1' } });

const expectHeading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const run = promisify(execFile);
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe.skipIf(!browser)("a client's day", () => {
  if (!browser) return;
  const service = provideService();
  const ids = new Map<string, string>();

  const create = async (name: string, fields: object = {}): Promise<void> => {
    const body = { name, description: `About **${name}**.`, openapi_spec: documentOf(name), ...fields };
    ids.set(name, (await service.request<{ id: string }>('POST', '/api/collections/', body)).id);
  };
  const grant = (person: Person, name: string) =>
    service.request('POST', '/api/access/grants', { profiles: [person.email], collections: [ids.get(name)] });

  beforeAll(async () => {
    await service.register(ada, { fullName: 'Ada Lovelace', company: 'Engines' });
    await service.register(eve);
    await create('Tonwire Messages');
    await create('Marigold', { discoverable: true });
    await create('Skylane', { discoverable: true });
    await create('Hidden');
    await grant(ada, 'Tonwire Messages');
  });

  const openAt = async (path: string, person: Person = ada, options: PageOptions = {}) => {
    const watchedPage = await openPage(browser, service, options);
    await signIn(watchedPage.page, service, person, path);
    return watchedPage;
  };

  test('a client without access is sent to the catalog', async () => {
    const { page } = await openAt('/', eve);
    await expectHeading(page, 'My APIs');
    await page.getByRole('link', { name: 'Browse the catalog' }).click();
    await expectHeading(page, 'Ask for access');
    await rowOf(page, 'Marigold').waitFor();
    expect(await page.getByText('Hidden').count()).toBe(0);
    expect(await page.getByText('Tonwire').count()).toBe(0);
  });

  test('two APIs with the same name can be distinguished', async () => {
    const bob: Person = { uid: 'bob', email: 'bob@example.com' };
    await service.register(bob);
    for (const number of [1, 2]) {
      await create('Twin tides', { description: `Number ${number}` });
      await grant(bob, 'Twin tides');
    }
    const { page } = await openAt('/mine', bob);
    const secondLabel = `Twin tides · ${ids.get('Twin tides')?.slice(0, 8)}`;
    await page.getByRole('link', { name: secondLabel }).waitFor();
    expect(await page.getByRole('link', { name: /^Twin tides · [0-9a-f]{8}$/ }).count()).toBe(2);
    await goTo(page, '/use');
    await page.getByRole('combobox', { name: 'API' }).fill('Twin');
    await page.getByRole('option', { name: secondLabel }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('api')).toBe(ids.get('Twin tides'));
    await page.getByText('No usage in this period').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'API' }).inputValue()).toBe(secondLabel);
  });

  test('lists my APIs, filters them by name, and links to their pages', async () => {
    const { page } = await openAt('/mine');
    await page.getByText('1 API', { exact: true }).waitFor();
    expect(await rowOf(page, 'Tonwire').innerText()).toContain('About Tonwire Messages.');
    expect(await page.getByText('Marigold').count()).toBe(0);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No matching APIs.').waitFor();
    await page.getByRole('searchbox').fill('tonw');
    await page.getByRole('link', { name: 'Tonwire Messages' }).click();
    await expectHeading(page, 'Tonwire Messages');
    await page.getByRole('link', { name: 'POST /messages' }).waitFor();
  });

  test('a search waits for Enter, rates its results, and leads to the operation', async () => {
    const { page } = await openAt('/search');
    let searches = 0;
    page.on('request', (request) => void (searches += request.url().endsWith('/operations/search') ? 1 : 0));
    await page.getByRole('searchbox').pressSequentially('send a text message');
    expect(searches).toBe(0);
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Results' });
    await results
      .getByRole('status')
      .getByText(/right|match/)
      .waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('send a text message');
    await expectAccessible(page);
    const firstResult = results.getByRole('listitem').first();
    expect(await firstResult.innerText()).toMatch(
      /POST\s+\/messages\s+Send a text message to a phone\s+in Tonwire Messages/,
    );
    await firstResult.getByRole('link').click();
    await page.getByRole('heading', { level: 3, name: 'POST /messages' }).waitFor();
    await page.goBack();
    await results.waitFor();
    expect(searches).toBe(1);

    await page.getByRole('searchbox').fill('qqq zzz xyzzy');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No results.').waitFor();
    await expectAccessible(page);
  });

  test('an administrator searches all APIs on the same page', async () => {
    const { page } = await openPage(browser, service);
    await signIn(page, service, undefined, '/search?q=send%20a%20text%20message%20by%20hidden');
    await page.getByText('in Hidden').first().waitFor();
  });

  test('a client asks with a reason, withdraws, asks again, and reads the decision', async () => {
    const { page } = await openAt('/ask');
    expect(await rowOf(page, 'Tonwire').innerText()).toContain('has access');
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Ask for Marigold' }).click();
      const dialog = page.getByRole('dialog', { name: 'Ask for Marigold' });
      await dialog.getByLabel('Why you need it').fill('To call customers');
      await dialog.getByLabel('Duration').selectOption('30 days');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Send request' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await ask();
    await rowOf(page, 'Marigold').getByText('requested').waitFor();
    await page.getByText('My requests').click();
    await rowOf(page, 'Marigold').getByText('30 days').waitFor();
    await page.getByRole('button', { name: 'Withdraw the request for Marigold' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await rowOf(page, 'Marigold').getByText('withdrawn').waitFor();

    await page.getByText('Catalog', { exact: true }).click();
    await ask();
    const [{ id }] = await service.request<[{ id: string }]>('GET', '/api/access/requests?status=pending');
    await service.request('POST', `/api/access/requests/${id}/deny`, { reason: 'Use the other one' });
    await goTo(page, '/mine');
    await expectHeading(page, 'My APIs');
    const { page: requestsPage } = await openAt('/ask?view=requests');
    await rowOf(requestsPage, 'Use the other one').getByText('denied').waitFor();
    await rowOf(requestsPage, 'withdrawn').first().waitFor();
    await expectAccessible(requestsPage);
    await screenshot(requestsPage, 'my requests');
  });

  test('the page of an API shows a person without access how to ask for it', async () => {
    const { page, allowProblem } = await openAt(`/apis/${ids.get('Skylane')}`, eve);
    allowProblem(/^console: .*403/);
    await page.getByText('You do not have access to Skylane').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Ask for access' }).click();
    await page.getByLabel('Why you need it').fill('To fly');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('You have asked for access.').waitFor();
    expect(await page.getByRole('button', { name: 'Ask for access' }).count()).toBe(0);
    await goTo(page, `/apis/${ids.get('Hidden')}`);
    await page.getByText('You do not have access to this API').waitFor();
    await page.getByRole('link', { name: 'Browse the catalog' }).click();
    await expectHeading(page, 'Ask for access');
  });

  test('an error of a request is shown in its dialog', async () => {
    const { page, allowProblem } = await openAt('/ask');
    allowProblem(/^console: .*409.*access\/requests/);
    await page.getByRole('button', { name: 'Ask for Skylane' }).click();
    await grant(ada, 'Skylane');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why you need it').fill('To fly');
    await dialog.getByRole('button', { name: 'Send request' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await rowOf(page, 'Skylane').getByText('has access').waitFor();
  });

  test('a new secret is shown once, works alongside the old one, and is not stored', async () => {
    const { page, context } = await openAt('/key');
    const rotate = async (grace: string): Promise<string> => {
      await page.getByRole('button', { name: 'Create new secret' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create new secret' });
      await dialog.getByLabel('Current secret').selectOption(grace);
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Create new secret' }).click();
      await dialog.waitFor({ state: 'detached' });
      await expectFullyVisible(
        page.getByRole('dialog', { name: 'Your new secret' }).getByRole('button', { name: 'Copy' }),
      );
      const line = await page.getByRole('group', { name: 'As one header' }).innerText();
      const headers = await page.getByRole('group', { name: 'As two headers' }).innerText();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'I have copied it' }).click();
      const [, clientId = '', secret = ''] = /X-API-Key: ([^.]+)\.(\S+)/.exec(line) ?? [];
      expect(headers).toBe(`X-Client-ID: ${clientId}\nX-API-Key: ${secret}`);
      return `${clientId}.${secret}`;
    };
    const statusOf = async (key: string): Promise<number> => {
      const address = `${service.address}/api/collections/${ids.get('Tonwire Messages')}/summary`;
      return (await fetch(address, { headers: { 'X-API-Key': key } })).status;
    };
    const firstKey = await rotate('stops working immediately');
    const secondKey = await rotate('works for another hour');
    expect([await statusOf(firstKey), await statusOf(secondKey)]).toEqual([200, 200]);
    const thirdKey = await rotate('stops working immediately');
    expect([await statusOf(secondKey), await statusOf(thirdKey)]).toEqual([401, 200]);
    const [, secret = ''] = thirdKey.split('.');
    const storedText = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    const { cookies, origins } = await context.storageState();
    for (const place of [await page.content(), page.url(), storedText, JSON.stringify([cookies, origins])])
      expect(place).not.toContain(secret);
    await page.getByText('600 requests in 60 seconds').waitFor();
  });

  test('shows the groups and the name of the client, and a new name appears in the menu immediately', async () => {
    const { id } = await service.request<{ id: string }>('POST', '/api/groups', { name: 'Engineers' });
    await service.request('POST', `/api/groups/${id}/members`, { profiles: [eve.email] });
    const { page, allowProblem } = await openAt('/key', eve);
    allowProblem(/^(console|failed): .*profiles\/me/);
    await page.getByRole('listitem').filter({ hasText: 'Engineers' }).getByText('added by an administrator').waitFor();
    await page.getByLabel('Full name').fill('Eve Example');
    await page.getByLabel('Company').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary').getByText('Eve Example').waitFor();

    const sentMethods: string[] = [];
    page.on('request', (request) => void sentMethods.push(request.method()));
    await page.getByLabel('Full name').fill('   ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Full name').fill('Eve');
    await service.stop();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('form').getByText('The service cannot be reached.').waitFor().finally(service.start);
    expect(sentMethods.filter((method) => method === 'PUT')).toHaveLength(1);
    expect(await page.getByLabel('Full name').inputValue()).toBe('Eve');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary').getByText('Eve', { exact: true }).waitFor();
  });

  test('the commands for agents work as copied', async () => {
    const { page, context } = await openAt('/agents');
    const { client_id: clientId } = await service.request<{ client_id: string }>(
      'GET',
      '/api/profiles/me',
      undefined,
      ada,
    );
    const { client_secret: secret } = await service.request<{ client_secret: string }>(
      'POST',
      '/api/profiles/me/credentials',
      {},
      ada,
    );
    const blockOf = (label: string) => page.getByRole('group', { name: label }).innerText();
    expect(await blockOf('In a shell')).toBe(`export PORTICO_KEY='${clientId}.YOUR_SECRET'`);
    expect(await blockOf('Command')).toContain(`${service.address}/mcp`);
    await page.getByRole('tab', { name: 'Claude Code' }).press('ArrowLeft');
    const environment = { ...process.env, PORTICO_KEY: `${clientId}.${secret}` };
    for (const label of ['MCP tool call', 'The same call without MCP']) {
      const line = await blockOf(label);
      // The service runs in this process, so a synchronous call would block it.
      const { stdout } = await run('sh', ['-c', `${line} --silent`], { env: environment });
      expect(stdout).toContain('Send a text message');
    }
    for (const name of ['VS Code', 'Cursor']) {
      await page.getByRole('tab', { name }).click();
      const file = await page.getByRole('tabpanel').getByRole('group').innerText();
      expect(JSON.stringify(JSON.parse(file))).toContain(`${service.address}/mcp`);
    }
    const [newPage] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: `${service.address}/llms.txt` }).click(),
    ]);
    await newPage.waitForURL(`${service.address}/llms.txt`);
  });

  test.each(['light', 'dark'] as const)('every page is accessible and fits a narrow screen, %s', async (theme) => {
    const { page } = await openAt('/mine', ada, { viewport: { width: 360, height: 740 }, theme });
    const pages = [
      ['/mine', 'My APIs'],
      ['/search?q=send%20a%20text%20message', 'Search'],
      ['/ask', 'Ask for access'],
      ['/ask?view=requests', 'Ask for access'],
      ['/key', 'My key'],
      ['/agents', 'Connect an agent'],
    ] as const;
    for (const [path, title] of pages) {
      await goTo(page, path);
      await expectHeading(page, title);
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await screenshot(page, `${title} ${theme}`);
    }
  });
});

/** Expects each of these buttons to be fully visible on a phone and on a desktop screen. */
const expectFullyVisible = async (buttons: Locator): Promise<void> => {
  await buttons.first().waitFor();
  const previousSize = buttons.page().viewportSize();
  for (const width of [390, 1_440]) {
    await buttons.page().setViewportSize({ width, height: 800 });
    const boxes = await Promise.all((await buttons.all()).map((button) => button.boundingBox()));
    expect(boxes).toHaveLength(3);
    for (const box of boxes) expect([width, (box?.x ?? width) + (box?.width ?? 0) < width]).toEqual([width, true]);
  }
  if (previousSize) await buttons.page().setViewportSize(previousSize);
};
