import type { Log } from '@portico/dependencies';
import { initial } from './0001-initial.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { issuers } from './0003-issuers.ts';
import { noticesAndTiers } from './0005-notices-and-tiers.ts';
import { fillSince010, since010 } from './0006-since-0.1.0.ts';
import type { DialectSql, Fill } from './migration.ts';

/**
 * All migrations, oldest first. A released migration never changes; later changes get their own migration. The first
 * five are those of release 0.1.0, without their changes to rows of earlier versions, because those versions were never
 * deployed.
 */
export const migrations: readonly { readonly name: string; readonly sql: DialectSql; readonly fill?: Fill }[] = [
  { name: '0001-initial', sql: initial },
  { name: '0002-due-jobs-by-kind', sql: dueJobsByKind },
  { name: '0003-issuers', sql: issuers },
  { name: '0004-bounded-document-facts', sql: { sqlite: [], postgresql: [] } },
  { name: '0005-notices-and-tiers', sql: noticesAndTiers },
  { name: '0006-since-0.1.0', sql: since010, fill: fillSince010 },
];

/** The name of the table of applied migrations. */
export const migrationsTable = 'schema_migrations';

/**
 * Returns the mark of a database that "portico migrate" is filling. It is stored among the applied migrations, so that
 * a version that does not know the mark also refuses the database.
 */
export const fillingMark = (from: string): string => `${markPrefix}${from}`.slice(0, nameLengthMax);
export const isFillingMark = (name: string): boolean => name.startsWith(markPrefix);
const markPrefix = 'being filled from ';
const nameLengthMax = 255;

/** The state of a database's tables, compared with the tables of this version. */
export type MigrationState =
  | { readonly state: 'current' }
  | { readonly state: 'behind'; readonly pending: number }
  /** `unknown` is the name of a migration that this version does not know. */
  | { readonly state: 'newer'; readonly unknown: string }
  /** A move to this database has not finished; `mark` contains the move's source. */
  | { readonly state: 'filling'; readonly mark: string };

export const migrationState = (applied: readonly string[]): MigrationState => {
  const mark = applied.find(isFillingMark);
  if (mark !== undefined) return { state: 'filling', mark };
  const unknown = findUnknown(applied);
  if (unknown !== undefined) return { state: 'newer', unknown };
  const pending = countMissing(applied);
  return pending > 0 ? { state: 'behind', pending } : { state: 'current' };
};

/** Throws if an applied migration is unknown to this version, or if the database is being filled. */
export const refuseUnknown = (applied: readonly string[]): void => {
  const mark = applied.find(isFillingMark);
  if (mark !== undefined) {
    throw new Error(
      `it is ${mark} by "portico migrate", which is not done. Run "portico migrate" again to fill it from scratch, or drop this database`,
    );
  }
  const unknown = findUnknown(applied);
  if (unknown !== undefined) {
    throw new Error(
      `it has the migration ${unknown}, which this version does not know; a newer version of Portico wrote it, or one that was never released`,
    );
  }
};

const findUnknown = (applied: readonly string[]): string | undefined => {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.find((name) => !known.has(name));
};

/** What to do with the tables of an earlier version. Missing tables are always created in an empty database. */
export type OlderTables = 'migrate' | 'refuse';

export interface MigrationOptions {
  readonly older: OlderTables;
  readonly log: Log;
}

/**
 * Returns whether migrations must run. Throws if migrations are missing but must not run, and in the same cases as
 * `refuseUnknown`.
 */
export const needsMigrations = (applied: readonly string[], older: OlderTables): boolean => {
  refuseUnknown(applied);
  if (applied.length > 0 && older === 'refuse') refuseOutdated(applied);
  return countMissing(applied) > 0;
};

/** Throws if this version has migrations that have not been applied. */
export const refuseOutdated = (applied: readonly string[]): void => {
  const missing = countMissing(applied);
  if (missing === 0) return;
  throw new Error(
    `its tables are of an earlier version (${missing === 1 ? '1 migration is' : `${missing} migrations are`} missing). Back up, then run "portico migrate-tables", or start the service`,
  );
};

const countMissing = (applied: readonly string[]): number =>
  migrations.filter(({ name }) => !applied.includes(name)).length;
