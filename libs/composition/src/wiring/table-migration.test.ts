import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRecordingStream, createTemporaryFolder } from '@portico/test-servers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../config.ts';
import type { ProcessRole } from '../process-role.ts';
import { createLogger } from '../runtime/logging.ts';
import { compose } from './compose.ts';

let folder: string;
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
});

const withDatabase = <T>(work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  try {
    return work(database);
  } finally {
    database.close();
  }
};

/** Returns the applied migrations of the database: at first those of release 0.1.0. */
const readAppliedMigrations = (): readonly string[] =>
  withDatabase((database) => database.prepare('select name from schema_migrations order by id').all()).map(({ name }) =>
    String(name),
  );
const createReleasedDatabase = (): void =>
  withDatabase((database) =>
    database.exec(readFileSync(join(import.meta.dirname, '../../test/release-0.1.0.sql'), 'utf8')),
  );

/** Composes and closes; returns the logged lines. */
const composeOnce = async (role: ProcessRole): Promise<readonly Record<string, unknown>[]> => {
  const { stream, chunks: lines } = createRecordingStream();
  const portico = await compose(readConfig({ DATA_DIR: folder }), createLogger('info', 'test', stream), role);
  await portico.close();
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

test.each(['http', 'worker'] as const)(
  'a process with the role %s migrates the tables, and logs each migration',
  async (role) => {
    createReleasedDatabase();
    const migrationsBefore = readAppliedMigrations();
    const lines = await composeOnce(role);
    const migrations = readAppliedMigrations().slice(migrationsBefore.length);
    const migrationLines = lines.filter((line) => 'migration' in line);
    expect(migrationLines.map(({ migration }) => migration)).toEqual(migrations);
    for (const { msg, migration, ms } of migrationLines)
      expect(msg).toBe(`Migration ${String(migration)} ran in ${String(ms)} ms`);
    const ms = migrationLines.reduce((sum, line) => sum + Number(line['ms']), 0);
    expect(lines.find((line) => 'migrations' in line)).toMatchObject({
      msg: `1 migration ran in ${ms} ms`,
      migrations: 1,
      ms,
    });
    expect(await composeOnce(role)).not.toContainEqual(
      expect.objectContaining({ migrations: expect.any(Number) as number }),
    );
  },
);

test('a tool rejects tables of an earlier version, and creates the tables of an empty database', async () => {
  createReleasedDatabase();
  const migrationsBefore = readAppliedMigrations();
  await expect(composeOnce('tool')).rejects.toThrow('its schema is outdated');
  expect(readAppliedMigrations()).toEqual(migrationsBefore);
  rmSync(join(folder, 'portico.sqlite'));
  await composeOnce('tool');
  expect(readAppliedMigrations().length).toBeGreaterThan(migrationsBefore.length);
});
