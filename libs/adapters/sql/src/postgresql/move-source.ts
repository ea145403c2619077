import type { Log } from '@portico/dependencies';
import type { Client } from 'pg';
import { DatabaseOpenError } from '../database-fault.ts';
import { refuseOutdated, refuseUnknown } from '../migrations/index.ts';
import type { MoveSource } from '../move/move.ts';
import { movedTables } from '../move/moved-tables.ts';
import { appliedOn } from './migrate-postgresql.ts';
import { connect, disconnect, tryLock, nameOf, newLockKey, refuseProcesses } from './move-client.ts';
import { postgresqlRows } from './postgresql-rows.ts';

/**
 * Opens a database that no Portico process is connected to, in order to read it in a consistent state. The tables
 * cannot be written until the database is closed here. Nothing is written to it.
 */
export const openPostgresqlSource = async (url: string, log: Log): Promise<MoveSource> => {
  const client = await connect(url, log);
  const name = nameOf(url);
  const lockKey = newLockKey();
  const moveError = (cause: unknown): DatabaseOpenError => {
    const isWritten = cause instanceof Error && 'code' in cause && cause.code === lockNotAvailable;
    const reason = isWritten ? 'another program is writing to it' : reasonOf(cause);
    return new DatabaseOpenError(`${name} cannot be moved: ${reason}`, { cause });
  };
  const refuseUse = () =>
    refuseProcesses(client).catch((error: unknown) => {
      throw moveError(error);
    });
  try {
    await refuseUse();
    await refuseUnusable(client);
    await tryLock(client, lockKey);
    await client.query('begin isolation level repeatable read read only');
    // Locked before the first read, which takes the snapshot.
    await client.query(`lock table ${movedTables.map((table) => table.name).join(', ')} in share mode`);
  } catch (error) {
    await disconnect(client);
    throw error instanceof DatabaseOpenError ? error : moveError(error);
  }
  return { name, rows: postgresqlRows(client), lockKey, refuseUse, close: () => disconnect(client) };
};

const refuseUnusable = async (client: Client): Promise<void> => {
  const applied = await appliedOn(client);
  if (applied.length === 0) throw new Error('it is not a database of Portico');
  refuseUnknown(applied);
  refuseOutdated(applied);
};

const lockNotAvailable = '55P03';
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
