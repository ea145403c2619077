import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { firstAdmin, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import { openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };
const eve: Person = { uid: 'eve', email: 'eve@example.com' };

const authentication = { type: 'apiKey', name: 'X-Api-Key', in: 'header', value: 'the-stored-credential' };

const description = `# Ships

Read the [guide](https://ships.example/guide), the <a href="https://ships.example/faq">questions</a>, or
[run](javascript:alert(1)) this. ![A ship](https://ships.example/ship.png) Send \`X-Crew\`.

<script>alert(2)</script> <img src=x onerror=alert(3)> Use <crew_id>.`;

const node = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'How **it** is called.', minLength: 1 },
    parent: { $ref: '#/components/schemas/Node' },
    cargo: {
      oneOf: [
        { type: 'object', properties: { tonnes: { type: 'number', minimum: 0 } } },
        { type: 'array', items: { type: 'string', enum: ['grain', 'ore'] } },
      ],
    },
    built: { type: 'string', format: 'date', nullable: true },
  },
};

const parameter = {
  name: 'flag',
  in: 'query',
  description: 'The flag that it sails under.',
  schema: { type: 'string', enum: ['NO', 'PT'], default: 'NO' },
};

/** Returns a document with more operations than fit on a page of the list, one of which uses every schema feature. */
const documentOf = (operations: number) => ({
  openapi: '3.0.3',
  info: { title: 'Ships', version: '1' },
  servers: [{ url: 'https://api.ships.example/v1' }],
  paths: {
    '/nodes/{id}': {
      put: {
        tags: ['Nodes'],
        operationId: 'putNode',
        summary: 'Replace a node',
        deprecated: true,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }, parameter],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
        },
        responses: {
          200: {
            description: 'The node',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
          },
          404: { description: 'There is none' },
        },
      },
    },
    ...Object.fromEntries(
      Array.from({ length: operations }, (_, index) => [
        `/ships/${index}`,
        {
          get: {
            tags: [index % 2 === 0 ? 'Even' : 'Odd'],
            summary: `Read ship ${index}`,
            responses: { 200: { description: 'A ship' } },
          },
        },
      ]),
    ),
  },
  components: { schemas: { Node: node } },
});

/** Returns a document so large that the smallest response leaves parts out. */
const wideDocument = () => ({
  openapi: '3.1.0',
  info: { title: 'Wide', version: '1' },
  paths: {
    '/wide': {
      post: {
        requestBody: { content: { 'application/json': { schema: wideSchema(2) } } },
        responses: { 200: { description: 'Done' } },
      },
    },
  },
});

const wideSchema = (depth: number): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 13 }, (_, index) => [
      `member${depth}${index}`,
      depth === 0 ? { type: 'string', description: `What member ${index} means.` } : wideSchema(depth - 1),
    ]),
  ),
});

const operationLinks = (page: Page) => page.getByRole('list', { name: 'Operations' }).getByRole('link');

describe.skipIf(!browser)('the page of an API', () => {
  if (!browser) return;
  const service = provideService();
  const ids: Record<'Ships' | 'Wide' | 'Bare', string> = { Ships: '', Wide: '', Bare: '' };

  const create = async (name: keyof typeof ids, document: object, fields: object = {}): Promise<void> => {
    const body = { name, openapi_spec: document, ...fields };
    ids[name] = (await service.request<{ id: string }>('POST', '/api/collections/', body)).id;
    await service.request('POST', '/api/access/grants', { profiles: [ada.email], collections: [ids[name]] });
  };

  beforeAll(async () => {
    await service.register(ada);
    await service.register(eve);
    await create('Ships', documentOf(450), { description, authentication });
    await create('Wide', wideDocument());
    await create('Bare', { openapi: '3.1.0', info: { title: 'Bare', version: '1' }, webhooks: {} });
  });

  const openApi = async (name: keyof typeof ids, options = {}, person: Person = ada, query = '') => {
    const watchedPage = await openPage(browser, service, options);
    await signIn(watchedPage.page, service, person, `/apis/${ids[name]}${query}`);
    await watchedPage.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    return watchedPage;
  };

  test('describes the API and how to authenticate, and never shows the stored credential', async () => {
    const { page } = await openApi('Ships');
    await page.getByText('https://api.ships.example/v1', { exact: true }).waitFor();
    await page.getByText('An API key in the header X-Api-Key').waitFor();
    await page.getByText('A credential is stored.').waitFor();
    const text = await page.locator('body').innerText();
    expect(text).not.toContain('the-stored-credential');
    expect(text).not.toContain(ids.Ships);
    const credentialReadsUrl = '/api/audit/?source=all&action=collection.credential_read';
    expect(await service.request('GET', credentialReadsUrl)).toMatchObject({ data: [] });
    await service.request('GET', `/api/collections/${ids.Ships}/metadata`);
    expect(await service.request('GET', credentialReadsUrl)).not.toMatchObject({ data: [] });
    await expectAccessible(page);
    await screenshot(page, 'api');
  });

  test('keeps only text and web links of a description', async () => {
    const { page } = await openApi('Ships');
    const guide = page.getByRole('link', { name: 'guide' });
    expect(await guide.getAttribute('rel')).toBe('noopener noreferrer');
    await page.getByRole('link', { name: 'questions' }).waitFor();
    expect(await page.getByRole('link', { name: 'run' }).count()).toBe(0);
    expect(await page.locator('#content img, #content script').count()).toBe(0);
    await page.getByText('Use <crew_id>.').waitFor();
    expect(await page.getByRole('heading', { name: 'Ships' }).count()).toBe(1);
  });

  test('lists all operations page by page, and renders only those in view', async () => {
    const { page } = await openApi('Ships');
    await operationLinks(page).first().waitFor();
    const urls: string[] = [];
    page.on('request', (request) => void urls.push(request.url()));
    expect(await operationLinks(page).count()).toBeLessThan(60);
    await operationLinks(page).first().focus();
    const lastShip = page.getByRole('link', { name: 'Read ship 449' });
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return lastShip.count();
      })
      .toBe(1);
    expect(urls.filter((url) => url.includes('cursor='))).toHaveLength(4);
    expect(urls.some((url) => url.includes('openapi'))).toBe(false);
    expect(await operationLinks(page).count()).toBeLessThan(60);
  });

  test('filters by words and by tag, both in the URL', async () => {
    const { page } = await openApi('Ships');
    await page.getByRole('searchbox', { name: 'Filter by path, name or summary' }).fill('ship 44');
    await expect.poll(() => operationLinks(page).count()).toBe(11);
    await page.getByRole('button', { name: 'Show only operations tagged Odd' }).first().click();
    await expect.poll(() => operationLinks(page).count()).toBe(5);
    expect(new URL(page.url()).searchParams.get('tag')).toBe('Odd');
    await page.getByRole('button', { name: 'Clear the filter “Odd”' }).click();
    await expect.poll(() => operationLinks(page).count()).toBe(11);
    await page.getByRole('searchbox').fill('no such thing');
    await page.getByText('No matching operations.').waitFor();
    await expectAccessible(page);
  });

  test('the keyboard moves through the list and opens an operation, which is in the URL', async () => {
    const { page } = await openApi('Ships');
    await operationLinks(page).first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter by path, name or summary' }).press('ArrowDown');
    const readFocusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    expect(await readFocusedText()).toContain('/nodes/{id}');
    await page.keyboard.press('ArrowDown');
    await expect.poll(readFocusedText).toContain('/ships/0');
    await page.keyboard.press('ArrowDown');
    await expect.poll(readFocusedText).toContain('/ships/1');
    await page.keyboard.press('ArrowUp');
    await expect.poll(readFocusedText).toContain('/ships/0');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 3, name: 'GET /ships/0' }).waitFor();
    const { search } = new URL(page.url());
    expect(search).toMatch(/^\?operation=[a-z2-7]{16}$/);

    const reopenedPage = await openApi('Ships', {}, ada, search);
    await reopenedPage.page.getByRole('heading', { level: 3, name: 'GET /ships/0' }).waitFor();
    expect(await reopenedPage.page.locator('a[aria-current="true"]').innerText()).toContain('/ships/0');
  });

  test('an operation shows parameters, schemas level by level, a curl line and a tool definition', async () => {
    const { page, context } = await openApi('Ships');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await operationLinks(page).first().click();
    await page.getByRole('heading', { level: 3, name: 'PUT /nodes/{id}' }).waitFor();
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.nth(1).innerText()).toMatch(/id\s+path\s+integer\s+required/);
    expect(await rows.nth(2).innerText()).toContain('The flag that it sails under.');
    expect(await rows.nth(2).innerText()).toContain('"PT"');

    const body = page.getByRole('group', { name: 'Request body' });
    await body.getByText('string or null (date)').waitFor();
    expect(await body.getByText('tonnes').count()).toBe(0);
    await body.getByRole('button', { name: 'Open cargo' }).click();
    await body.getByRole('button', { name: 'Open variant 1 of 2' }).click();
    await body.getByText('tonnes').waitFor();
    await body.getByText('at least 0').waitFor();
    await body.getByText('"grain"').waitFor();
    await body.getByText('parts left out').waitFor();
    await page.getByText('There is none').waitFor();

    await page.getByRole('button', { name: 'Show tool definition' }).click();
    const tool = await page.getByRole('group', { name: 'Tool definition as JSON' }).innerText();
    expect(JSON.parse(tool)).toMatchObject({
      name: expect.stringMatching(/^putNode_/) as string,
      input_schema: { type: 'object' },
    });
    const line = page.getByRole('group', { name: 'Command line' });
    await page.locator('div', { has: line }).last().getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('curl -X PUT');
    await expectAccessible(page);
    await screenshot(page, 'operation');
  });

  test('an operation reports omitted parts and loads them on request', async () => {
    const { page } = await openApi('Wide');
    await operationLinks(page).first().click();
    const more = page.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    const sizes: (string | null)[] = [];
    page.on('request', (request) => void sizes.push(new URL(request.url()).searchParams.get('max_bytes')));
    await more.click();
    await expect.poll(async () => (await more.count()) === 0 || sizes.length > 0).toBe(true);
    for (let attempt = 0; attempt < 3 && (await more.count()) > 0; attempt++) await more.click().catch(() => undefined);
    await expect.poll(() => sizes.at(-1)).toBe('262144');
    await expect.poll(() => page.getByText(/left out/).count()).toBe(0);
    for (const name of ['member20', 'member10'])
      await page
        .getByRole('button', { name: `Open ${name}`, exact: true })
        .first()
        .click();
    await page.getByText('What member 8 means.').waitFor();
  });

  test('downloads the document as a file', async () => {
    const { page } = await openApi('Wide');
    for (const form of ['JSON', 'YAML']) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Download ${form}` }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`wide.${form.toLowerCase()}`);
    }
  });

  test('a narrow screen shows either the list or the operation, also in the dark theme', async () => {
    const { page } = await openApi('Ships', { viewport: { width: 360, height: 740 }, theme: 'dark' });
    await operationLinks(page).first().click();
    const heading = page.getByRole('heading', { level: 3, name: 'PUT /nodes/{id}' });
    await heading.waitFor();
    expect(await operationLinks(page).first().isVisible()).toBe(false);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await screenshot(page, 'operation narrow dark');
    await page.getByRole('link', { name: 'All operations' }).click();
    await operationLinks(page).first().waitFor();
    expect(await heading.count()).toBe(0);
    await expectAccessible(page);
  });

  test('reports a missing server and missing operations', async () => {
    const { page } = await openApi('Bare');
    await page.getByText('The document does not specify a server').waitFor();
    await page.getByText('This API has no operations.').waitFor();
    await expectAccessible(page);
  });

  test('a person without access gets an alert that reveals nothing about the API', async () => {
    const { page, allowProblem } = await openPage(browser, service);
    allowProblem(/^console: .*(403|404).*\/summary/);
    await signIn(page, service, eve, `/apis/${ids.Ships}`);
    await page.getByRole('alert').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('Ships');
  });

  test('an administrator sees who has access', async () => {
    const { page } = await openApi('Ships', {}, firstAdmin);
    await page.getByRole('button', { name: 'Who has access' }).click();
    const rights = page.getByRole('table', { name: 'Who has access' });
    expect(await rights.getByRole('row').nth(1).innerText()).toContain(ada.email);
    await expectAccessible(page);
  });
});
