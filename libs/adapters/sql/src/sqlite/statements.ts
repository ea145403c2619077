import { createYielder } from '@portico/dependencies';
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { PreparedRead, PreparedReads, Sql, Value } from '../sql.ts';

const yieldToEventLoop = createYielder();

/**
 * The number of rows written per tick. Writing them takes about 10 ms; then the event loop serves readers of committed
 * data. Yielding more often would make other writers wait longer.
 */
const rowsPerTick = 2_000;

/**
 * Runs SQL on one better-sqlite3 connection, and prepares each statement once. Yields to the event loop only for large
 * batches and values.
 */
export class PreparedSql implements Sql {
  readonly #connection: Connection;
  readonly #preparedStatements = new Map<string, Statement<unknown[]>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all<Row>(text: string, parameters: readonly Value[] = []): Promise<Row[]> {
    return this.#prepare(text).all(...parameters.map(toBinding)) as Row[];
  }

  async first<Row>(text: string, parameters: readonly Value[] = []): Promise<Row | undefined> {
    return this.#prepare(text).get(...parameters.map(toBinding)) as Row | undefined;
  }

  async run(text: string, parameters: readonly Value[] = []): Promise<number> {
    const { changes } = this.#prepare(text).run(...parameters.map(toBinding));
    if (parameters.some(isLarge)) await yieldToEventLoop();
    return changes;
  }

  async runEach(text: string, parameters: readonly (readonly Value[])[]): Promise<void> {
    const statement = this.#prepare(text);
    for (const [row, values] of parameters.entries()) {
      if (row > 0 && row % rowsPerTick === 0) await yieldToEventLoop();
      statement.run(...values.map(toBinding));
    }
  }

  #prepare(text: string): Statement<unknown[]> {
    const cachedStatement = this.#preparedStatements.get(text);
    if (cachedStatement) return cachedStatement;
    const statement = this.#connection.prepare<unknown[]>(text);
    this.#preparedStatements.set(text, statement);
    return statement;
  }
}

/**
 * Returns whether a value is large. Reading or writing a megabyte takes a few milliseconds, and committing it takes as
 * long again.
 */
const isLarge = (value: unknown): boolean => value instanceof Uint8Array && value.length >= 2 ** 20;

/** Converts a value for binding: SQLite has no booleans. */
const toBinding = (value: Value): unknown => (typeof value === 'boolean' ? Number(value) : value);

/** Prepares each statement immediately, so that an invalid one fails when the stores are opened. */
export const prepareSqliteReads = (reader: Connection): PreparedReads => {
  const prepareFirst = <Row>(text: string): PreparedRead<Row | undefined> => {
    const statement = reader.prepare<unknown[], Row>(text);
    return async (...parameters) => statement.get(...parameters);
  };

  return {
    prepareFirst,

    /** Processing a large row takes as long as reading it, so this read yields in between. */
    prepareLarge<Row>(text: string): PreparedRead<Row | undefined> {
      const readRow = prepareFirst<Row>(text);
      return async (...parameters) => {
        const row = await readRow(...parameters);
        if (row && Object.values(row).some(isLarge)) await yieldToEventLoop();
        return row;
      };
    },

    prepareAll<Row>(text: string) {
      const statement = reader.prepare<unknown[], Row>(text);
      return async (...parameters) => statement.all(...parameters);
    },

    prepareColumn<Content>(text: string) {
      const statement = reader.prepare<unknown[], Content>(text).pluck();
      return async (...parameters) => statement.all(...parameters);
    },
  };
};
