import { fulfilledWithin, type Log } from '@portico/dependencies';
import type { SqlStores } from '../open-sql-stores.ts';
import { createSqlStores } from '../sql-stores.ts';
import { prepareDocumentOn } from './document-read.ts';
import { openPostgresql } from './open-postgresql.ts';
import { limits } from './pool.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

/** Rejects as `openPostgresql` does. The probe of these stores times out after 500 ms. */
export const openPostgresqlStores = async (url: string, log: Log, startWaitMs: number): Promise<SqlStores> => {
  const pool = await openPostgresql(url, log, startWaitMs);
  const database = new PostgresqlDatabase(pool);
  return createSqlStores({
    database,
    prepared: database.prepared,
    collections: {
      idsInJson: 'select json_array_elements_text(?::json)',
      document: prepareDocumentOn(database),
    },
    usage: { objectsInJson: 'json_array_elements(?::json)' },
    async check() {
      const asked = database.reads.first('select id from epochs');
      if (await fulfilledWithin(limits.probeMs, asked)) return;
      throw new Error(`The database did not answer within ${limits.probeMs} ms.`);
    },
    writeCheck: { waitMs: limits.probeMs, isWaitingFine: false, log },
  });
};
