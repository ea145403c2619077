import { Mutex } from './mutex.ts';
import type { Sql, SqlDatabase } from './sql.ts';

/**
 * The SQL that advances an epoch: by one, or to the present time in milliseconds if that is later. So an epoch used
 * before a backup was restored never returns with another meaning to the cache in Redis or the points in Qdrant, which
 * are kept under it. Its parameters are `nextEpochs()`.
 */
export const grown = (column: string): string => `case when ${column} < ? then ? else ${column} + 1 end`;

export const nextEpochs = (): readonly [number, number] => {
  const now = Date.now();
  return [now, now];
};

/**
 * Writes of embeddings or blocks of operations, each with the next sequence, which is taken first. That locks the row of
 * epochs until the commit. So sequences are committed in their order, and whoever reads one finds all that are smaller.
 * Each change of a collection locks the row before it commits, too: what `work` reads of a collection stays true until
 * its own commit. Within a process the writes queue, and hold no connection meanwhile.
 */
export const createSequencedWrites = (database: SqlDatabase, column: 'embeddings' | 'operations') => {
  const mutex = new Mutex();
  const takeNext = `update epochs set ${column} = ${grown(column)} where id = 1 returning ${column} as "sequence"`;
  return <T>(work: (sql: Sql, sequence: number) => Promise<T>): Promise<T> =>
    mutex.run(() =>
      database.write(async (sql) => {
        const taken = await sql.first<{ sequence: number }>(takeNext, nextEpochs());
        if (!taken) throw new Error('The database has no row of epochs.');
        return work(sql, taken.sequence);
      }),
    );
};
