import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordLog } from '@portico/contracts';
import { openSqlStores, type SqlConfig, type SqlStores } from '../src/index.ts';

/** How a service opens a database. */
export const migrating = { older: 'migrate', log: recordLog() } as const;

/** A path for a new database, in a folder that is removed afterwards. */
export const withFile = async <T>(work: (file: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sql-'));
  try {
    return await work(join(folder, 'data', 'portico.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Fills a database once; each call writes a copy to a path. */
export const fileTemplate = (fill: (place: SqlConfig) => Promise<void>): ((file: string) => Promise<void>) => {
  let filled: Promise<Buffer> | null = null;
  const make = () =>
    withFile(async (file) => {
      await fill({ kind: 'sqlite', file });
      return readFile(file);
    });
  return async (file) => {
    const bytes = await (filled ??= make());
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  };
};

const migrate = fileTemplate(async (place) => (await openSqlStores(place)).close());

/** The path of a new database with all tables, in a folder that is removed afterwards. */
export const withMigratedFile = (work: (file: string) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    await migrate(file);
    await work(file);
  });

/** Stores on a new file. */
export const withStores = (work: (opened: SqlStores) => Promise<void>): Promise<void> =>
  withMigratedFile(async (file) => {
    const opened = await openSqlStores({ kind: 'sqlite', file });
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  });
