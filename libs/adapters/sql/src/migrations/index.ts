import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { initial } from './0001-initial.ts';
import type { Dialect, DialectSql } from './migration.ts';

/** All migrations, oldest first. One that was released never changes: what comes later is a migration of its own. */
const migrations: readonly { readonly name: string; readonly sql: DialectSql }[] = [
  { name: '0001-initial', sql: initial },
];

/** The list that MikroORM's migrator works, in one database's SQL. There is no way down. */
export const migrationsFor = (dialect: Dialect): MigrationObject[] =>
  migrations.map(({ name, sql }) => ({
    name,
    class: class extends Migration {
      override up() {
        for (const statement of sql[dialect]) this.addSql(statement);
      }
    },
  }));
