import type { Probe } from '@portico/domain';
import { createSqlAuditLog } from './audit-log.ts';
import type { AuditReads } from './audit-log.ts';
import { createSqlCallerReads } from './caller-reads.ts';
import { createSqlCollectionReads } from './collection-reads.ts';
import type { CollectionDialect } from './collection-reads.ts';
import { createSqlCollectionStore } from './collection-store.ts';
import { createSqlEmbeddingStore } from './embedding-store.ts';
import { createSqlGrantStore } from './grant-store.ts';
import { createSqlLimitStore } from './limit-store.ts';
import type { SqlStores } from './open-sql-stores.ts';
import { createSqlOutbox } from './outbox.ts';
import { createSqlProfileStore } from './profile-store.ts';
import { createSqlSealedStore } from './sealed-store.ts';
import { createSettings } from './settings.ts';
import type { Database, PreparedReads } from './sql.ts';

/** What a dialect brings along for its stores. */
export interface SqlDialect {
  readonly database: Database & { close(): Promise<void> };
  readonly prepared: PreparedReads;
  readonly auditReads: AuditReads;
  readonly collections: CollectionDialect;
  readonly check: Probe['check'];
}

export const createSqlStores = ({ database, prepared, auditReads, collections, check }: SqlDialect): SqlStores => {
  const callers = createSqlCallerReads(prepared);
  const audit = createSqlAuditLog(database, auditReads);

  return {
    stores: {
      callers,
      profiles: createSqlProfileStore(database),
      collections: createSqlCollectionStore(database, createSqlCollectionReads(prepared, collections)),
      grants: createSqlGrantStore(database),
      audit,
      limits: createSqlLimitStore(database, callers),
      embeddings: createSqlEmbeddingStore(database, collections),
      outbox: createSqlOutbox(database),
      sealed: createSqlSealedStore(database),
    },
    settings: createSettings(database),
    probe: { name: 'database', essential: true, check },
    async close() {
      await audit.settled();
      await database.close();
    },
  };
};
