import type { Log } from '@portico/dependencies';
import { initial } from './0001-initial.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { issuers } from './0003-issuers.ts';
import { noticesAndTiers } from './0005-notices-and-tiers.ts';
import { migrateDataSince010, since010 } from './0006-since-0.1.0.ts';
import type { DialectSql, DataMigration } from './migration.ts';

/**
 * All migrations, oldest first. A released migration never changes; later changes get their own migration. The first
 * five are those of release 0.1.0, without their changes to rows of earlier versions, because those versions were never
 * deployed.
 */
export const migrations: readonly {
  readonly name: string;
  readonly sql: DialectSql;
  readonly migrateData?: DataMigration;
}[] = [
  { name: '0001-initial', sql: initial },
  { name: '0002-due-jobs-by-kind', sql: dueJobsByKind },
  { name: '0003-issuers', sql: issuers },
  { name: '0004-bounded-document-facts', sql: { sqlite: [], postgresql: [] } },
  { name: '0005-notices-and-tiers', sql: noticesAndTiers },
  { name: '0006-since-0.1.0', sql: since010, migrateData: migrateDataSince010 },
];

/** The name of the table of applied migrations. */
export const migrationsTable = 'schema_migrations';

/**
 * Returns the mark of a database that "portico migrate" is filling. It is stored among the applied migrations, so that
 * a version that does not know the mark also rejects the database.
 */
export const fillingMarkOf = (source: string): string => `${markPrefix}${source}`.slice(0, nameLengthMax);
export const isFillingMark = (name: string): boolean => name.startsWith(markPrefix);
const markPrefix = 'being filled from ';
const nameLengthMax = 255;

/** The state of a database's tables, compared with the tables of this version. */
export type MigrationState =
  | { readonly state: 'current' }
  | { readonly state: 'behind'; readonly pendingCount: number }
  /** `unknownMigration` is the name of a migration that this version does not know. */
  | { readonly state: 'newer'; readonly unknownMigration: string }
  /** A move to this database has not finished; `mark` contains the move's source. */
  | { readonly state: 'filling'; readonly mark: string };

export const migrationStateOf = (appliedNames: readonly string[]): MigrationState => {
  const mark = appliedNames.find(isFillingMark);
  if (mark !== undefined) return { state: 'filling', mark };
  const unknownMigration = findUnknown(appliedNames);
  if (unknownMigration !== undefined) return { state: 'newer', unknownMigration };
  const pendingCount = countMissing(appliedNames);
  return pendingCount > 0 ? { state: 'behind', pendingCount } : { state: 'current' };
};

/** Throws if an applied migration is unknown to this version, or if the database is being filled. */
export const rejectUnknown = (appliedNames: readonly string[]): void => {
  const mark = appliedNames.find(isFillingMark);
  if (mark !== undefined) {
    throw new Error(
      `it is ${mark} by "portico migrate", which has not finished. Run "portico migrate" again to start over, or drop this database`,
    );
  }
  const unknownMigration = findUnknown(appliedNames);
  if (unknownMigration !== undefined) {
    throw new Error(
      `it has the migration ${unknownMigration}, which this version does not know: a newer or unreleased version of Portico wrote it`,
    );
  }
};

const findUnknown = (appliedNames: readonly string[]): string | undefined => {
  const knownNames = new Set(migrations.map(({ name }) => name));
  return appliedNames.find((name) => !knownNames.has(name));
};

/** What to do with the tables of an earlier version. The tables are always created in an empty database. */
export type OutdatedSchemaPolicy = 'migrate' | 'reject';

export interface MigrationOptions {
  readonly onOutdatedSchema: OutdatedSchemaPolicy;
  readonly log: Log;
}

/**
 * Returns whether migrations must run. Throws if migrations are missing but must not run, and in the same cases as
 * `rejectUnknown`.
 */
export const needsMigrations = (appliedNames: readonly string[], onOutdatedSchema: OutdatedSchemaPolicy): boolean => {
  rejectUnknown(appliedNames);
  if (appliedNames.length > 0 && onOutdatedSchema === 'reject') rejectOutdated(appliedNames);
  return countMissing(appliedNames) > 0;
};

/** Throws if this version has migrations that have not been applied. */
export const rejectOutdated = (appliedNames: readonly string[]): void => {
  const missingCount = countMissing(appliedNames);
  if (missingCount === 0) return;
  throw new Error(
    `its schema is outdated (${missingCount === 1 ? '1 migration is' : `${missingCount} migrations are`} missing). Back up the database, then run "portico migrate-tables" or start the service`,
  );
};

const countMissing = (appliedNames: readonly string[]): number =>
  migrations.filter(({ name }) => !appliedNames.includes(name)).length;
