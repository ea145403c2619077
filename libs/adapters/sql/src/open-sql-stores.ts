import type { Log } from '@portico/dependencies';
import type { Probe, StorePorts } from '@portico/domain';
import type { SettingsTable } from './settings-table.ts';

/** Where the database is. */
export type SqlConfig =
  | {
      readonly kind: 'sqlite';
      /** Path of the file, which is made where there is none. */
      readonly file: string;
    }
  | {
      readonly kind: 'postgresql';
      /** `postgresql://user:password@host:port/database?sslmode=…`: a secret, for the password is in it. */
      readonly url: string;
    };

export interface SqlOptions {
  /** SQLite: how long a write waits for another process that writes, in milliseconds; then it fails. 5,000 unless told. */
  readonly writeWaitMs?: number;
  /** PostgreSQL: how long a start waits for a server that cannot be reached, in milliseconds. 60,000 unless told. */
  readonly startWaitMs?: number;
  /** Told why a start takes its time, and when the database begins to take no writes. */
  readonly log?: Log;
}

export interface SqlStores {
  readonly stores: StorePorts;
  readonly probe: Probe;
  readonly settings: SettingsTable;
  /** Fulfilled once everything that was asked for before is written and the database is left alone. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the database and brings its tables up to date; of several processes that do so at once each comes up. Rejects,
 * naming the database and the reason, where it cannot be opened, is none, or was written by a newer version; with a
 * `DatabaseUnavailableError` where no more than waiting is needed.
 */
export const openSqlStores = async (config: SqlConfig, options: SqlOptions = {}): Promise<SqlStores> => {
  const { writeWaitMs = 5_000, startWaitMs = 60_000, log = silent } = options;
  // Loaded here, so that nobody loads the driver of a database that is not used.
  switch (config.kind) {
    case 'sqlite': {
      const { openSqliteStores } = await import('./sqlite/open-sqlite-stores.ts');
      return openSqliteStores(config.file, writeWaitMs, log);
    }
    case 'postgresql': {
      const { openPostgresqlStores } = await import('./postgresql/open-postgresql-stores.ts');
      return openPostgresqlStores(config.url, log, startWaitMs);
    }
  }
};

const ignored = (): void => undefined;
const silent: Log = { debug: ignored, info: ignored, warn: ignored, error: ignored };
