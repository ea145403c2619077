import SqliteDriver from 'better-sqlite3';
import { describe } from 'vitest';
import { openSqlStores, type SqlStores } from '../src/index.ts';
import { newDatabase, onDatabase, postgres, withPostgresqlStores } from './with-postgresql.ts';
import { withFile, withStores } from './with-stores.ts';

/** One kind of database to run tests on. */
export interface TestedDialect {
  /** Works on stores without a row. */
  readonly withStores: (work: (opened: SqlStores) => Promise<void>) => Promise<void>;
  /** Works where a database is not made yet; each call of `open` opens the same one, and `run` changes it as another program would. */
  readonly withPlace: (
    work: (open: () => Promise<SqlStores>, run: (sql: string) => Promise<void>) => Promise<void>,
  ) => Promise<void>;
}

/** The same tests on each kind of database. */
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
