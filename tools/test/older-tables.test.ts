import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);

const withDatabase = <T>(work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(installation.folder, 'portico.sqlite'));
  try {
    return work(database);
  } finally {
    database.close();
  }
};

/** Returns everything that a migration would change: the tables, and the list of migrations. */
const readTables = () =>
  withDatabase((database) => ({
    schema: database.prepare('select sql from sqlite_master').all(),
    applied: database.prepare('select name from schema_migrations').all(),
    profiles: database.prepare('select * from profiles').all(),
  }));

const outdatedSchemaError =
  /^portico: The database .* cannot be opened: its schema is outdated \(1 migration is missing\)\. Back up the database, then run "portico migrate-tables" or start the service\n$/;

test('any command creates the tables of an empty database', async () => {
  expect(await installation.runTool('jobs', 'list')).toMatchObject({ code: 0, stderr: '' });
  for (const file of ['portico.sqlite', 'portico.sqlite-wal', 'portico.sqlite-shm'])
    rmSync(join(installation.folder, file), { force: true });
  withDatabase((database) =>
    database.exec(readFileSync(join(root, 'libs/composition/test/release-0.1.0.sql'), 'utf8')),
  );
});

test('every command that opens the stores rejects tables of an earlier version, and changes nothing', async () => {
  const before = readTables();
  const document = join(installation.folder, 'weather.json');
  writeFileSync(document, '{}');
  for (const line of [
    'people list --admins',
    'people promote alice@example.com',
    'people list',
    'people approve carol@example.com',
    'people suspend alice@example.com',
    'access grant --to alice@example.com --collections Weather',
    'access list',
    'groups list',
    'requests list',
    'limits assign free alice@example.com',
    'usage list --by day',
    'audit list',
    'keys rotate alice@example.com',
    'accounts list',
    `import ${document}`,
    'reindex',
    'jobs list',
    'jobs retry --all',
    'keys reseal',
    'keys reset --yes',
    'console',
  ]) {
    const { code, stdout, stderr } = await installation.runTool(...line.split(' '));
    expect({ line, code, stdout }).toEqual({ line, code: 1, stdout: '' });
    expect(stderr, line).toMatch(outdatedSchemaError);
  }
  expect(readTables()).toEqual(before);
});

test('migrate-tables brings the tables up to date, reports the migrations, and then has nothing to do', async () => {
  const { code, stdout, stderr } = await installation.runTool('migrate-tables');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 migration ran in \d+ ms\. The tables are up to date\.\n$/);
  expect(stderr.match(/^portico: Migration \d{4}-\S+ ran in \d+ ms$/gm)).toHaveLength(1);
  expect(stderr).toMatch(/^portico: The database schema is outdated: migrating it now\n/);
  expect(await installation.runTool('migrate-tables')).toEqual({
    code: 0,
    stdout: 'Nothing to do: the tables are up to date.\n',
    stderr: '',
  });
  expect(JSON.parse((await installation.runTool('--json', 'migrate-tables')).stdout)).toEqual({
    migrations: [],
    ms: 0,
  });
  expect((await installation.runTool('jobs', 'list')).code).toBe(0);
});

test('migrate-tables rejects the tables of a newer version', async () => {
  withDatabase((database) => database.exec("insert into schema_migrations (name) values ('9999-of-the-future')"));
  const { code, stderr } = await installation.runTool('migrate-tables');
  expect(code).toBe(1);
  expect(stderr).toContain(
    '9999-of-the-future, which this version does not know: a newer or unreleased version of Portico wrote it',
  );
});
