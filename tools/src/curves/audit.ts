import { join } from 'node:path';
import { compose, createLogger, type Environment, readConfig } from '@portico/composition';
import type { AuditEntry, AuditLog, EntryId, ProfileId } from '@portico/domain';
import { startPostgres } from '@portico/test-servers';
import { createDice } from '../big-catalog/dice.ts';
import type { Curve, Row, Run } from './curve.ts';
import { fillPostgresqlAudit, fillSqliteAudit, firstInstant } from './fill-audit.ts';
import { timed } from './timing.ts';

const pageSize = 50;
const callers = 32;

const databases = ['SQLite', 'PostgreSQL'] as const;

export const audit: Curve = {
  name: 'audit',
  title: 'Audit log by entries',
  x: { label: 'entries in the log', scale: 'log' },
  charts: [
    ...databases.flatMap((database) => [
      { unit: `ms p50, ${database}`, title: `${database}: a page, median, ms`, scale: 'log' } as const,
      { unit: `ms p99, ${database}`, title: `${database}: a page, 99th percentile, ms`, scale: 'log' } as const,
    ]),
    { unit: 'inserts/s', title: `durable inserts a second, ${callers} callers`, scale: 'linear' },
    { unit: 'entries/s', title: 'entries exported a second', scale: 'linear' },
  ],
  setting:
    `At the port, on durable databases (PostgreSQL with its default of 32 MB shared buffers in tests): pages of ${pageSize} with the ` +
    'total, of a log to which 100,000 entries a day were added; single entries of 32 callers, each waiting for its commit; ' +
    'the first 200,000 entries of an export.',
  reading:
    'First and last page cost the same at every size. A page in the middle is found by counted runs of some ' +
    'thousand entries each: from a million on it costs more, because more counts are added up, and because what ' +
    'nobody looked at lately is read from the disk (10 million take 7.5 GB with their indexes). Inserts are ' +
    'bound by the syncs of the disk, of which one serves all entries that wait, and exports read on in batches: ' +
    'neither follows the size of the log. So there is nothing to do for speed, only for room: ' +
    '`AUDIT_RETENTION_DAYS` keeps fewer days.',
  async *measure(run) {
    const sizes = run.quick ? [1_000, 5_000] : [10_000, 100_000, 1_000_000, 10_000_000];
    const first = firstInstant(Math.max(...sizes), Date.now());
    const file = join(run.folder, 'portico.sqlite');
    const base = { PATH: process.env.PATH, NODE_ENV: 'development', DATA_DIR: run.folder, JOBS: 'off' };
    yield* logOf(run, 'SQLite', sizes, base, async (from, to) => fillSqliteAudit(file, first, from, to));
    const postgres = await startPostgres({ durable: true });
    if (!postgres) return run.note('PostgreSQL is not on this machine: not measured.');
    try {
      const url = await postgres.newDatabase();
      const fill = (from: number, to: number) => fillPostgresqlAudit(url, first, from, to);
      yield* logOf(run, 'PostgreSQL', sizes, { ...base, DATABASE_URL: url }, fill);
    } finally {
      await postgres.close();
    }
  },
};

async function* logOf(
  { quick, tell }: Run,
  database: (typeof databases)[number],
  sizes: readonly number[],
  environment: Environment,
  fill: (from: number, to: number) => Promise<void>,
): AsyncIterable<Row> {
  let filled = 0;
  await withAudit(environment, async () => undefined);
  for (const size of sizes) {
    tell(`${database}: ${size} entries`);
    await fill(filled + 1, size);
    filled = size;
    tell(`${database}: filled`);
    yield* await withAudit(environment, (log) => figuresOf(log, database, size, quick));
  }
}

const withAudit = async <Result>(
  environment: Environment,
  work: (log: AuditLog) => Promise<Result>,
): Promise<Result> => {
  const portico = await compose(readConfig(environment), createLogger('silent', 'curves'), 'tool');
  try {
    return await work(portico.ports.audit);
  } finally {
    await portico.close();
  }
};

const figuresOf = async (log: AuditLog, database: string, size: number, quick: boolean): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  const { total } = await log.page({ source: 'all' }, 0, 1);
  const dice = createDice(size);
  const places: readonly (readonly [string, () => number])[] = [
    ['first page', () => 0],
    ['middle page', () => Math.floor(total * (0.45 + dice.fraction() * 0.1))],
    ['last page', () => total - pageSize],
  ];
  for (const [series, offsetOf] of places) {
    const { p50, p99 } = await timed({ warmUp: quick ? 5 : 30, most: quick ? 20 : 500, longestMs: 4_000 }, async () => {
      const page = await log.page({ source: 'all' }, offsetOf(), pageSize);
      if (page.entries.length !== pageSize || page.total !== total) throw new Error('The page is not as it must be');
    });
    rows.push({ x: size, series, value: p50, unit: `ms p50, ${database}` });
    rows.push({ x: size, series, value: p99, unit: `ms p99, ${database}` });
  }
  rows.push({ x: size, series: database, value: await exportRate(log, quick ? 1_000 : 200_000), unit: 'entries/s' });
  rows.push({ x: size, series: database, value: await insertRate(log, quick ? 300 : 3_000), unit: 'inserts/s' });
  return rows;
};

const exportRate = async (log: AuditLog, most: number): Promise<number> => {
  const entries = log.export({ source: 'all' })[Symbol.asyncIterator]();
  let count = 0;
  const start = performance.now();
  while (count < most && !(await entries.next()).done) count += 1;
  return (count * 1_000) / (performance.now() - start);
};

const insertRate = async (log: AuditLog, forMs: number): Promise<number> => {
  const dice = createDice(1);
  const append = () => log.append(entryOf(dice.uuid<EntryId>(), dice.uuid<ProfileId>()), null);
  await Promise.all(Array.from({ length: callers }, append));
  let count = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - start < forMs) {
        await append();
        count += 1;
      }
    }),
  );
  return (count * 1_000) / (performance.now() - start);
};

const entryOf = (id: EntryId, actorId: ProfileId): AuditEntry => {
  const now = Date.now();
  const message = { action: 'api_call', client_id: actorId, collection_id: id, method: 'GET', status_code: 200 };
  return {
    id,
    source: 'client',
    actorId,
    message: JSON.stringify(message),
    timestamp: new Date(now).toISOString(),
    instant: now,
    receivedAt: now,
    facets: { clientId: actorId, collectionId: id, action: 'api_call' },
  };
};
