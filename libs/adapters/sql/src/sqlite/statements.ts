import { createYielder } from '@portico/dependencies';
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { PreparedRead, PreparedReads, Sql, Value } from '../sql.ts';

const yieldToEventLoop = createYielder();

/**
 * This many rows take some 10 ms; then the event loop gets a turn, for readers of committed data. With more turns those
 * who write would wait longer.
 */
const rowsOfATurn = 2_000;

/** SQL on one better-sqlite3 connection, each statement prepared once. Only large batches and values yield to the event loop. */
export class PreparedSql implements Sql {
  readonly #connection: Connection;
  readonly #prepared = new Map<string, Statement<unknown[]>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all<Row>(text: string, parameters: readonly Value[] = []): Promise<Row[]> {
    return this.#prepare(text).all(...parameters.map(bound)) as Row[];
  }

  async first<Row>(text: string, parameters: readonly Value[] = []): Promise<Row | undefined> {
    return this.#prepare(text).get(...parameters.map(bound)) as Row | undefined;
  }

  async run(text: string, parameters: readonly Value[] = []): Promise<number> {
    const { changes } = this.#prepare(text).run(...parameters.map(bound));
    if (parameters.some(isLarge)) await yieldToEventLoop();
    return changes;
  }

  async runEach(text: string, parameters: readonly (readonly Value[])[]): Promise<void> {
    const statement = this.#prepare(text);
    for (const [row, each] of parameters.entries()) {
      if (row > 0 && row % rowsOfATurn === 0) await yieldToEventLoop();
      statement.run(...each.map(bound));
    }
  }

  #prepare(text: string): Statement<unknown[]> {
    const known = this.#prepared.get(text);
    if (known) return known;
    const statement = this.#connection.prepare<unknown[]>(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}

/** Reading or writing a megabyte takes some milliseconds, and committing it again as many. */
const isLarge = (value: unknown): boolean => value instanceof Uint8Array && value.length >= 2 ** 20;

/** SQLite has no booleans. */
const bound = (value: Value): unknown => (typeof value === 'boolean' ? Number(value) : value);

/** Prepares each statement at once, so that a wrong one fails when the stores are opened. */
export const prepareSqliteReads = (reader: Connection): PreparedReads => {
  const first = <Row>(text: string): PreparedRead<Row | undefined> => {
    const statement = reader.prepare<unknown[], Row>(text);
    return async (...parameters) => statement.get(...parameters);
  };

  return {
    first,

    /** What comes of a large row takes as long again: others have their turn in between. */
    large<Row>(text: string): PreparedRead<Row | undefined> {
      const read = first<Row>(text);
      return async (...parameters) => {
        const row = await read(...parameters);
        if (row && Object.values(row).some(isLarge)) await yieldToEventLoop();
        return row;
      };
    },

    all<Row>(text: string) {
      const statement = reader.prepare<unknown[], Row>(text);
      return async (...parameters) => statement.all(...parameters);
    },

    column<Content>(text: string) {
      const statement = reader.prepare<unknown[], Content>(text).pluck();
      return async (...parameters) => statement.all(...parameters);
    },
  };
};
