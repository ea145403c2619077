import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startSmtpServer } from '@portico/test-servers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startConsoleService, type ConsoleService } from './console-service.ts';
import { ada, focusIn, seedDialogs, walkthroughs, type Seed, type Walkthrough } from './dialog-walkthroughs.ts';
import { provideBrowser } from './provide-service.ts';
import { goTo, openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const sources = resolve(import.meta.dirname, '../src');

describe.skipIf(!browser)('dialogs', () => {
  if (!browser) return;
  let service: ConsoleService;
  let smtpServer: Awaited<ReturnType<typeof startSmtpServer>>;
  let seed: Seed;

  beforeAll(async () => {
    smtpServer = await startSmtpServer();
    smtpServer?.setScript({ rcpt: '550 5.1.1 no such user' });
    service = await startConsoleService({ SMTP_URL: smtpServer?.url ?? '', MAIL_FROM: 'portico@example.com' });
    seed = await seedDialogs(service);
    const listDeadJobs = () => service.request<readonly { retryable: boolean }[]>('GET', '/api/jobs/dead');
    const expectRetryableJob = async () => expect((await listDeadJobs()).some(({ retryable }) => retryable)).toBe(true);
    await vi.waitFor(expectRetryableJob, { timeout: 2 * 60_000 });
  });
  afterAll(async () => {
    await service.close();
    await smtpServer?.close();
  });

  test('all use the same component, and each is covered by a walkthrough in this test', () => {
    const counts = new Map<string, number>();
    for (const file of globSync('**/*.tsx', { cwd: sources })) {
      const text = readFileSync(resolve(sources, file), 'utf8');
      const importsMantineOverlay = /import \{[^}]*\b(Modal|Drawer|Popover|Menu)\b[^}]*\} from '@mantine\/core'/.test(
        text,
      );
      expect([file, importsMantineOverlay]).toEqual([file, file === 'parts/dialog-box.tsx']);
      const count = text.match(/<Dialog\b/g)?.length ?? 0;
      if (count > 0) counts.set(file, count);
    }
    const walkthroughCounts = Object.entries(walkthroughs).map(([file, { length }]) => [file, length] as const);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(walkthroughCounts));
  });

  test.each([
    ['an administrator', undefined],
    ['a client', ada],
  ])(
    'for %s take focus, restore it, and ask for confirmation before text or a secret is lost',
    async (_name, client) => {
      const { page, context, allowProblem } = await openPage(browser, service);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      // Another administrator got there first: these errors are expected.
      allowProblem(/^console: .*(409|404)/);
      // An export asks for confirmation if there are 100,000 entries or more.
      await page.route('**/api/audit/?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), total: 200_000 } });
      });
      await signIn(page, service, client);
      for (const walkthrough of Object.values(walkthroughs).flat())
        if (walkthrough.signedInAs === client) await runWalkthrough(page, walkthrough, seed);
    },
  );
});

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement).catch(() => false);

/** Opens a dialog by keyboard and closes it. */
const runWalkthrough = async (page: Page, walkthrough: Walkthrough, seed: Seed): Promise<void> => {
  const {
    path,
    prepare,
    rowToSelect,
    button: buttonName,
    title,
    perform,
    nextTitle = title,
    isShownOnce = false,
    focusAfter,
  } = walkthrough;
  const label = `${path} ${title}`;
  // Goes to another page first, so that nothing from the previous walkthrough remains.
  await goTo(page, '/use');
  await page.getByRole('heading', { level: 1, name: 'Usage', exact: true }).waitFor();
  await goTo(page, path.replace(':weather', seed.weather).replace(':tides', seed.tides));
  await page.getByRole('heading', { level: 1, name: 'Usage', exact: true }).waitFor({ state: 'detached' });
  await prepare?.(page);
  if (rowToSelect) await page.getByRole('checkbox', { name: `Select ${rowToSelect}`, exact: true }).check();
  const opener = page.locator('#content').getByRole('button', { name: buttonName, exact: true }).first();
  await opener.press('Enter');
  const firstDialog = page.getByRole('dialog', { name: title, exact: true });
  await firstDialog.waitFor();
  const field = firstDialog.locator('form').locator('textarea, select, input:not([type=hidden])').first();
  const hasField = (await field.count()) > 0 && (await field.isVisible());
  if (hasField) await expect.poll(() => isFieldFocused(firstDialog), { message: label }).toBe(true);
  else await expect.poll(() => focusIn(firstDialog), { message: label }).not.toMatch(/^$|^BODY$/);
  expect([
    label,
    (await focusIn(firstDialog)) === 'Close' && !/Close/.test(await firstDialog.locator('form').innerText()),
  ]).toEqual([label, false]);
  await perform?.(page, firstDialog, seed);
  const dialog = page.getByRole('dialog', { name: nextTitle, exact: true });
  await dialog.waitFor();
  if (perform) await expect.poll(() => focusIn(dialog), { message: label }).not.toBe('');
  else await closeWithUnsavedText(page, dialog);
  if (isShownOnce) await closeSecretDialog(page, dialog);
  else if (await dialog.isVisible()) await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect
    .poll(() => isFocused(focusAfter ? page.locator(focusAfter) : opener), { message: `after ${label}` })
    .toBe(true);
};

const isFieldFocused = (dialog: Locator): Promise<boolean> =>
  dialog.evaluate(
    (box) =>
      box.contains(document.activeElement) && Boolean(document.activeElement?.matches('textarea, select, input')),
  );

const sampleOf: Readonly<Record<string, string>> = { number: '7', date: '2099-12-31' };

/** Types into the first text field and closes the dialog. Does nothing if there is no such field. */
const closeWithUnsavedText = async (page: Page, dialog: Locator): Promise<void> => {
  const field = dialog
    .locator('textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [aria-haspopup])')
    .first();
  if ((await field.count()) === 0) return;
  const sampleText = sampleOf[(await field.getAttribute('type')) ?? ''] ?? 'Some words';
  await field.fill(sampleText);
  const confirmation = dialog.getByText('You have unsaved changes.');
  await page.keyboard.press('Escape');
  await confirmation.waitFor();
  await expect.poll(() => focusIn(dialog)).toBe('Keep editing');
  await page.keyboard.press('Escape');
  await confirmation.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe(sampleText);
  await expect.poll(() => isFocused(field)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
};

/** Tries to close the dialog in every other way, then presses `I have copied it`. */
const closeSecretDialog = async (page: Page, dialog: Locator): Promise<void> => {
  expect(await focusIn(dialog)).toBe('Copy');
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
};
