import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fastestOf, measuredHere, reportOf, writeReport, type PeerReport } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-peers-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const of = (median: number) => ({ median, low: median * 0.9, high: median * 1.1 });
const search = { p50Ms: 1, p99Ms: 2, cpuMs: 1 };
const found = [
  { ...search, name: 'Portico', recall: 1, timesPortico: null },
  { ...search, name: 'all of them', recall: 1, timesPortico: of(40) },
  { ...search, name: 'most of them', recall: 0.99, cpuMs: 20, timesPortico: of(30) },
  { ...search, name: 'some of them', recall: 0.8, timesPortico: of(5) },
];

const way = (name: string, timesPortico: number | null) => ({
  name,
  microseconds: 1_234.5,
  requestsPerSecond: 100,
  timesBare: of(80),
  timesPortico: timesPortico === null ? null : of(timesPortico),
});

const reads = (name: string, version: string): NonNullable<PeerReport['directus']> => ({
  ...measuredHere(),
  name,
  version,
  settings: ['a setting'],
  reads: [
    {
      read: 'list of 100',
      ways: [way('Portico', null), way(name, 52), way(`${name} as text`, 41), way(`${name}, data cache`, 7)],
    },
  ],
});

const report: PeerReport = {
  directus: reads('Directus', '1.0.0'),
  'sqlite-vec': {
    ...measuredHere(),
    name: 'sqlite-vec',
    version: '1.0.0',
    settings: ['a setting'],
    source: 'made up',
    queries: 3,
    cases: [{ rows: 1_000, visible: 100, ways: found }],
  },
};

test('the fastest way is one that finds enough', () => {
  expect(fastestOf({ ways: found })).toEqual({ long: 30, cpu: 20 });
  expect(fastestOf({ ways: found.filter(({ recall }) => recall < 0.9) })).toBeNull();
});

test('the report says the least multiple, and that of a cache apart', async () => {
  const text = await reportOf(report);
  expect(text).toContain('Directus takes at least 41 times the CPU');
  expect(text).toContain('from its data cache at least 7.0');
});

test('what was not measured this time stays as it was', async () => {
  await writeReport(folder, report);
  await writeReport(folder, { strapi: reads('Strapi', '2.0.0'), directus: reads('Directus', '1.0.1') });
  const written = readFileSync(join(folder, 'peers.md'), 'utf8');
  expect(written).toContain('## Strapi 2.0.0');
  expect(written).toContain('## Directus 1.0.1');
  expect(written).toContain('sqlite-vec 1.0.0');
  expect(written).not.toContain('Directus 1.0.0');
});
