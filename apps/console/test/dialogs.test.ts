import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startSmtpServer } from '@portico/test-servers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startConsoleService, type ConsoleService } from './console-service.ts';
import { ada, focusIn, seedDialogs, walks, type Seed, type Walk } from './dialog-walks.ts';
import { provideBrowser } from './provide-service.ts';
import { goTo, openPage, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const sources = resolve(import.meta.dirname, '../src');

describe.skipIf(!browser)('dialogs', () => {
  if (!browser) return;
  let service: ConsoleService;
  let mails: Awaited<ReturnType<typeof startSmtpServer>>;
  let seed: Seed;

  beforeAll(async () => {
    mails = await startSmtpServer();
    mails?.setScript({ rcpt: '550 5.1.1 no such user' });
    service = await startConsoleService({ SMTP_URL: mails?.url ?? '', MAIL_FROM: 'portico@example.com' });
    seed = await seedDialogs(service);
    const dead = () => service.request<readonly { retryable: boolean }[]>('GET', '/api/jobs/dead');
    const isThere = async () => expect((await dead()).some(({ retryable }) => retryable)).toBe(true);
    await vi.waitFor(isThere, { timeout: 2 * 60_000 });
  });
  afterAll(async () => {
    await service.close();
    await mails?.close();
  });

  test('all use the same component, and are all walked here', () => {
    const counts = new Map<string, number>();
    for (const file of globSync('**/*.tsx', { cwd: sources })) {
      const text = readFileSync(resolve(sources, file), 'utf8');
      const isMantine = /import \{[^}]*\b(Modal|Drawer|Popover|Menu)\b[^}]*\} from '@mantine\/core'/.test(text);
      expect([file, isMantine]).toEqual([file, file === 'parts/dialog-box.tsx']);
      const count = text.match(/<Dialog\b/g)?.length ?? 0;
      if (count > 0) counts.set(file, count);
    }
    const walked = Object.entries(walks).map(([file, { length }]) => [file, length] as const);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(walked));
  });

  test.each([
    ['an administrator', undefined],
    ['a client', ada],
  ])('of %s take the focus, return it, and ask before text or a secret is lost', async (_who, client) => {
    const { page, context, expectTrouble } = await openPage(browser, service);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // Another administrator was faster.
    expectTrouble(/^console: .*(409|404)/);
    // An export asks for confirmation if there are 100,000 entries or more.
    await page.route('**/api/audit/?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), total: 200_000 } });
    });
    await signIn(page, service, client);
    for (const walk of Object.values(walks).flat()) if (walk.as === client) await walkThrough(page, walk, seed);
  });
});

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement).catch(() => false);

/** Opens a dialog by keyboard and closes it. */
const walkThrough = async (page: Page, walk: Walk, seed: Seed): Promise<void> => {
  const {
    path: at,
    before,
    choose,
    button: press,
    title,
    act: then,
    thenTitle = title,
    shownOnce = false,
    focusAfter: back,
  } = walk;
  const label = `${at} ${title}`;
  // Goes to another page first, so that nothing from the previous walk remains.
  await goTo(page, '/use');
  await page.getByRole('heading', { level: 1, name: 'Usage', exact: true }).waitFor();
  await goTo(page, at.replace(':weather', seed.weather).replace(':tides', seed.tides));
  await page.getByRole('heading', { level: 1, name: 'Usage', exact: true }).waitFor({ state: 'detached' });
  await before?.(page);
  if (choose) await page.getByRole('checkbox', { name: `Select ${choose}`, exact: true }).check();
  const opener = page.locator('#content').getByRole('button', { name: press, exact: true }).first();
  await opener.press('Enter');
  const first = page.getByRole('dialog', { name: title, exact: true });
  await first.waitFor();
  const field = first.locator('form').locator('textarea, select, input:not([type=hidden])').first();
  const hasField = (await field.count()) > 0 && (await field.isVisible());
  if (hasField) await expect.poll(() => isFieldFocused(first), { message: label }).toBe(true);
  else await expect.poll(() => focusIn(first), { message: label }).not.toMatch(/^$|^BODY$/);
  expect([label, (await focusIn(first)) === 'Close' && !/Close/.test(await first.locator('form').innerText())]).toEqual(
    [label, false],
  );
  await then?.(page, first, seed);
  const dialog = page.getByRole('dialog', { name: thenTitle, exact: true });
  await dialog.waitFor();
  if (then) await expect.poll(() => focusIn(dialog), { message: label }).not.toBe('');
  else await leaveWithText(page, dialog);
  if (shownOnce) await leaveSecret(page, dialog);
  else if (await dialog.isVisible()) await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(back ? page.locator(back) : opener), { message: `after ${label}` }).toBe(true);
};

const isFieldFocused = (dialog: Locator): Promise<boolean> =>
  dialog.evaluate(
    (box) =>
      box.contains(document.activeElement) && Boolean(document.activeElement?.matches('textarea, select, input')),
  );

const sampleOf: Readonly<Record<string, string>> = { number: '7', date: '2099-12-31' };

/** Types into the first text field and closes the dialog. Does nothing if there is no such field. */
const leaveWithText = async (page: Page, dialog: Locator): Promise<void> => {
  const field = dialog
    .locator('textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [aria-haspopup])')
    .first();
  if ((await field.count()) === 0) return;
  const typed = sampleOf[(await field.getAttribute('type')) ?? ''] ?? 'Some words';
  await field.fill(typed);
  const question = dialog.getByText('You have unsaved changes.');
  await page.keyboard.press('Escape');
  await question.waitFor();
  await expect.poll(() => focusIn(dialog)).toBe('Keep editing');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe(typed);
  await expect.poll(() => isFocused(field)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
};

/** Tries to close the dialog in every other way, then presses `I have copied it`. */
const leaveSecret = async (page: Page, dialog: Locator): Promise<void> => {
  expect(await focusIn(dialog)).toBe('Copy');
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
};
