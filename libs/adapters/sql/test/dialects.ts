import SqliteDriver from 'better-sqlite3';
import { describe } from 'vitest';
import { openSqlStores, type SqlOptions, type SqlStores } from '../src/index.ts';
import type { Value } from '../src/sql.ts';
import { createMigratedDatabase, runOnDatabase, postgres, withPostgresqlStores } from './with-postgresql.ts';
import { withMigratedFile, withStores } from './with-stores.ts';

/** One kind of database to run tests on. */
export interface TestedDialect {
  /** Runs work on empty stores. */
  readonly withStores: (work: (sqlStores: SqlStores) => Promise<void>) => Promise<void>;
  /** Runs work on a new database; each `open` opens it, and `run` reads and changes it as another program would. */
  readonly withDatabase: (
    work: (open: (options?: SqlOptions) => Promise<SqlStores>, run: RunSql) => Promise<void>,
  ) => Promise<void>;
}

/** Runs statements. A single statement may have parameters (`?`), and its rows are returned. */
export type RunSql = <Row = unknown>(sql: string, parameters?: readonly Value[]) => Promise<readonly Row[]>;

type DialectTests = (dialect: TestedDialect) => void;

/** Defines the same tests for each kind of database. */
export const describeDialects = (tests: DialectTests): void => {
  describeSqlite(tests);
  describePostgresql(tests);
};

export const describeSqlite = (tests: DialectTests): void => {
  describe('on SQLite', () => tests(sqlite));
};

export const describePostgresql = (tests: DialectTests): void => {
  describe.skipIf(!postgres)('on PostgreSQL', () => tests(postgresql));
};

const sqlite: TestedDialect = {
  withStores,
  withDatabase: (work) =>
    withMigratedFile((file) =>
      work(
        (options) => openSqlStores({ kind: 'sqlite', file }, options),
        async <Row>(sql: string, parameters?: readonly Value[]) => {
          const connection = new SqliteDriver(file);
          connection.pragma('foreign_keys = ON');
          try {
            if (parameters) {
              const statement = connection.prepare<unknown[], Row>(sql);
              if (statement.reader) return statement.all(...parameters);
              statement.run(...parameters);
            } else connection.exec(sql);
            return [];
          } finally {
            connection.close();
          }
        },
      ),
    ),
};

const postgresql: TestedDialect = {
  withStores: withPostgresqlStores,
  async withDatabase(work) {
    const url = await createMigratedDatabase();
    await work(
      (options) => openSqlStores({ kind: 'postgresql', url }, options),
      async <Row>(sql: string, parameters?: readonly Value[]) => {
        let index = 0;
        const text = parameters ? sql.replaceAll('?', () => `$${(index += 1)}`) : sql;
        const { rows } = await runOnDatabase(url, (client) => client.query(text, parameters as Value[] | undefined));
        return (rows ?? []) as readonly Row[];
      },
    );
  },
};
