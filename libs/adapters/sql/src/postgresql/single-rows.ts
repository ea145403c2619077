import { Client, type Pool } from 'pg';
import { Mutex } from '../mutex.ts';
import type { PreparedReads } from '../sql.ts';
import { Pipelines } from './pipeline.ts';
import { limits } from './pool.ts';
import type { Statements } from './statements.ts';

type PrepareRow = PreparedReads['first'];

/** Reads of a single row by a key, by the size of the row: a large one never stands before a small one. */
export interface SingleRows {
  /** Some kilobytes. */
  readonly small: PrepareRow;
  /** Some megabytes. */
  readonly medium: PrepareRow;
  /** So large that several at once would slow each other down until all time out: one at a time. */
  readonly large: PrepareRow;
  close(): Promise<void>;
}

/** On connections beside those of the pool, with its settings. */
export const createSingleRows = (pool: Pool, statements: Statements): SingleRows => {
  const { smallRows, mediumRows, largeRows } = limits.connections;
  const [small, medium, large] = [smallRows, mediumRows, largeRows].map(
    (connections) => new Pipelines({ connect: () => new Client(pool.options), connections, answerMs: limits.answerMs }),
  ) as [Pipelines, Pipelines, Pipelines];
  const mutex = new Mutex();
  const through =
    (pipelines: Pipelines): PrepareRow =>
    (text) => {
      const statement = statements.of(text);
      return (...values) => pipelines.first({ statement, values });
    };

  return {
    small: through(small),
    medium: through(medium),
    large<Row>(text: string) {
      const statement = statements.of(text);
      return async (...values) => {
        const endsAt = performance.now() + limits.inTurnMs;
        const read = () =>
          large.first<Row>({ statement, values }, Math.min(endsAt, performance.now() + limits.answerMs));
        return mutex.run(read, { waitMs: limits.turnMs });
      };
    },
    async close() {
      await mutex.close();
      await Promise.all([small.close(), medium.close(), large.close()]);
    },
  };
};
