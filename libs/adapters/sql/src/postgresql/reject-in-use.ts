import type { Log } from '@portico/dependencies';
import { DatabaseOpenError } from '../database-fault.ts';
import { connect, disconnect, nameOf, rejectProcesses } from './move-client.ts';

/** Throws a `DatabaseOpenError` if a process with Portico's `application_name` is connected to the database. */
export const rejectPostgresqlInUse = async (url: string, log: Log): Promise<void> => {
  const client = await connect(url, log);
  try {
    await rejectProcesses(client);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`${nameOf(url)} cannot be changed: ${reason}`, { cause });
  } finally {
    await disconnect(client);
  }
};
