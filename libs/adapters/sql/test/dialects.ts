import SqliteDriver from 'better-sqlite3';
import { describe } from 'vitest';
import { openSqlStores, type SqlStores } from '../src/index.ts';
import { newDatabase, onDatabase, postgres, withPostgresqlStores } from './with-postgresql.ts';
import { withFile, withStores } from './with-stores.ts';

/** One kind of database to run tests on. */
export interface TestedDialect {
  /** Runs work on empty stores. */
  readonly withStores: (work: (opened: SqlStores) => Promise<void>) => Promise<void>;
  /** Runs work before the database exists; each `open` opens the same one, and `run` changes it as another program would. */
  readonly withPlace: (
    work: (open: () => Promise<SqlStores>, run: (sql: string) => Promise<void>) => Promise<void>,
  ) => Promise<void>;
}

/** Defines the same tests for each kind of database. */
export const describeDialects = (tests: (dialect: TestedDialect) => void): void => {
  describe('on SQLite', () => tests(sqlite));
  describe.skipIf(!postgres)('on PostgreSQL', () => tests(postgresql));
};

const sqlite: TestedDialect = {
  withStores,
  withPlace: (work) =>
    withFile((file) =>
      work(
        () => openSqlStores({ kind: 'sqlite', file }),
        async (sql) => {
          const connection = new SqliteDriver(file);
          connection.exec(sql);
          connection.close();
        },
      ),
    ),
};

const postgresql: TestedDialect = {
  withStores: withPostgresqlStores,
  async withPlace(work) {
    const url = await newDatabase();
    await work(
      () => openSqlStores({ kind: 'postgresql', url }),
      async (sql) => void (await onDatabase(url, (client) => client.query(sql))),
    );
  },
};
