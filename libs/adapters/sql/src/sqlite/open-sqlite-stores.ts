import { createSqlAuditLog } from '../audit-log.ts';
import { createSqlCollectionStore } from '../collection-store.ts';
import { createSqlEmbeddingStore } from '../embedding-store.ts';
import { createSqlGrantStore } from '../grant-store.ts';
import { createSqlLimitStore } from '../limit-store.ts';
import type { SqlStores } from '../open-sql-stores.ts';
import { createSqlOutbox } from '../outbox.ts';
import { createSqlProfileStore } from '../profile-store.ts';
import { createSettings } from '../settings.ts';
import { createSqliteAuditReads } from './audit-reads.ts';
import { createSqliteCallerReads } from './caller-reads.ts';
import { createSqliteCollectionReads } from './collection-reads.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';

export const openSqliteStores = async (file: string, writeWaitMs: number): Promise<SqlStores> => {
  const { orm, writer, reader } = await openSqlite(file);
  const database = new SqliteDatabase(orm, writer, reader, writeWaitMs);
  const callers = createSqliteCallerReads(reader);
  const audit = createSqlAuditLog(database, createSqliteAuditReads(reader));

  return {
    stores: {
      callers,
      profiles: createSqlProfileStore(database),
      collections: createSqlCollectionStore(database, createSqliteCollectionReads(reader)),
      grants: createSqlGrantStore(database),
      audit,
      limits: createSqlLimitStore(database, callers),
      embeddings: createSqlEmbeddingStore(database),
      outbox: createSqlOutbox(database),
    },
    settings: createSettings(database),
    probe: {
      name: 'database',
      essential: true,
      async check() {
        await database.reads.first('select id from epochs');
      },
    },
    async close() {
      await audit.settled();
      await database.close();
    },
  };
};
