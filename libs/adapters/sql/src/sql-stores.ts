import type { Probe } from '@portico/domain';
import { createSqlAccessMatrix } from './access-matrix.ts';
import { createSqlAuditLog } from './audit-log.ts';
import { createSqlCallerLookup } from './caller-lookup.ts';
import { type CollectionDialect, createSqlCollectionReads } from './collection-reads.ts';
import { createSqlCollectionStore } from './collection-store.ts';
import { createSqlCredentialStore } from './credential-store.ts';
import { createSqlDeadLetters } from './dead-letters.ts';
import { createSqlEmbeddingJobs } from './embedding-jobs.ts';
import { createSqlEmbeddingStore } from './embedding-store.ts';
import { createSqlExpiryStore } from './expiry-store.ts';
import { createSqlGrantStore } from './grant-store.ts';
import { createSqlGroupStore } from './group-store.ts';
import { createSqlLimitStore } from './limit-store.ts';
import { createSqlOneTimeCodeStore } from './one-time-code-store.ts';
import type { SqlStores } from './open-sql-stores.ts';
import { createSqlOperationBlockStore } from './operation-block-store.ts';
import { createSqlOperationStore } from './operation-store.ts';
import { createSqlOutbox } from './outbox.ts';
import { createSqlPendingCallStore } from './pending-call-store.ts';
import { createSqlProfileStore } from './profile-store.ts';
import { createSqlRequestStore } from './request-store.ts';
import { createSqlRevisionStore } from './revision-store.ts';
import { createSqlSearchModels } from './search-models.ts';
import { createSqlSealedStore } from './sealed-store.ts';
import { createSqlServiceAccountStore } from './service-account-store.ts';
import { createSettingsTable } from './settings-table.ts';
import type { SqlDatabase, PreparedReads } from './sql.ts';
import { createSqlUsageStore, type UsageDialect } from './usage-store.ts';
import { createSqlWebhookStore } from './webhook-store.ts';
import { withJobNotifications } from './written-jobs.ts';
import { createWriteCheck, type WriteCheckOptions } from './write-check.ts';

/** The dialect-specific parts of the stores. */
export interface SqlDialect {
  readonly database: SqlDatabase & { close(): Promise<void> };
  readonly appliedMigrations: SqlStores['appliedMigrations'];
  readonly preparedReads: PreparedReads;
  readonly collections: CollectionDialect;
  readonly usage: UsageDialect;
  /** Rejects while the database cannot be read. */
  readonly check: Probe['check'];
  readonly writeCheck: WriteCheckOptions;
}

export const createSqlStores = (dialect: SqlDialect): SqlStores => {
  const { appliedMigrations, preparedReads, collections, usage } = dialect;
  const { database, onWritten } = withJobNotifications(dialect.database);
  const checkWrites = createWriteCheck(database, dialect.writeCheck);
  const audit = createSqlAuditLog(database, collections);

  return {
    stores: {
      callers: createSqlCallerLookup(preparedReads),
      profiles: createSqlProfileStore(database),
      collections: createSqlCollectionStore(database, createSqlCollectionReads(preparedReads, collections)),
      revisions: createSqlRevisionStore(database, preparedReads),
      credentials: createSqlCredentialStore(database),
      operations: createSqlOperationStore(database, collections),
      operationBlocks: createSqlOperationBlockStore(database, preparedReads),
      grants: createSqlGrantStore(database, collections),
      groups: createSqlGroupStore(database, collections),
      expiries: createSqlExpiryStore(database),
      accessMatrix: createSqlAccessMatrix(database, collections),
      requests: createSqlRequestStore(database, collections),
      calls: createSqlPendingCallStore(database),
      audit,
      limits: createSqlLimitStore(database),
      embeddings: createSqlEmbeddingStore(database),
      embeddingJobs: createSqlEmbeddingJobs(database, collections),
      models: createSqlSearchModels(database),
      outbox: createSqlOutbox(database, onWritten),
      deadLetters: createSqlDeadLetters(database),
      sealed: createSqlSealedStore(database),
      usage: createSqlUsageStore(database, { ...collections, ...usage }),
      serviceAccounts: createSqlServiceAccountStore(database),
      oneTimeCodes: createSqlOneTimeCodeStore(database),
      webhooks: createSqlWebhookStore(database),
    },
    settings: createSettingsTable(database),
    appliedMigrations,
    probe: {
      name: 'database',
      essential: true,
      async check() {
        await dialect.check();
        await checkWrites();
      },
    },
    async close() {
      await audit.close();
      await dialect.database.close();
    },
  };
};
