import { Mutex } from './mutex.ts';
import type { Sql, SqlDatabase } from './sql.ts';

/**
 * Returns the SQL that advances an epoch: by one, or to the current time in milliseconds if that is greater. This
 * prevents an epoch from being reused with a different meaning after a backup is restored: the cache in Redis and the
 * points in Qdrant are stored under epochs. The parameters are `createEpochParameters()`.
 */
export const buildNextValue = (column: string): string => `case when ${column} < ? then ? else ${column} + 1 end`;

export const createEpochParameters = (): readonly [number, number] => {
  const now = Date.now();
  return [now, now];
};

/**
 * Serializes writes of embeddings or operation blocks. Each write first takes the next sequence number, which locks the row of
 * epochs until the commit. Sequence numbers are therefore committed in order: a reader that sees one also sees all smaller
 * ones. Each change to a collection also locks this row before it commits, so the collection data that `work` reads
 * remains current until `work` is committed. Within a process, the writes are queued and use no connection while they
 * wait.
 */
export const createSequencedWrites = (database: SqlDatabase, column: 'embeddings' | 'operations') => {
  const mutex = new Mutex();
  const advanceSequence = `update epochs set ${column} = ${buildNextValue(column)} where id = 1 returning ${column} as "sequence"`;
  return <T>(work: (sql: Sql, sequence: number) => Promise<T>): Promise<T> =>
    mutex.run(() =>
      database.write(async (sql) => {
        const row = await sql.first<{ sequence: number }>(advanceSequence, createEpochParameters());
        if (!row) throw new Error('The epochs table is empty.');
        return work(sql, row.sequence);
      }),
    );
};
