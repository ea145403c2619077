import type { Ports, Probe } from '@portico/domain';
import type { Settings } from './settings.ts';

/** Where the database is. */
export interface SqlConfig {
  readonly kind: 'sqlite';
  /** Path of the file, which is made where there is none. */
  readonly file: string;
}

export interface SqlOptions {
  /** How long a write waits for another process that writes, in milliseconds; then it fails. 5,000 unless told. */
  readonly writeWaitMs?: number;
}

export interface SqlStores {
  readonly stores: Pick<
    Ports,
    'callers' | 'profiles' | 'collections' | 'grants' | 'audit' | 'limits' | 'embeddings' | 'outbox'
  >;
  readonly probe: Probe;
  readonly settings: Settings;
  /** Fulfilled once everything that was asked for before is written and the database is left alone. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the database and brings its tables up to date; of several processes that do so at once each comes up. Rejects,
 * naming the database and the reason, where it cannot be opened, is none, or was written by a newer version.
 */
export const openSqlStores = async (config: SqlConfig, options: SqlOptions = {}): Promise<SqlStores> => {
  const { writeWaitMs = 5_000 } = options;
  // Loaded here, so that nobody loads the driver of a database that is not used.
  const { openSqliteStores } = await import('./sqlite/open-sqlite-stores.ts');
  return openSqliteStores(config.file, writeWaitMs);
};
