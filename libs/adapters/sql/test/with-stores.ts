import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlStores, type SqlStores } from '../src/index.ts';

/** A path for a new database, in a folder that is removed afterwards. */
export const withFile = async (work: (file: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sql-'));
  try {
    await work(join(folder, 'data', 'portico.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Stores on a new file. */
export const withStores = (work: (opened: SqlStores) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    const opened = await openSqlStores({ kind: 'sqlite', file });
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  });
