import type { Group, StorePorts } from '@portico/domain';
import { groupNames } from './group-store.ts';
import type { MigrationState } from './migrations/index.ts';
import type { SqlConfig } from './open-sql-stores.ts';
import { createSqlOutbox } from './outbox.ts';
import { createSqlProfileStore } from './profile-store.ts';
import { createSqlSealedStore } from './sealed-store.ts';
import { createSettingsTable, type SettingsTable } from './settings-table.ts';
import type { SqlDatabase } from './sql.ts';

/** What is found out about a database without changing it. */
export interface InspectedDatabase {
  /** The product with its version. */
  readonly product: string;
  /** Whether this version of the product is not supported. */
  readonly isTooOld: boolean;
  /** `new`: it has no tables yet. `foreign`: they are of another application. */
  readonly tables: MigrationState | { readonly state: 'new' } | { readonly state: 'foreign' };
  /** Why it accepts no writes; null if it does, as far as that shows without writing. */
  readonly refusesWrites: string | null;
  /** By how many milliseconds the server's clock is ahead of ours; null if it is ours. */
  readonly aheadMs: number | null;
  /** For reads only. They fail unless the tables are `current`. */
  readonly stores: Pick<StorePorts, 'sealed' | 'profiles' | 'outbox'> & {
    readonly settings: Pick<SettingsTable, 'get'>;
    readonly groupNames: () => Promise<readonly Pick<Group, 'id' | 'name'>[]>;
  };
  /** The file, if it is one; null for a server, which checks what it reads. */
  readonly file: {
    readonly bytes: number;
    /** Reads the whole file, and blocks this process meanwhile; returns what is damaged, or null. */
    findDamage(): string | null;
  } | null;
  readonly close: () => Promise<void>;
}

/**
 * Opens the database for reading, without migrating or creating anything. Null if its file does not exist yet. Rejects
 * as `openSqlStores` does, but waits for nothing.
 */
export const inspectDatabase = async (config: SqlConfig): Promise<InspectedDatabase | null> => {
  // Imported here, so that the driver of the other database is never loaded.
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

export const storesToRead = (database: SqlDatabase): InspectedDatabase['stores'] => ({
  sealed: createSqlSealedStore(database),
  profiles: createSqlProfileStore(database),
  groupNames: () => groupNames(database.reads),
  outbox: createSqlOutbox(database, () => undefined),
  settings: createSettingsTable(database),
});
