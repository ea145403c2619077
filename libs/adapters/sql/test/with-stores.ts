import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordLog } from '@portico/contracts';
import { openSqlStores, type SqlConfig, type SqlStores } from '../src/index.ts';

/** The options that a service uses to open a database. */
export const migrationOptions = { onOutdatedSchema: 'migrate', log: recordLog() } as const;

/** Runs work with a path for a new database, in a folder that is removed afterwards. */
export const withFile = async <T>(work: (file: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sql-'));
  try {
    return await work(join(folder, 'data', 'portico.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Fills a database once; each call writes a copy to a path. */
export const createFileTemplate = (seed: (config: SqlConfig) => Promise<void>): ((file: string) => Promise<void>) => {
  let seededFile: Promise<Buffer> | null = null;
  const create = () =>
    withFile(async (file) => {
      await seed({ kind: 'sqlite', file });
      return readFile(file);
    });
  return async (file) => {
    const bytes = await (seededFile ??= create());
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  };
};

const migrate = createFileTemplate(async (config) => (await openSqlStores(config)).close());

/** Runs work with the path of a new database with all tables, in a folder that is removed afterwards. */
export const withMigratedFile = (work: (file: string) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    await migrate(file);
    await work(file);
  });

/** Runs work on stores on a new file. */
export const withStores = (work: (sqlStores: SqlStores) => Promise<void>): Promise<void> =>
  withMigratedFile(async (file) => {
    const sqlStores = await openSqlStores({ kind: 'sqlite', file });
    try {
      await work(sqlStores);
    } finally {
      await sqlStores.close();
    }
  });
