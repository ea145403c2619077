import type { Database as Connection } from 'better-sqlite3';
import type { PreparedRead, PreparedReads } from '../sql.ts';

/** Prepares each statement at once, so that a wrong one fails when the stores are opened. */
export const prepareSqliteReads = (reader: Connection): PreparedReads => {
  const first = <Row>(text: string): PreparedRead<Row | undefined> => {
    const statement = reader.prepare<unknown[], Row>(text);
    return async (...parameters) => statement.get(...parameters);
  };

  return {
    first,
    wide: first,

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
