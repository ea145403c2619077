import { parentPort, workerData } from 'node:worker_threads';
import SqliteDriver from 'better-sqlite3';
import type { CheckpointCommand, CheckpointThreadData } from './checkpoints.ts';

// Runs in a separate thread: each message requests either a checkpoint or that the connection be closed.

interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

const { file, pagesMin } = workerData as CheckpointThreadData;
/** Waiting for another process's lock does not block the main thread. */
const connection = new SqliteDriver(file, { fileMustExist: true, timeout: 1_000 });

/**
 * Runs a passive checkpoint, which neither waits for other connections nor blocks them. A `NOOP` checkpoint only counts
 * pages (SQLite 3.51).
 */
const checkpoint = (): void => {
  const [pages] = connection.pragma('wal_checkpoint(NOOP)') as readonly LogPages[];
  if (pages && pages.log - pages.checkpointed >= pagesMin) connection.pragma('wal_checkpoint(PASSIVE)');
};

parentPort?.on('message', (command: CheckpointCommand) => {
  if (command === 'checkpoint') {
    checkpoint();
    parentPort?.postMessage('done');
  } else {
    connection.close();
    parentPort?.close();
  }
});
