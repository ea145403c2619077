import type { Database as Connection } from 'better-sqlite3';

/** How long opening the database waits for other processes. */
export const startWaitMs = 60_000;
export const busyTimeoutMs = 5_000;

/** Configures a connection. With `synchronous = FULL`, a committed transaction in the write-ahead log is on disk. */
export const configure = (connection: Connection): void => {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  // 64 MB, in pages: `Checkpoints` runs earlier, unless a change is larger or there is no pause between commits.
  connection.pragma('wal_autocheckpoint = 16000');
  connection.pragma('foreign_keys = ON');
  connection.pragma('trusted_schema = OFF');
};
