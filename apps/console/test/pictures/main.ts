import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { startConsoleService, type ConsoleService, type Person } from '../console-service.ts';
import { colleague, memberOf, seedOrganisation } from './organisation.ts';
import { reduceColours } from './png-palette.ts';
import { documentShots, shotsOf, type Shot } from './shots.ts';

/**
 * `npm run console:pictures`: takes pictures of each page in both themes, on a wide screen and on a phone; with
 * `--docs`, takes those of docs/console instead.
 */
const { values } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

const docsFolder = resolve(import.meta.dirname, '../../../../docs/console');

interface View {
  readonly name: string;
  readonly width: number;
  readonly theme: 'light' | 'dark';
}

const views: readonly View[] = [1_280, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ name: `${width}-${theme}`, width, theme })),
);

const personOf = { admin: colleague, client: memberOf('Amara') } satisfies Record<string, Person>;

/** A link signs in again for each picture, so that no picture shows leftovers from the previous one. */
const takePicture = async (
  browser: Browser,
  service: ConsoleService,
  shot: Shot,
  { width, theme }: View,
  path: string,
) => {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  try {
    const address = shot.role ? await service.linkFor(personOf[shot.role], shot.path) : `${service.address}/console/`;
    await page.goto(address);
    await page.locator('h1').first().waitFor();
    await waitUntilLoaded(page);
    await shot.prepare?.(page);
    await waitUntilLoaded(page);
    await page.screenshot({ path, fullPage: !values.docs });
  } catch (error) {
    process.stderr.write(`${path}: ${String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await context.close();
  }
};

const waitUntilLoaded = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(300);
};

const main = async (): Promise<void> => {
  const browser = await launchChromium();
  if (!browser) throw new Error('Chromium is not installed: install it, or set CHROMIUM to its path');
  const service = await startConsoleService();
  try {
    const folder = values.docs ? docsFolder : (values.folder ?? mkdtempSync(join(tmpdir(), 'portico-pictures-')));
    mkdirSync(folder, { recursive: true });
    const organisation = await seedOrganisation(service);
    const shots = (values.docs ? documentShots : shotsOf)(organisation).filter(({ name }) =>
      name.includes(values.only),
    );
    const light = { name: '', width: 1_280, theme: 'light' } as const;
    for (const shot of shots)
      await Promise.all(
        (values.docs ? [light] : views).map(async (view) => {
          const path = join(folder, `${[shot.name, view.name].filter(Boolean).join('-')}.png`);
          await takePicture(browser, service, shot, view, path);
          if (values.docs) writeFileSync(path, reduceColours(readFileSync(path)));
        }),
      );
    process.stdout.write(`${folder}\n`);
  } finally {
    await browser.close();
    await service.close();
  }
};

if (values.help)
  process.stdout.write(
    'npm run console:pictures                        each page, in both themes, 1280 and 360 px wide\n' +
      '  -- --folder FOLDER --only WORD                writes to this folder, only pictures with WORD in their name\n' +
      '  -- --docs                                     the pictures of docs/console\n',
  );
else await main();
