import type { Group, RevisionTotals, StorePorts } from '@portico/domain';
import { listGroupNames } from './group-store.ts';
import type { MigrationState } from './migrations/index.ts';
import type { SqlConfig } from './open-sql-stores.ts';
import { createSqlOutbox } from './outbox.ts';
import { createSqlProfileStore } from './profile-store.ts';
import { measureRevisions } from './revision-store.ts';
import { createSqlSealedStore } from './sealed-store.ts';
import { createSettingsTable, type SettingsTable } from './settings-table.ts';
import type { SqlDatabase } from './sql.ts';
import { createSqlWebhookStore } from './webhook-store.ts';

/** The result of inspecting a database without changing it. */
export interface InspectedDatabase {
  /** The product and its version. */
  readonly product: string;
  /** Whether this version of the product is too old to be supported. */
  readonly isTooOld: boolean;
  /** `new`: there are no tables yet. `foreign`: the tables belong to another application. */
  readonly tables: MigrationState | { readonly state: 'new' } | { readonly state: 'foreign' };
  /**
   * The reason why the database accepts no writes; null if it accepts them, as far as can be determined without
   * writing.
   */
  readonly readOnlyReason: string | null;
  /** How far the server's clock is ahead of ours, in milliseconds; null if it is the same clock. */
  readonly clockSkewMs: number | null;
  /** Read-only stores, which fail unless the tables are `current`. */
  readonly stores: Pick<StorePorts, 'sealed' | 'profiles' | 'outbox' | 'webhooks'> & {
    readonly settings: Pick<SettingsTable, 'get'>;
    readonly measureRevisions: () => Promise<RevisionTotals>;
    readonly listGroupNames: () => Promise<readonly Pick<Group, 'id' | 'name'>[]>;
  };
  /** The file of a SQLite database; null for a server, which itself verifies the data that it reads. */
  readonly file: {
    readonly bytes: number;
    /** Reads the whole file, blocking this process; returns a description of the damage, or null if there is none. */
    findDamage(): string | null;
  } | null;
  readonly close: () => Promise<void>;
}

/**
 * Opens the database for reading, without migrating or creating anything. Returns null if the database file does not
 * exist yet. Rejects like `openSqlStores`, but does not wait for anything.
 */
export const inspectDatabase = async (config: SqlConfig): Promise<InspectedDatabase | null> => {
  // Imported dynamically, so that the driver of the other database is never loaded.
  switch (config.kind) {
    case 'sqlite': {
      const { inspectSqlite } = await import('./sqlite/inspect-sqlite.ts');
      return inspectSqlite(config.file);
    }
    case 'postgresql': {
      const { inspectPostgresql } = await import('./postgresql/inspect-postgresql.ts');
      return inspectPostgresql(config.url);
    }
  }
};

export const createReadOnlyStores = (database: SqlDatabase): InspectedDatabase['stores'] => ({
  sealed: createSqlSealedStore(database),
  profiles: createSqlProfileStore(database),
  measureRevisions: () => measureRevisions(database.reads),
  listGroupNames: () => listGroupNames(database.reads),
  outbox: createSqlOutbox(database, () => undefined),
  webhooks: createSqlWebhookStore(database),
  settings: createSettingsTable(database),
});
