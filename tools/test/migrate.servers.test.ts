import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@portico/test-servers';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { root } from '../src/service-process.ts';
import { addClient, addCollection, register } from './clients.ts';
import { createInstallation, type Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.close());

const realDocuments = resolve(root, '../shared/data/specs');
const documents = existsSync(realDocuments) ? realDocuments : join(root, 'samples');

/** With these variables, the email with a client's key cannot be sent, so its job remains in the outbox. */
const variables = {
  SMTP_URL: 'smtp://127.0.0.1:9?tls=off',
  MAIL_FROM: 'portico@example.com',
  RATE_LIMIT_DEFAULT: '1000000/60',
};
/** Opens an installation with the keys of a different installation, but with its own database. */
const openWithKeysOf = ({ folder }: Installation, databaseUrl: string): Promise<Installation> =>
  openInstallation({ ...variables, DATA_DIR: folder, DATABASE_URL: databaseUrl });

const document = {
  openapi: '3.0.3',
  info: { title: 'Tide tables', description: 'When the sea comes and goes.', version: '1' },
  servers: [{ url: 'https://tides.example.com' }],
  paths: { '/tides': { get: { summary: 'High and low water of a harbour', responses: {} } } },
};
const authentication = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret', in: 'header' };

/** The callers, and the ids of the data that they request. */
interface Fixture {
  readonly admin: Credential;
  readonly key: Credential;
  readonly alice: string;
  readonly clientId: string;
  readonly tides: string;
}

/** Creates one of everything: profiles, keys, grants, limits, audit entries, usage, a credential, a pending email. */
const seedInstallation = async ({ api, createAdminToken }: Installation): Promise<Fixture> => {
  const admin = await createAdminToken();
  const catalog = await api.request<{ id: string }[]>(admin, 'GET', '/api/collections/?limit=5');
  const tides = await addCollection(api, admin, { name: 'Tides', openapi_spec: document, authentication });
  await register(api, 'bob');
  const { id: alice, key } = await addClient(api, admin, 'alice');
  for (const { id } of [...catalog, { id: tides }])
    await api.request(admin, 'POST', `/api/access/clients/${alice}/collections/${id}`);
  const gold = { tier: 'gold', allowed_limit: 1_000_000, window_seconds: 60, is_active: true };
  await api.request(admin, 'POST', '/api/rate-limits/tiers', gold);
  await api.request(admin, 'PUT', `/api/profiles/${alice}/tier`, { tier: 'gold' });
  for (const allowed_limit of [900_000, 800_000]) {
    const override = { client_id: key.clientId, allowed_limit, window_seconds: 60 };
    await api.request(admin, 'POST', '/api/rate-limits/overrides', override);
  }
  await api.request(key, 'POST', '/api/audit/', { message: { action: 'called', note: 'Zoë \u{1f600}' } });
  await api.request(key, 'GET', `/api/collections/${tides}`);
  await waitUntilSearchable(api, admin);
  return { admin, key, alice, clientId: key.clientId, tides };
};

/** Waits until searches find every collection and every operation. */
const waitUntilSearchable = async (api: ApiClient, admin: Credential): Promise<void> => {
  for (;;) {
    const { body } = await api.call(admin, 'GET', '/ready');
    const { done, failed, total } = (body as { operations: Readonly<Record<string, number>> }).operations;
    const collections = await api.request<{ length: number }>(admin, 'GET', '/api/collections/');
    const k_limit = Math.min(100, collections.length);
    const matches = await api.request<{ length: number }>(admin, 'POST', '/api/vector/search', {
      query: 'tides',
      k_limit,
    });
    if ((done ?? 0) + (failed ?? 0) === total && matches.length === k_limit) return;
    await pause(200);
  }
};

const queries = ['when is high water', 'send a message', 'list all users', 'forecast for tomorrow'];

/** Sends the same requests to any service and returns the responses. */
const readResponses = async (api: ApiClient, { admin, key, alice, clientId, tides }: Fixture) => {
  const requests: [Credential, string, string, unknown?][] = [
    ...queries.flatMap((query): [Credential, string, string, unknown][] => [
      [key, 'POST', '/api/operations/search', { query, k_limit: 5 }],
      [admin, 'POST', '/api/operations/search', { query, k_limit: 20 }],
      [key, 'POST', '/api/vector/search', { query, k_limit: 5 }],
      [admin, 'POST', '/api/vector/search', { query, k_limit: 20 }],
    ]),
    [admin, 'GET', '/api/collections/'],
    [key, 'GET', `/api/collections/${tides}`],
    [key, 'GET', `/api/collections/${tides}/operations`],
    [key, 'GET', `/api/collections/${tides}/metadata`],
    [admin, 'GET', '/api/profiles/'],
    [admin, 'GET', `/api/access/clients/${alice}/collections`],
    [admin, 'GET', '/api/rate-limits/tiers'],
    [admin, 'GET', '/api/rate-limits/overrides'],
    [admin, 'GET', '/api/audit/?source=client'],
  ];
  const responses: Record<string, unknown> = {};
  for (const [index, [caller, method, path, body]] of requests.entries())
    responses[`${index} ${path}`] = await api.request(caller, method, path, body);
  const { remaining, reset_seconds, ...limit } = await api.request<Readonly<Record<string, number>>>(
    admin,
    'GET',
    `/api/rate-limits/effective/${clientId}`,
  );
  expect([remaining, reset_seconds]).not.toContain(undefined);
  return { ...responses, limit };
};

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Returns every row of every table, except the times of migrations, which differ. */
const dumpOf = (file: string): Readonly<Record<string, readonly string[]>> => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const statement = database.prepare(buildAllRowsQuery(String(name)));
        statement.setReadBigInts(true);
        const rows = statement.all().map((row) => JSON.stringify(row, replaceValue));
        return [String(name), rows.filter((row) => !row.includes('"schema_migrations"')).toSorted()];
      }),
    );
  } finally {
    database.close();
  }
};

const buildAllRowsQuery = (table: string): string =>
  `select ${table === 'schema_migrations' ? 'name' : '*'} from ${table}`;

const replaceValue = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `integer ${value}`;
  return value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : value;
};

const unfinishedMigration =
  /is being filled from .*, which has not finished\. Run "portico migrate" again to start over, or drop/;

describe.skipIf(!postgres)('an installation with documents, people, keys, limits and history', () => {
  let sourceInstallation: Installation;
  let fixture: Fixture;
  let responses: Awaited<ReturnType<typeof readResponses>>;
  let source: string;
  beforeAll(async () => {
    sourceInstallation = await createInstallation(variables);
    source = join(sourceInstallation.folder, 'portico.sqlite');
    const { code, stderr } = await sourceInstallation.runTool('import', documents);
    expect(code, stderr).toBe(0);
    const service = await sourceInstallation.compose();
    fixture = await seedInstallation(sourceInstallation);
    responses = await readResponses(sourceInstallation.api, fixture);
    await service.stop();
  });
  afterAll(() => sourceInstallation.remove());

  const createDatabase = async (): Promise<string> => {
    if (!postgres) throw new Error('PostgreSQL is not available.');
    return postgres.createDatabase();
  };

  test('moves to PostgreSQL and back with every row; keys, searches and credentials are the same on both', async () => {
    const url = await createDatabase();
    const addressFile = join(sourceInstallation.folder, 'new-database');
    writeFileSync(addressFile, `${url}\n`);
    const before = digestOf(source);
    const postgresqlRun = await sourceInstallation.runTool('migrate', '--to-file', addressFile);
    expect(postgresqlRun.code, postgresqlRun.stderr).toBe(0);
    expect(digestOf(source)).toBe(before);
    const { host, password, pathname } = new URL(url);
    expect(postgresqlRun.stdout).toMatch(
      /^Moved \d+ rows of \d+ tables from sqlite:.* to postgresql:.*; both sides match/,
    );
    expect(postgresqlRun.stdout).toContain(`@${host}${pathname}`);
    if (password) expect(postgresqlRun.stdout + postgresqlRun.stderr).not.toContain(`:${password}@`);

    const postgresqlInstallation = await openWithKeysOf(sourceInstallation, url);
    const copyFile = join(sourceInstallation.folder, 'back.sqlite');
    const sqliteRun = await postgresqlInstallation.runTool('--json', 'migrate', '--to', `sqlite:${copyFile}`);
    expect(sqliteRun.code, sqliteRun.stderr).toBe(0);
    const report = JSON.parse(sqliteRun.stdout) as { rows: number; tables: { table: string; rows: number }[] };
    expect(report).toMatchObject({ database_url: `sqlite:${copyFile}`, to: `sqlite:${copyFile}` });
    const sourceRows = dumpOf(source);
    expect(dumpOf(copyFile)).toEqual(sourceRows);
    for (const { table, rows } of report.tables) expect([table, rows]).toEqual([table, sourceRows[table]?.length]);
    for (const table of ['grants', 'jobs', 'overrides', 'tiers', 'usage_days', 'operation_blocks'])
      expect(sourceRows[table]?.length, table).toBeGreaterThan(0);
    expect(sourceRows.jobs?.join()).toContain('mail.');

    for (const target of [
      postgresqlInstallation,
      await openWithKeysOf(sourceInstallation, `sqlite:${copyFile}`),
      sourceInstallation,
    ]) {
      const service = await target.compose();
      const targetResponses = await readResponses(target.api, fixture);
      await service.stop();
      expect(targetResponses).toEqual(responses);
      const { waiting } = JSON.parse((await target.runTool('--json', 'jobs', 'list')).stdout) as { waiting: number };
      expect(waiting).toBeGreaterThan(0);
    }
    expect(JSON.stringify(responses)).toContain('the upstream s3cret');
  });

  /** Opens a copy of the source with enough rows that a migration takes a while. */
  const openLargeSource = async (): Promise<Installation> => {
    const file = join(sourceInstallation.folder, 'slow.sqlite');
    copyFileSync(source, file);
    const database = new DatabaseSync(file);
    database.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000)
      insert into audit_entries (id, source, message, timestamp, instant, received_at) select i, 'client', '{}', '', i, i from n`);
    database.close();
    return openWithKeysOf(sourceInstallation, `sqlite:${file}`);
  };

  const buildConditionQuery = (condition: string): string => `select ${condition} as holds`;

  /**
   * Kills a migration when its target meets the condition, and expects the tool to reject the target afterwards.
   */
  const killMigrationWhen = async (
    origin: Installation,
    targetUrl: string,
    isReached: () => Promise<boolean>,
  ): Promise<void> => {
    const migration = origin.spawnTool('migrate', '--to', targetUrl);
    const exit = once(migration, 'exit');
    while (migration.exitCode === null && !(await isReached())) await pause(2);
    migration.kill('SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
    const { code, stdout, stderr } = await (
      await openWithKeysOf(sourceInstallation, targetUrl)
    ).runTool('people', 'list', '--admins');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(unfinishedMigration);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  const expectNoStart = async (targetUrl: string): Promise<void> => {
    const target = await openWithKeysOf(sourceInstallation, targetUrl);
    await expect(target.start()).rejects.toThrow(unfinishedMigration);
    expect(readFileSync(join(sourceInstallation.folder, 'service.log'), 'utf8').trim().split('\n').at(-1)).toMatch(
      unfinishedMigration,
    );
    const worker = target.spawnWorker();
    expect(await once(worker, 'exit')).toEqual([1, null]);
  };

  const holdsInDatabase = (client: Client, condition: string) => async (): Promise<boolean> => {
    const result = await client.query<{ holds: boolean }>(buildConditionQuery(condition)).catch(() => null);
    return result?.rows[0]?.holds ?? false;
  };

  test('a migration to PostgreSQL that is killed leaves the source unchanged, and the next run completes', async () => {
    const largeSource = await openLargeSource();
    const file = join(sourceInstallation.folder, 'slow.sqlite');
    const before = digestOf(file);
    const url = await createDatabase();
    const client = new Client({ connectionString: url, application_name: 'onlooker' });
    await client.connect();
    const conditions = [
      "exists (select from schema_migrations where name like 'being filled%')",
      'exists (select from collections)',
      '(select count(*) from audit_entries) between 5000 and 60000',
      'exists (select from usage_days)',
    ];
    try {
      for (const condition of conditions) {
        await killMigrationWhen(largeSource, url, holdsInDatabase(client, condition));
        expect(digestOf(file)).toBe(before);
      }
      await expectNoStart(url);
    } finally {
      await client.end();
    }
    const { code, stderr } = await largeSource.runTool('migrate', '--to', url);
    expect(code, stderr).toBe(0);
    expect((await (await openWithKeysOf(sourceInstallation, url)).runTool('people', 'list', '--admins')).code).toBe(0);
    expect(digestOf(file)).toBe(before);
  });

  test('after a migration to SQLite was killed, its file is rejected until the next run completes it', async () => {
    const [largeSource, url] = [await openLargeSource(), await createDatabase()];
    expect((await largeSource.runTool('migrate', '--to', url)).code).toBe(0);
    const postgresqlInstallation = await openWithKeysOf(sourceInstallation, url);
    const file = join(sourceInstallation.folder, 'half.sqlite');
    const createdAt = () => statSync(file, { throwIfNoEntry: false })?.birthtimeMs;
    const holdsInFile =
      (condition: string, previousCreatedAt = createdAt()) =>
      async (): Promise<boolean> => {
        // Does not open the file from an earlier run: a migration does not replace a file that another process has
        // open.
        if (createdAt() === undefined || createdAt() === previousCreatedAt) return false;
        const database = new DatabaseSync(file, { readOnly: true });
        try {
          return database.prepare(buildConditionQuery(condition)).get()?.holds === 1;
        } catch {
          // The tables are still being created.
          return false;
        } finally {
          database.close();
        }
      };
    for (const condition of ['exists (select 1 from collections)', 'exists (select 1 from usage_days)'])
      await killMigrationWhen(postgresqlInstallation, `sqlite:${file}`, holdsInFile(condition));
    await expectNoStart(`sqlite:${file}`);
    const { code, stderr } = await postgresqlInstallation.runTool('migrate', '--to', `sqlite:${file}`);
    expect(code, stderr).toBe(0);
    expect(dumpOf(file)).toEqual(dumpOf(join(sourceInstallation.folder, 'slow.sqlite')));
  });

  /** Runs a migration that fails. Returns the exit code and the last line on standard error. */
  const errorOf = async (installation: Installation, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await installation.runTool('migrate', ...args);
    expect(stdout).toBe('');
    return `${code} ${stderr.trim().split('\n').at(-1)}`;
  };

  test('each rejection explains the reason in a sentence, and nothing changes', async () => {
    const url = await createDatabase();
    const postgresqlInstallation = await openWithKeysOf(sourceInstallation, url);
    const service = await postgresqlInstallation.compose();
    const notEmptyError = await errorOf(sourceInstallation, '--to', url);
    expect(notEmptyError).toMatch(
      /^1 portico: postgresql:.* cannot be filled: it is not empty: create a new database$/,
    );
    const otherFile = `sqlite:${join(sourceInstallation.folder, 'elsewhere.sqlite')}`;
    const inUsePattern =
      /^1 portico: .* cannot be moved: it is in use by a process.*: stop the service, its workers and other/;
    expect(await errorOf(postgresqlInstallation, '--to', otherFile)).toMatch(inUsePattern);
    await service.stop();
    const sqliteService = await sourceInstallation.start();
    expect(await errorOf(sourceInstallation, '--to', otherFile)).toMatch(inUsePattern);
    await sqliteService.stop();
    const before = digestOf(source);
    expect(existsSync(join(sourceInstallation.folder, 'elsewhere.sqlite'))).toBe(false);

    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("insert into schema_migrations (name) values ('9999-of-the-future')");
    await client.end();
    expect(await errorOf(sourceInstallation, '--to', url)).toMatch(
      /^1 .* a newer or unreleased version of Portico wrote it$/,
    );
    expect(await errorOf(sourceInstallation, '--to', `sqlite:${source}`)).toMatch(
      /^1 .* cannot be filled: it is the source of the move$/,
    );
    const unreachableUrl = 'postgresql://portico:hunter2@127.0.0.1:9/portico';
    const error = await errorOf(sourceInstallation, '--to', unreachableUrl);
    expect(error).toMatch(/^1 portico: The database at 127\.0\.0\.1:9\/portico cannot be reached: /);
    expect(error).not.toContain('hunter2');
    expect(digestOf(source)).toBe(before);
  });

  test('an invalid command line is a usage error, and the message does not contain the URL', async () => {
    const missingFile = join(sourceInstallation.folder, 'missing');
    expect(await errorOf(sourceInstallation)).toMatch(/^2 /);
    expect(await errorOf(sourceInstallation, '--to', 'sqlite:x', '--to-file', missingFile)).toMatch(/^2 /);
    expect(await errorOf(sourceInstallation, '--to-file', missingFile)).toBe(
      `2 portico: --to-file: ${missingFile} cannot be read (ENOENT)`,
    );
    expect(await errorOf(sourceInstallation, '--to', 'mysql://me:hunter2@localhost/portico')).toBe(
      '2 portico: --to: read a value of 36 characters, expected sqlite:PATH, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE',
    );
  });
});
