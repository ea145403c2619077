import type { Log } from '@portico/dependencies';
import type { Client } from 'pg';
import { DatabaseOpenError } from '../database-fault.ts';
import { rejectOutdated, rejectUnknown } from '../migrations/index.ts';
import type { MoveSource } from '../move/move.ts';
import { movedTables } from '../move/moved-tables.ts';
import { readAppliedNames } from './migrate-postgresql.ts';
import { connect, disconnect, tryLock, nameOf, createLockKey, rejectProcesses } from './move-client.ts';
import { createPostgresqlRows } from './postgresql-rows.ts';

/**
 * Opens a database that no Portico process is connected to, in order to read it in a consistent state. The tables
 * cannot be written until the database is closed here. Nothing is written to it.
 */
export const openPostgresqlSource = async (url: string, log: Log): Promise<MoveSource> => {
  const client = await connect(url, log);
  const name = nameOf(url);
  const lockKey = createLockKey();
  const createMoveError = (cause: unknown): DatabaseOpenError => {
    const isBeingWritten = cause instanceof Error && 'code' in cause && cause.code === lockNotAvailable;
    const reason = isBeingWritten ? 'another program is writing to it' : reasonOf(cause);
    return new DatabaseOpenError(`${name} cannot be moved: ${reason}`, { cause });
  };
  const rejectUse = () =>
    rejectProcesses(client).catch((error: unknown) => {
      throw createMoveError(error);
    });
  try {
    await rejectUse();
    await rejectUnusable(client);
    await tryLock(client, lockKey);
    await client.query('begin isolation level repeatable read read only');
    // Locked before the first read, which takes the snapshot.
    await client.query(`lock table ${movedTables.map((table) => table.name).join(', ')} in share mode`);
  } catch (error) {
    await disconnect(client);
    throw error instanceof DatabaseOpenError ? error : createMoveError(error);
  }
  return { name, rows: createPostgresqlRows(client), lockKey, rejectUse, close: () => disconnect(client) };
};

const rejectUnusable = async (client: Client): Promise<void> => {
  const appliedNames = await readAppliedNames(client);
  if (appliedNames.length === 0) throw new Error('it is not a Portico database');
  rejectUnknown(appliedNames);
  rejectOutdated(appliedNames);
};

const lockNotAvailable = '55P03';
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
