import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { migrations } from './index.ts';
import type { Dialect } from './migration.ts';

/** Returns the migrations of one dialect for MikroORM's migrator. There are no down migrations. */
export const migrationsFor = (dialect: Dialect): MigrationObject[] =>
  migrations.map(({ name, sql, migrateData }) => ({
    name,
    class: class extends Migration {
      override async up() {
        if (!migrateData) {
          for (const statement of sql[dialect]) this.addSql(statement);
          return;
        }
        for (const statement of sql[dialect]) await this.execute(statement);
        await migrateData((statement, parameters = []) => this.execute(statement, [...parameters]), dialect);
      }
    },
  }));
