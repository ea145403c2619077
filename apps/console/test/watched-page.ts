import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from '@portico/dependencies';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { waitLimit } from './chromium.ts';
import type { ConsoleService, Person } from './console-service.ts';

export interface PageOptions {
  /** 1280 × 800 by default. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'light' | 'dark';
  /** Of IANA, such as `Europe/Berlin`; the machine's by default. */
  readonly timeZone?: string;
  /** The one that the browser prefers; American English by default. */
  readonly language?: string;
  /** Further origins that the page may talk to, such as an identity provider's. */
  readonly origins?: readonly string[];
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What must not happen in a page, so far, in words: one line each. */
  readonly trouble: () => readonly string[];
  /** Takes trouble that this test causes on purpose; for the rest of the test. */
  readonly expectTrouble: (pattern: RegExp) => void;
}

/**
 * A page in a browser session of its own, watched until the test ends: a violated Content-Security-Policy, an error of a
 * script, an error in the browser's console, a request that fails or goes elsewhere, and a dialog each fail the test,
 * unless it was said to expect them. Watches popups and frames too.
 */
export const openPage = async (
  browser: Browser,
  service: Pick<ConsoleService, 'address'>,
  {
    viewport = { width: 1_280, height: 800 },
    theme = 'light',
    timeZone,
    language = 'en-US',
    origins = [],
  }: PageOptions = {},
): Promise<WatchedPage> => {
  // Playwright limits neither this nor the opening of a page.
  const context = await within(
    waitLimit,
    browser.newContext({
      viewport,
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: language,
      ...(timeZone ? { timezoneId: timeZone } : {}),
    }),
  );
  context.setDefaultTimeout(waitLimit);
  const seen: string[] = [];
  const expected: RegExp[] = [];
  await watch(context, [service.address, ...origins], (line) => seen.push(line));
  const page = await within(waitLimit, context.newPage());
  const trouble = () => seen.filter((line) => !expected.some((pattern) => pattern.test(line)));
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await screenshot(page, `failed ${task.name}`).catch(() => undefined);
    await context.close();
    if (trouble().length > 0) throw new Error(`In the page:\n${trouble().join('\n')}`);
  });
  return { page, context, trouble, expectTrouble: (pattern) => void expected.push(pattern) };
};

const watch = async (context: BrowserContext, origins: readonly string[], tell: (line: string) => void) => {
  await context.exposeBinding('tellOfViolation', (_source, line: string) => tell(line));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const { tellOfViolation } = globalThis as unknown as { tellOfViolation: (line: string) => void };
      tellOfViolation(`policy: ${violatedDirective} blocks ${blockedURI} (${sourceFile})`);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') tell(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (thrown) => tell(`thrown: ${thrown.error().stack ?? thrown.error().message}`));
  context.on('dialog', (dialog) => {
    tell(`dialog: ${dialog.type()} ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isLocal = ['data:', 'blob:', 'about:'].includes(protocol);
    if (!isLocal && !origins.includes(origin)) tell(`elsewhere: ${request.method()} ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page that is left, and a query whose list is not shown any more, give up their requests.
    if (why !== 'net::ERR_ABORTED') tell(`failed: ${request.method()} ${request.url()} ${why}`);
  });
};

/** Signs in by a link, as an operator would hand it out, and waits for the page within the console. */
export const signIn = async (page: Page, service: ConsoleService, person?: Person, path?: string): Promise<void> => {
  await page.goto(await service.linkFor(person, path));
  await page.locator('#content h1').waitFor();
};

/** Opens another page of the console as its menu would, without a load that would ask for a new sign-in. */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((address) => {
    window.history.pushState(null, '', address);
    window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, `/console${path}`);
};

/** Waits until no dialog is open. A dialog and the one below it may fade out at the same time. */
export const dialogsClosed = (page: Page): Promise<void> =>
  page.getByRole('dialog').first().waitFor({ state: 'detached' });

let pictures: string | null = null;

/** Writes a picture of the whole page into the folder SCREENSHOTS, or into a temporary one; returns its path. */
export const screenshot = async (page: Page, name: string): Promise<string> => {
  pictures ??= process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'portico-screenshots-'));
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name.replaceAll(/[^A-Za-z0-9-]+/g, '-')}.png`);
  await page.screenshot({ path, fullPage: true });
  return path;
};
