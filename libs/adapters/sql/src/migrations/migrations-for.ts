import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { migrations } from './index.ts';
import type { Dialect } from './migration.ts';

/** The migrations of one dialect, for MikroORM's migrator. There are no down migrations. */
export const migrationsFor = (dialect: Dialect): MigrationObject[] =>
  migrations.map(({ name, sql }) => ({
    name,
    class: class extends Migration {
      override up() {
        for (const statement of sql[dialect]) this.addSql(statement);
      }
    },
  }));
