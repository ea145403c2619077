import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rejectOnTimeout } from '@portico/dependencies';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { waitLimit } from './chromium.ts';
import type { ConsoleService, Person } from './console-service.ts';

export interface PageOptions {
  /** 1280 × 800 by default. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'light' | 'dark';
  /** An IANA name such as `Europe/Berlin`. Default: the machine's time zone. */
  readonly timeZone?: string;
  /** The browser's preferred language. Default: American English. */
  readonly language?: string;
  /** Further origins that the page may connect to, such as an identity provider's. */
  readonly origins?: readonly string[];
}

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Returns the page's unexpected problems so far, one line each. */
  readonly listProblems: () => readonly string[];
  /** Allows problems that the test causes on purpose, for the rest of the test. */
  readonly allowProblem: (pattern: RegExp) => void;
}

/**
 * Opens a page in a separate browser session and watches it until the test ends: a Content-Security-Policy violation, a
 * script error, an error in the browser's console, a request that fails or leaves the allowed origins, or a dialog
 * fails the test, unless the test expects it. Also watches popups and frames.
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
  // Playwright has no timeout for this, nor for opening a page.
  const context = await rejectOnTimeout(
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
  const problems: string[] = [];
  const expectedPatterns: RegExp[] = [];
  await watch(context, [service.address, ...origins], (line) => problems.push(line));
  const page = await rejectOnTimeout(waitLimit, context.newPage());
  const listProblems = () => problems.filter((line) => !expectedPatterns.some((pattern) => pattern.test(line)));
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await screenshot(page, `failed ${task.name}`).catch(() => undefined);
    await context.close();
    if (listProblems().length > 0) throw new Error(`In the page:\n${listProblems().join('\n')}`);
  });
  return { page, context, listProblems, allowProblem: (pattern) => void expectedPatterns.push(pattern) };
};

const watch = async (context: BrowserContext, origins: readonly string[], report: (line: string) => void) => {
  await context.exposeBinding('reportViolation', (_source, line: string) => report(line));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const { reportViolation } = globalThis as unknown as { reportViolation: (line: string) => void };
      reportViolation(`policy: ${violatedDirective} blocks ${blockedURI} (${sourceFile})`);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (webError) => report(`thrown: ${webError.error().stack ?? webError.error().message}`));
  context.on('dialog', (dialog) => {
    report(`dialog: ${dialog.type()} ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isLocal = ['data:', 'blob:', 'about:'].includes(protocol);
    if (!isLocal && !origins.includes(origin)) report(`foreign origin: ${request.method()} ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const errorText = request.failure()?.errorText ?? '';
    // Leaving a page, or hiding the list of a query, aborts its requests.
    if (errorText !== 'net::ERR_ABORTED') report(`failed: ${request.method()} ${request.url()} ${errorText}`);
  });
};

/** Signs in with a link like the one printed for an operator, and waits for the page of the console. */
export const signIn = async (page: Page, service: ConsoleService, person?: Person, path?: string): Promise<void> => {
  await page.goto(await service.linkFor(person, path));
  await page.locator('#content h1').waitFor();
};

/** Opens another page of the console as the menu would: loading the page would require a new sign-in. */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((address) => {
    window.history.pushState(null, '', address);
    window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, `/console${path}`);
};

/** Waits until no dialog is open. A dialog and the one below it may fade out at the same time. */
export const waitForDialogsToClose = (page: Page): Promise<void> =>
  page.getByRole('dialog').first().waitFor({ state: 'detached' });

let screenshotsFolder: string | null = null;

/** Writes a screenshot of the whole page to the folder SCREENSHOTS or a temporary one. Returns its path. */
export const screenshot = async (page: Page, name: string): Promise<string> => {
  screenshotsFolder ??= process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'portico-screenshots-'));
  mkdirSync(screenshotsFolder, { recursive: true });
  const path = join(screenshotsFolder, `${name.replaceAll(/[^A-Za-z0-9-]+/g, '-')}.png`);
  await page.screenshot({ path, fullPage: true });
  return path;
};
