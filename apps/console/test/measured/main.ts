import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import {
  openFirst,
  openSignedIn,
  navigateTo,
  scrollBy,
  type MeasuredPage,
  type PageMeasurement,
} from './measured-page.ts';
import { startMeasuredService, type MeasuredService } from './measured-service.ts';

/**
 * `npm run console:measure [-- DOCUMENT]`: starts the service on the database specified by the environment (`DATA_DIR`
 * or `DATABASE_URL`), which `npm run big-catalog` has filled. It opens each page of the console in a browser with an
 * empty cache, and prints the time to the page's first content and the sizes of the downloads. Given the file of a
 * large OpenAPI document, it also adds the document to the catalog, opens its page and scrolls through it, so run it on
 * a copy of the database.
 */
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printRow = (...cells: readonly (string | number)[]): void => print(`| ${cells.join(' | ')} |`);
const printHead = (...cells: readonly string[]): void => {
  printRow(...cells);
  printRow(...cells.map((_, index) => (index === 0 ? '---' : '---:')));
};
const formatMs = (time: number): string => Math.round(time).toString();
const formatKb = (bytes: number): string => (bytes / 1_024).toFixed(1);

const rows = 'table tbody tr';
const columns = ['time to content, ms', 'requests', 'API', 'JS, KB', 'CSS, KB', 'long tasks', 'longest, ms'] as const;
const cellsOf = (measurement: PageMeasurement): readonly (string | number)[] => [
  formatMs(measurement.contentMs),
  measurement.requests,
  measurement.apiRequests,
  formatKb(measurement.scriptBytes),
  formatKb(measurement.styleBytes),
  measurement.longTasks,
  formatMs(measurement.longestTaskMs),
];

/** Returns an approved client of the filled catalog. */
const findClient = async (service: MeasuredService) => {
  const query = 'role=client&registration_status=approved&suspended=false&limit=1';
  const [client] = await service.request<{ email: string }[]>('GET', `/api/profiles/?${query}`);
  if (!client) throw new Error('There is no approved client: run `npm run big-catalog` on this database first');
  // The uid that `npm run big-catalog` gives to this person.
  return { email: client.email, uid: `big-catalog-${/\.(\d+)@/.exec(client.email)?.[1]}`, emailVerified: true };
};

const pagesOf = async (
  service: MeasuredService,
  email: string,
): Promise<Record<'admin' | 'client', MeasuredPage[]>> => {
  const [api] = await service.request<{ id: string }[]>('GET', '/api/collections/?limit=1');
  const [group] = await service.request<{ name: string }[]>('GET', '/api/groups?limit=1');
  return {
    admin: [
      { path: '/people', content: rows },
      { path: '/people?status=all', content: rows },
      { path: `/people/${encodeURIComponent(email)}`, content: 'dl dd' },
      { path: '/apis', content: rows },
      { path: '/apis/import', content: 'button' },
      { path: `/apis/${api?.id}`, content: 'ul[aria-label="Operations"] li' },
      { path: '/access', content: rows },
      { path: '/access/groups', content: rows },
      { path: `/access/groups/${encodeURIComponent(group?.name ?? '')}`, content: rows },
      { path: '/access/requests', content: rows },
      { path: '/limits', content: rows },
      { path: '/audit', content: rows },
      { path: '/health', content: 'dl dd, table tbody tr' },
      { path: '/search', content: 'input' },
      { path: '/use', content: 'svg, table tbody tr' },
      { path: '/agents', content: 'pre' },
    ],
    client: [
      { path: '/mine', content: rows },
      { path: '/search', content: 'input' },
      { path: '/ask', content: rows },
      { path: '/use', content: 'p' },
      { path: '/key', content: 'dl dd, code' },
      { path: '/agents', content: 'pre' },
    ],
  };
};

const measureDocument = async (browser: Browser, service: MeasuredService, file: string): Promise<void> => {
  const text = readFileSync(file, 'utf8');
  const name = `Measured ${Date.now()}`;
  const body = `{"name":${JSON.stringify(name)},"openapi_spec":${text}}`;
  const { id } = await service.request<{ id: string }>('POST', '/api/collections/', body);
  const page = await openSignedIn(browser, await service.linkFor('/agents'));
  const measurement = await navigateTo(page, { path: `/apis/${id}`, content: 'ul[aria-label="Operations"] li' });
  print(`\n## The page of ${(text.length / 1e6).toFixed(1)} MB\n`);
  printHead('page', ...columns);
  printRow('/apis/…', ...cellsOf(measurement));
  const frames = [...(await scrollBy(page, 40_000))].sort((a, b) => a - b);
  const slowFrames = frames.filter((time) => time > 50);
  print(`\nScrolled through 40,000 px: ${frames.length} frames, ${slowFrames.length} over 50 ms, the median`);
  print(`${formatMs(frames[Math.floor(frames.length / 2)] ?? 0)} ms, the longest ${formatMs(frames.at(-1) ?? 0)} ms.`);
  await page.context().close();
  await service.request('DELETE', `/api/collections/${id}`).catch(() => undefined);
};

const service = await startMeasuredService();
const browser = await launchChromium();
if (!browser) throw new Error('Chromium is not installed: install it, or set CHROMIUM to its path');
try {
  const client = await findClient(service);
  const pages = await pagesOf(service, client.email);
  print(
    `System load: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}\n`,
  );
  print('## The very first view, from a link with a one-time code\n');
  printHead('page', ...columns);
  const startPages = { admin: { path: '/people', content: rows }, client: { path: '/mine', content: rows } } as const;
  for (const role of ['admin', 'client'] as const) {
    const link = await service.linkFor('/', role === 'client' ? client : undefined);
    printRow(`${role}: ${startPages[role].path}`, ...cellsOf(await openFirst(browser, link, startPages[role])));
  }
  for (const role of ['admin', 'client'] as const) {
    print(`\n## Pages of ${role === 'admin' ? 'administrators' : 'clients'}, within the console\n`);
    printHead('page', ...columns);
    for (const pageToMeasure of pages[role]) {
      const startPath = pageToMeasure.path === '/agents' ? '/search' : '/agents';
      const link = await service.linkFor(startPath, role === 'client' ? client : undefined);
      const page = await openSignedIn(browser, link);
      const path = pageToMeasure.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '…');
      printRow(path, ...cellsOf(await navigateTo(page, pageToMeasure)));
      await page.context().close();
    }
  }
  const [document] = process.argv.slice(2);
  if (document) await measureDocument(browser, service, document);
  print(
    `\nSystem load: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
} finally {
  await browser.close();
  await service.stop();
}
