import type { MigrationOptions } from '../migrations/index.ts';
import type { SqlStores } from '../open-sql-stores.ts';
import { createSqlStores } from '../sql-stores.ts';
import { openSqlite } from './open-sqlite.ts';
import { prepareSqliteReads } from './statements.ts';
import { SqliteDatabase } from './sqlite-database.ts';

export const openSqliteStores = async (
  file: string,
  writeWaitMs: number,
  options: MigrationOptions,
): Promise<SqlStores> => {
  const { log } = options;
  const { appliedMigrations, ...connections } = await openSqlite(file, options);
  const database = new SqliteDatabase(connections, writeWaitMs, log);
  return createSqlStores({
    database,
    appliedMigrations,
    preparedReads: prepareSqliteReads(connections.reader),
    collections: { idsInJson: 'select value from json_each(?)' },
    usage: { objectsInJson: 'json_each(?)' },
    async check() {
      await database.reads.first('select id from epochs');
    },
    writeCheck: { waitMs: 500, isWaitingAllowed: true, log },
  });
};
