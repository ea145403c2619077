import { parentPort, workerData } from 'node:worker_threads';
import SqliteDriver from 'better-sqlite3';
import type { CheckpointOrder, CheckpointThreadData } from './checkpoints.ts';

// Runs in a thread of its own: each message asks for a checkpoint, or to close.

interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

const { file, pagesMin } = workerData as CheckpointThreadData;
/** Waiting for the lock of another process holds nobody up here. */
const connection = new SqliteDriver(file, { fileMustExist: true, timeout: 1_000 });

/** Passive: it waits for nobody, and nobody waits for it. A noop only counts (SQLite 3.51). */
const checkpoint = (): void => {
  const [pages] = connection.pragma('wal_checkpoint(NOOP)') as readonly LogPages[];
  if (pages && pages.log - pages.checkpointed >= pagesMin) connection.pragma('wal_checkpoint(PASSIVE)');
};

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'checkpoint') {
    checkpoint();
    parentPort?.postMessage('done');
  } else {
    connection.close();
    parentPort?.close();
  }
});
