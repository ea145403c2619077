import { fulfillsWithin } from '@portico/dependencies';
import type { MigrationOptions } from '../migrations/index.ts';
import type { SqlStores } from '../open-sql-stores.ts';
import { createSqlStores } from '../sql-stores.ts';
import { openPostgresql } from './open-postgresql.ts';
import { limits } from './pool.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

/** Opens the stores; rejects like `openPostgresql`. The stores' probe times out after 500 ms. */
export const openPostgresqlStores = async (
  url: string,
  options: MigrationOptions,
  startWaitMs: number,
): Promise<SqlStores> => {
  const { log } = options;
  const { pool, appliedMigrations } = await openPostgresql(url, options, startWaitMs);
  const database = new PostgresqlDatabase(pool);
  return createSqlStores({
    database,
    appliedMigrations,
    preparedReads: database.preparedReads,
    collections: { idsInJson: 'select json_array_elements_text(?::json)' },
    usage: { objectsInJson: 'json_array_elements(?::json)' },
    async check() {
      const query = database.reads.first('select id from epochs');
      if (await fulfillsWithin(limits.probeMs, query)) return;
      throw new Error(`The database did not respond within ${limits.probeMs} ms.`);
    },
    writeCheck: { waitMs: limits.probeMs, isWaitingAllowed: false, log },
  });
};
