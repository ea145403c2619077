import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { compose, createLogger, readConfig, type Environment } from '@portico/composition';
import { startPostgres } from '@portico/test-servers';
import type { Measurements } from '../src/curves/curve.ts';
import { fillPostgresqlAudit, fillSqliteAudit, firstInstant } from '../src/curves/fill-audit.ts';
import { root } from '../src/service-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-curves-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Each starts processes, which on a busy machine takes many seconds.

/** Runs the command as `npm run curves` does. */
const runCurves = async (...args: readonly string[]) => {
  const command = ['-C', '@portico/source', join(root, 'tools/src/curves/main.ts'), ...args];
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
};

describe('npm run curves', () => {
  test('writes table, JSON and charts of the curves it is asked for, and keeps those of the others', async () => {
    const out = join(folder, 'out');
    const options = ['--quick', '--out', out];
    expect(await runCurves(...options, '--only', 'operations')).toMatchObject({ code: 0, stdout: '' });
    const { code, stderr } = await runCurves(...options, '--only', 'search');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('search: 500 collections');
    expect(readdirSync(out).sort()).toEqual(['curves.json', 'curves.md', 'operations.svg', 'search.svg']);
    const { curves } = JSON.parse(readFileSync(join(out, 'curves.json'), 'utf8')) as Measurements;
    expect(curves.every(({ machine }) => machine.cores > 0)).toBe(true);
    expect(curves.map(({ name }) => name)).toEqual(['search', 'operations']);
    const found = curves[0]?.rows.filter(({ series, unit }) => series === '1 %' && unit === 'ms p50') ?? [];
    expect(found.map(({ x }) => x)).toEqual([500, 1_000]);
    expect(found.every(({ value }) => value > 0)).toBe(true);
    const markdown = readFileSync(join(out, 'curves.md'), 'utf8');
    expect(markdown).toContain('![Search by collections](search.svg)');
    expect(markdown.match(/, on \d+ cores of /g)).toHaveLength(2);
    expect(markdown).toMatch(/\| +1,000 \| +[\d.]+ \| +[\d.]+ \| +[\d.]+ \|/);
    expect(readFileSync(join(out, 'search.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  test('says what it can do, and refuses what it cannot', async () => {
    const help = await runCurves('--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('--idle-minutes');
    const refused = await runCurves('--only', 'serach');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no curve serach');
  });
});

/** Fills a log, which has an entry about the first admin, in two lots, of which the second makes the indexes anew. */
const expectRightLog = async (environment: Environment, fill: (from: number, to: number) => Promise<void> | void) => {
  const withLog = async (work: Parameters<typeof withPortico>[1]) => withPortico(environment, work);
  await withLog(async () => undefined);
  await fill(1, 1_000);
  await fill(1_001, 120_000);
  await withLog(async ({ ports: { audit } }) => {
    const page = (source: 'all' | 'client' | 'system', offset: number) => audit.page({ source }, offset, 50);
    expect(await page('system', 0)).toMatchObject({ total: 12_001 });
    expect(await page('client', 0)).toMatchObject({ total: 108_000 });
    const { entries, total } = await page('all', 60_001);
    expect(total).toBe(120_001);
    expect(entries.map(({ id }) => Number(id.slice(-8)))).toEqual(Array.from({ length: 50 }, (_, at) => 60_000 - at));
    for (const { message, facets, timestamp, instant } of entries) {
      expect(new Date(instant).toISOString()).toBe(timestamp);
      const { action, client_id, collection_id } = JSON.parse(message) as Record<string, string>;
      expect(facets).toEqual({ action, clientId: client_id, collectionId: collection_id });
    }
  });
};

const withPortico = async (
  environment: Environment,
  work: (portico: Awaited<ReturnType<typeof compose>>) => Promise<void>,
): Promise<void> => {
  const portico = await compose(readConfig(environment), createLogger('silent', 'curves'), 'tool');
  try {
    await work(portico);
  } finally {
    await portico.close();
  }
};

describe('the audit log that is measured has right entries, pages and totals', () => {
  const first = firstInstant(120_000, Date.now());
  const environment = { NODE_ENV: 'development', DATA_DIR: join(folder, 'audit'), JOBS: 'off' };

  test('on SQLite', () =>
    expectRightLog(environment, (from, to) => fillSqliteAudit(join(folder, 'audit/portico.sqlite'), first, from, to)));

  test('on PostgreSQL', async ({ skip }) => {
    const postgres = await startPostgres();
    if (!postgres) return skip();
    try {
      const url = await postgres.newDatabase();
      const fill = (from: number, to: number) => fillPostgresqlAudit(url, first, from, to);
      await expectRightLog({ ...environment, DATABASE_URL: url }, fill);
    } finally {
      await postgres.close();
    }
  });
});
