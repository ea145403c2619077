import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { initial } from './0001-initial.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { issuers } from './0003-issuers.ts';
import { boundedDocumentFacts } from './0004-bounded-document-facts.ts';
import { noticesAndTiers } from './0005-notices-and-tiers.ts';
import type { Dialect, DialectSql } from './migration.ts';

/** All migrations, oldest first. One that was released never changes: what comes later is a migration of its own. */
const migrations: readonly { readonly name: string; readonly sql: DialectSql }[] = [
  { name: '0001-initial', sql: initial },
  { name: '0002-due-jobs-by-kind', sql: dueJobsByKind },
  { name: '0003-issuers', sql: issuers },
  { name: '0004-bounded-document-facts', sql: boundedDocumentFacts },
  { name: '0005-notices-and-tiers', sql: noticesAndTiers },
];

/** Where the migrator keeps the names of those that were applied. */
export const migrationsTable = 'schema_migrations';

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

/** Throws an error where a migration was applied that is not known here. */
export const refuseUnknown = (applied: readonly string[]): void => {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `it has the migration ${unknown}, which this version does not know; a newer version of Portico wrote it`,
    );
  }
};
