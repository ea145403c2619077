import type { Log } from '@portico/dependencies';
import type { Probe, StorePorts } from '@portico/domain';
import type { OutdatedSchemaPolicy } from './migrations/index.ts';
import type { AppliedMigration } from './migrations/migration.ts';
import type { SettingsTable } from './settings-table.ts';

/** The location of the database. */
export type SqlConfig =
  | {
      readonly kind: 'sqlite';
      /** The path of the file, which is created if it is missing. */
      readonly file: string;
    }
  | {
      readonly kind: 'postgresql';
      /** `postgresql://user:password@host:port/database?sslmode=…`. A secret: it contains the password. */
      readonly url: string;
    };

export interface SqlOptions {
  /** SQLite: how long a write waits for another process's write before it fails, in milliseconds. 5,000 by default. */
  readonly writeWaitMs?: number;
  /** PostgreSQL: how long opening waits for an unreachable server, in milliseconds. 60,000 by default. */
  readonly startWaitMs?: number;
  /** Whether to migrate the tables of an earlier version (the default) or to reject the database. */
  readonly onOutdatedSchema?: OutdatedSchemaPolicy;
  /** Logs migrations, the reason for a slow start, and when the database stops accepting writes. */
  readonly log?: Log;
}

export interface SqlStores {
  readonly stores: StorePorts;
  readonly probe: Probe;
  readonly settings: SettingsTable;
  /** The migrations that ran when the database was opened, in order. */
  readonly appliedMigrations: readonly AppliedMigration[];
  /** Resolves once all earlier requests are written and the database is closed. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the database and migrates its tables; several processes may do so concurrently. Rejects with an error that
 * names the database and the reason if the database cannot be opened, is not a database, was written by a newer
 * version, or was written by an older version and `onOutdatedSchema` forbids migrating. The error is a `DatabaseUnavailableError`
 * if waiting may help.
 */
export const openSqlStores = async (config: SqlConfig, options: SqlOptions = {}): Promise<SqlStores> => {
  const { writeWaitMs = 5_000, startWaitMs = 60_000, onOutdatedSchema = 'migrate', log = silent } = options;
  // Imported dynamically, so that the driver of the other database is never loaded.
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteStores } = await import('./sqlite/open-sqlite-stores.ts');
      return openSqliteStores(config.file, writeWaitMs, { onOutdatedSchema, log });
    }
    case 'postgresql': {
      const { openPostgresqlStores } = await import('./postgresql/open-postgresql-stores.ts');
      return openPostgresqlStores(config.url, { onOutdatedSchema, log }, startWaitMs);
    }
  }
};

const ignore = (): void => undefined;
const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
