import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTemporaryFolder } from '@portico/test-servers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { startConsoleService, type Person } from './console-service.ts';
import { provideBrowser, provideService } from './provide-service.ts';
import {
  waitForDialogsToClose,
  goTo,
  openPage,
  screenshot,
  signIn,
  type PageOptions,
  type WatchedPage,
} from './watched-page.ts';

const browser = await provideBrowser();
const samples = resolve(import.meta.dirname, '../../../samples');
const folder = createTemporaryFolder(afterAll);
const documents = join(folder, 'documents');

/** An integer too large for a JavaScript number. */
const huge = '90071992547409931234';
const documentText = (title: string, ...paths: readonly string[]): string =>
  `{"openapi":"3.0.3","info":{"title":${JSON.stringify(title)},"version":"1","x-huge":${huge}},"paths":{` +
  `${paths.map((path) => `"${path}":{"get":{"responses":{"200":{"description":"ok"}}}}`).join(',')}}}`;

beforeAll(() => {
  cpSync(samples, join(documents, 'samples'), { recursive: true, filter: (path) => !path.endsWith('README.md') });
  mkdirSync(join(documents, '.git'));
  const files = {
    'tides.json': documentText('Tides', '/tides', '/currents'),
    'winds.yaml': `openapi: 3.1.0\ninfo: {title: Winds, version: '1', x-huge: ${huge}}\nservers: [{url: 'https://winds.example'}]\npaths: {}\nx-more: 1\n`,
    'departing.json':
      '{"openapi":"3.0.3","info":{"title":"Departing","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{},"surprise":1}',
    'broken.json': '{"openapi": "3.0.3",\n  "info": {"title": "Broken"},,\n}',
    'broken.yaml': 'openapi: 3.0.3\ninfo:\n  title: One\n  title: Two\n',
    'README.md': '# Documents',
    'package.json': '{"name": "documents"}',
    '.git/openapi.json': documentText('Hidden'),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(documents, name), content);
});

const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });
const row = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
const status = (page: Page, text: string | RegExp): Locator => page.getByRole('status').filter({ hasText: text });

const chooseFolder = (page: Page, path = documents): Promise<void> =>
  page.locator('input[webkitdirectory]').setInputFiles(path);

/** Chooses files with the keyboard: the button opens the browser's dialog. */
const chooseFiles = async (page: Page, ...files: readonly string[]): Promise<void> => {
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Choose files').press('Enter');
  await (await chooser).setFiles(files.map((name) => join(documents, name)));
};

const importAll = async (page: Page): Promise<void> => {
  await button(page, /^Import \d/).click();
  await button(page, 'Clear the list').waitFor();
};

/** Drops files as if from the desktop. */
const drop = async (page: Page, files: Readonly<Record<string, string>>): Promise<void> => {
  const dataTransfer = await page.evaluateHandle((contents) => {
    const transfer = new DataTransfer();
    for (const [name, content] of Object.entries(contents)) transfer.items.add(new File([content], name));
    return transfer;
  }, files);
  await page.dispatchEvent('h1', 'dragenter', { dataTransfer });
  await page.dispatchEvent('text=Drop to import', 'drop', { dataTransfer });
};

const expectNoSidewaysScrolling = async (page: Page): Promise<void> => {
  const [contentWidth, windowWidth] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    window.innerWidth,
  ]);
  expect(contentWidth).toBeLessThanOrEqual(windowWidth ?? 0);
};

describe.skipIf(!browser)('APIs', () => {
  if (!browser) return;
  const service = provideService();

  const openAt = async (path: string, options: PageOptions = {}, targetService = service): Promise<WatchedPage> => {
    const watchedPage = await openPage(browser, targetService, options);
    await signIn(watchedPage.page, targetService, undefined, path);
    return watchedPage;
  };
  const publish = (title: string, ...paths: readonly string[]): Promise<{ id: string }> =>
    service.request('POST', '/api/collections/', {
      name: title,
      openapi_spec: JSON.parse(documentText(title, ...paths)) as unknown,
    });
  const textOf = async (name: string): Promise<string> => {
    const [{ id } = { id: '' }] = await service.request<{ id: string }[]>('GET', `/api/collections/?q=${name}`);
    const headers = { authorization: `Bearer ${await service.tokenFor()}` };
    return (await fetch(`${service.address}/api/collections/${id}/openapi.json`, { headers })).text();
  };

  test('compares and imports a folder, skips other files, and finds it unchanged the next time', async () => {
    const { page } = await openAt('/apis');
    await page.getByText('No APIs yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Import APIs' }).click();
    await chooseFolder(page);
    await status(page, '27 to create, 2 skipped, 2 rejected or failed').waitFor();
    expect(await service.request('GET', '/api/collections/')).toEqual([]);
    expect(await row(page, 'broken.json').innerText()).toContain('Not valid JSON, line 2, column 31');
    expect(await row(page, 'broken.yaml').innerText()).toMatch(/Not valid YAML, line 4, column 3: .*unique/);
    await expectAccessible(page);
    await screenshot(page, 'import compared');

    await importAll(page);
    await status(page, '27 created, 2 skipped, 2 rejected or failed').waitFor();
    expect(await service.request('GET', '/api/collections/')).toHaveLength(27);
    expect(await textOf('Tides')).toBe(readFileSync(join(documents, 'tides.json'), 'utf8'));
    expect(await textOf('Winds')).toContain(`"x-huge":${huge}`);
    await button(page, '1 warning').click();
    const dialog = page.getByRole('dialog', { name: 'Warnings for Departing' });
    await dialog.getByText('surprise').waitFor();
    await expectAccessible(page);
    await dialog.locator('footer, form').getByRole('button', { name: 'Close' }).click();

    writeFileSync(join(documents, 'tides.json'), documentText('Tides and more', '/tides', '/moons', '/suns'));
    await chooseFolder(page);
    await status(page, '1 to update, 26 unchanged, 2 skipped, 2 rejected or failed').waitFor();
    const changes = await row(page, 'tides.json').innerText();
    expect(changes).toContain('“Tides” becomes “Tides and more”, 2 operations added, 1 operation removed');
    await importAll(page);
    await status(page, '1 updated').waitFor();
    await page.getByRole('link', { name: 'Tides and more' }).click();
    await page.getByRole('heading', { name: 'Tides and more' }).waitFor();
  });

  test('an import matches the APIs that the tool imported by path, by source and path, and by title', async () => {
    const { page } = await openAt('/apis/import');
    const body = { name: 'Fjords', openapi_spec: JSON.parse(documentText('Fjords', '/old')) as unknown };
    await service.request('PUT', '/api/imports/?import_key=file:fjords/openapi.json', body);
    await service.request('PUT', '/api/imports/?import_key=acme/sea:fjords/openapi.json', { ...body, name: 'Sea' });
    const fjords = join(folder, 'fjords');
    mkdirSync(fjords, { recursive: true });
    writeFileSync(join(fjords, 'openapi.json'), documentText('Fjords', '/new'));
    await chooseFolder(page, fjords);
    await status(page, '1 to update').waitFor();
    expect(await row(page, 'fjords').innerText()).not.toContain('becomes');

    await page.getByText('How a later import matches').click();
    await page.getByLabel('Source').fill('acme/sea');
    await page.getByLabel('Source').press('Tab');
    await row(page, '“Sea” becomes “Fjords”').waitFor();
    await page.getByLabel('Source').fill('acme/elsewhere');
    await page.getByLabel('Source').press('Tab');
    await row(page, 'An API with this name already exists').waitFor();
    await expectAccessible(page);
    await page.getByText('Document title', { exact: true }).click();
    await status(page, '1 to update').waitFor();
    await page.getByText('Path in the folder', { exact: true }).click();
    await page.getByLabel('Source').fill('');
    await page.getByLabel('Source').press('Tab');
    await importAll(page);
    await status(page, '1 updated').waitFor();
  });

  test('accepts dropped files and files chosen by keyboard, and rejects a duplicate title', async () => {
    const { page } = await openAt('/apis');
    await drop(page, { 'a.json': documentText('Dropped'), 'b.json': documentText('Dropped'), 'c.txt': 'text' });
    await page.getByRole('heading', { name: 'Import APIs' }).waitFor();
    await status(page, '1 to create, 1 skipped, 1 rejected or failed').waitFor();
    expect(await row(page, 'b.json').innerText()).toContain('It would change the same API as a.json');
    expect(await row(page, 'c.txt').innerText()).toContain('not an OpenAPI document');
    await button(page, 'Clear the list').click();
    await chooseFiles(page, 'departing.json', 'winds.yaml');
    await row(page, 'winds.yaml').waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
  });

  test('retries files that failed while the service was unavailable, and does not send cancelled files', async () => {
    const { page, allowProblem } = await openAt('/apis/import');
    allowProblem(/^(failed|console): .*(ERR_|imports)/);
    await chooseFiles(page, 'tides.json');
    await status(page, /to (create|update)|unchanged/).waitFor();
    await service.stop();
    await chooseFiles(page, 'departing.json');
    await row(page, 'The service cannot be reached').waitFor();
    await service.start();
    await button(page, 'Try 1 file again').click();
    await row(page, 'departing.json')
      .filter({ hasText: /unchanged|would be/ })
      .waitFor();

    await button(page, 'Clear the list').click();
    await page.route('**/api/imports/plan**', async (route) => {
      await new Promise((done) => setTimeout(done, 400));
      await route.continue().catch(() => undefined);
    });
    await chooseFolder(page);
    await status(page, /^Comparing/).waitFor();
    await expectAccessible(page);
    await button(page, 'Cancel').click();
    await status(page, /\d+ cancelled/).waitFor();
    expect(await button(page, /^Try \d+ files again/).count()).toBe(1);
  });

  test('rejects files that are too large, and sends no other large file after the first rejection', async () => {
    const smallService = await startConsoleService({ SPEC_BODY_LIMIT: '20kb' });
    try {
      const { page, allowProblem } = await openAt('/apis/import', {}, smallService);
      allowProblem(/^console: .*413/);
      let sentCount = 0;
      page.on('request', (request) => (sentCount += request.url().includes('/plan') ? 1 : 0));
      const largeFolder = join(folder, 'large');
      mkdirSync(largeFolder, { recursive: true });
      for (const name of ['a', 'b', 'c', 'd']) {
        const paddedText = documentText(name, '/x').replace('"paths"', `"x-pad":"${'x'.repeat(30_000)}","paths"`);
        writeFileSync(join(largeFolder, `${name}.json`), paddedText);
      }
      await chooseFolder(page, largeFolder);
      await status(page, '4 rejected or failed').waitFor();
      expect(await row(page, 'd.json').innerText()).toContain('29 KB; the service accepts at most 20 KB');
      expect(sentCount).toBeLessThanOrEqual(2);
    } finally {
      await smallService.close();
    }
  });

  test('the list finds an API by name, and shows its visibility and last use', async () => {
    const { id } = await publish('Glaciers', '/ice');
    await service.request('PUT', `/api/collections/${id}`, { discoverable: true });
    const { page } = await openAt('/apis');
    await page.getByLabel('API name').fill('glaci');
    await page.getByText('1 API', { exact: true }).waitFor();
    expect(await row(page, 'Glaciers').innerText()).toMatch(/shown to all\s+never/);
    await page.getByLabel('API name').fill('no such');
    await page.getByText('No matching APIs.').waitFor();
  });

  test('sets the address of an API', async () => {
    const { id } = await publish('Currents', '/flows');
    const { page, allowProblem } = await openAt(`/apis/${id}`);
    allowProblem(/status of 400/);
    const open = () => button(page, 'Address').click();
    const baseUrl = page.getByRole('textbox', { name: 'Base URL' });
    const variables = page.getByRole('textbox', { name: 'Server variables' });
    await open();
    await expectAccessible(page);
    await baseUrl.fill('not an address');
    await variables.fill('region=eu\ntier');
    await button(page, 'Save').click();
    await page.getByText('“tier” is not a name and a value').waitFor();
    await variables.fill('region=eu\ntier=a=b');
    await button(page, 'Save').click();
    await page.getByText('must be an absolute http or https URL').waitFor();
    await baseUrl.fill('https://currents.example/v2');
    await button(page, 'Save').click();
    await waitForDialogsToClose(page);
    await page.locator('dd').getByText('https://currents.example/v2').waitFor();
    const summary = `/api/collections/${id}/summary`;
    const settings = { base_url: 'https://currents.example/v2', server_variables: { region: 'eu', tier: 'a=b' } };
    expect(await service.request('GET', summary)).toMatchObject({ settings });
    await open();
    expect([await baseUrl.inputValue(), await variables.inputValue()]).toEqual([
      settings.base_url,
      'region=eu\ntier=a=b',
    ]);
    await baseUrl.fill('');
    await variables.fill('');
    await button(page, 'Save').click();
    await waitForDialogsToClose(page);
    expect(await service.request('GET', summary)).toMatchObject({ settings: { base_url: null, server_variables: {} } });
  });

  test('edits an API, replaces its document and sets its credential, which is never shown', async () => {
    const { id } = await publish('Rivers', '/old');
    const { page } = await openAt(`/apis/${id}`);
    await button(page, 'Edit').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Rivers and lakes');
    await page.getByRole('switch', { name: 'Shown in the catalog' }).click();
    await expectAccessible(page);
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Rivers and lakes' }).waitFor();

    await button(page, 'Authentication').click();
    await page.getByLabel('Type').selectOption('API key');
    expect(await button(page, 'Remove authentication').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Header or parameter name' }).fill('X-River');
    await page.getByLabel('Sent in').selectOption('the query');
    await page.getByRole('textbox', { name: 'Credential' }).fill('river-secret');
    await expectAccessible(page);
    await button(page, 'Save').click();
    await page.getByText('Authentication saved.').waitFor();
    const metadata = `/api/collections/${id}/metadata`;
    const savedAuthentication = { type: 'apiKey', name: 'X-River', in: 'query', value: 'river-secret' };
    expect(await service.request('GET', metadata)).toMatchObject({ authentication: savedAuthentication });

    await button(page, 'Authentication').click();
    await page.getByText('A value is set; it is never shown.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Credential' }).inputValue()).toBe('');
    expect(await page.content()).not.toContain('river-secret');
    await page.getByRole('textbox', { name: 'Header or parameter name' }).fill('X-Lake');
    await button(page, 'Save').click();
    await waitForDialogsToClose(page);
    expect(await service.request('GET', metadata)).toMatchObject({
      authentication: { ...savedAuthentication, name: 'X-Lake' },
    });
    await button(page, 'Authentication').click();
    await button(page, 'Remove authentication').click();
    const confirmation = page.getByRole('dialog', { name: 'Remove authentication?' });
    await confirmation.getByText('cannot be read back').waitFor();
    await expectAccessible(page);
    expect(await service.request('GET', metadata)).toMatchObject({ authentication: { value: 'river-secret' } });
    await confirmation.getByRole('button', { name: 'Remove authentication' }).click();
    await waitForDialogsToClose(page);
    expect(await service.request('GET', metadata)).toMatchObject({ authentication: { type: 'none', value: null } });

    await button(page, 'Replace document').click();
    await page.locator('[role=dialog] input[type=file]').setInputFiles(join(documents, 'broken.json'));
    await page.getByText('Not valid JSON, line 2, column 31').waitFor();
    expect(await button(page, 'Replace').last().isDisabled()).toBe(true);
    await page.locator('[role=dialog] input[type=file]').setInputFiles(join(documents, 'departing.json'));
    await page.getByText('Title: Departing').waitFor();
    await expectAccessible(page);
    await button(page, 'Replace').last().click();
    await page.getByText('Document replaced; 1 warning.').waitFor();
    expect(await textOf('Rivers')).toBe(readFileSync(join(documents, 'departing.json'), 'utf8'));
  });

  test('shows who has access to an API and who used it, and deletes it once its name is typed', async () => {
    const { id } = await publish('Lagoons', '/water');
    const zoe: Person = { uid: 'zoe', email: 'zoe@example.com' };
    const profile = await service.register(zoe, { fullName: 'Zoe Wright' });
    await service.request('POST', `/api/access/clients/${profile}/collections/${id}`, { expires_at: '2099-12-31' });
    await service.request('GET', `/api/collections/${id}`, undefined, zoe);
    const { page } = await openAt(`/apis/${id}`);
    const grant = await page.getByRole('link', { name: 'Grant access' }).getAttribute('href');
    expect(grant).toBe(`/console/access?grant=1&api=${id}`);
    await button(page, 'Who has access').click();
    expect(await row(page, 'Zoe Wright').innerText()).toMatch(/direct\s+.*2100|direct\s+.*2099/s);
    await expectAccessible(page);
    // Usage counts are written every few seconds.
    const usageUrl = `/api/usage?by=profile&collection_id=${id}`;
    await expect.poll(() => service.request('GET', usageUrl)).toHaveLength(1);
    await button(page, 'Usage in the last 30 days').click();
    expect(await row(page, 'zoe@example.com').last().innerText()).toMatch(/example.com\s+1\s+0\s+0\s+0/);

    await button(page, 'Delete').click();
    await page.getByText('1 person will lose access.').waitFor();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel('Type its name').fill('Lagoons');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'APIs', exact: true }).waitFor();
    expect((await service.call('GET', `/api/collections/${id}/summary`)).status).toBe(404);
  });

  test.each(['light', 'dark'] as const)('both pages are accessible and fit a phone, %s', async (theme) => {
    await publish(`A name that is rather long so that a narrow page has to break it somewhere ${theme}`, '/x');
    const { page } = await openAt('/apis', { theme, viewport: { width: 360, height: 740 } });
    await row(page, `somewhere ${theme}`).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await screenshot(page, `apis ${theme} 360`);
    await page.getByRole('link', { name: 'Import APIs' }).click();
    await chooseFiles(page, 'tides.json', 'departing.json', 'broken.json');
    await status(page, /1 rejected/).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScrolling(page);
    await screenshot(page, `import ${theme} 360`);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await screenshot(page, `import ${theme}`);
    await goTo(page, '/apis');
    await row(page, `somewhere ${theme}`).waitFor();
    await screenshot(page, `apis ${theme}`);
  });
});
