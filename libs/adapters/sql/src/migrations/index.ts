import type { Log } from '@portico/dependencies';
import { initial } from './0001-initial.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { issuers } from './0003-issuers.ts';
import { noticesAndTiers } from './0005-notices-and-tiers.ts';
import { fillSince010, since010 } from './0006-since-0.1.0.ts';
import type { DialectSql, Fill } from './migration.ts';

/**
 * All migrations, oldest first. A released migration never changes; later changes get a migration of their own. The first
 * five are release 0.1.0, without what they did to rows of versions before it, which nobody has.
 */
export const migrations: readonly { readonly name: string; readonly sql: DialectSql; readonly fill?: Fill }[] = [
  { name: '0001-initial', sql: initial },
  { name: '0002-due-jobs-by-kind', sql: dueJobsByKind },
  { name: '0003-issuers', sql: issuers },
  { name: '0004-bounded-document-facts', sql: { sqlite: [], postgresql: [] } },
  { name: '0005-notices-and-tiers', sql: noticesAndTiers },
  { name: '0006-since-0.1.0', sql: since010, fill: fillSince010 },
];

/** The table of applied migrations. */
export const migrationsTable = 'schema_migrations';

/**
 * What stands among the applied migrations of a database while "portico migrate" fills it. There, because a version that
 * does not know the mark refuses the database too.
 */
export const fillingMark = (from: string): string => `${markStart}${from}`.slice(0, nameLengthMax);
export const isFillingMark = (name: string): boolean => name.startsWith(markStart);
const markStart = 'being filled from ';
const nameLengthMax = 255;

/** How the tables of a database stand to those of this version. */
export type MigrationState =
  | { readonly state: 'current' }
  | { readonly state: 'behind'; readonly pending: number }
  /** The name of a migration that this version does not know. */
  | { readonly state: 'newer'; readonly unknown: string }
  /** A move to this database is not done; `mark` says from where. */
  | { readonly state: 'filling'; readonly mark: string };

export const migrationState = (applied: readonly string[]): MigrationState => {
  const mark = applied.find(isFillingMark);
  if (mark !== undefined) return { state: 'filling', mark };
  const unknown = unknownIn(applied);
  if (unknown !== undefined) return { state: 'newer', unknown };
  const pending = missingIn(applied);
  return pending > 0 ? { state: 'behind', pending } : { state: 'current' };
};

/** Throws if an applied migration is unknown to this version, or the database is being filled. */
export const refuseUnknown = (applied: readonly string[]): void => {
  const mark = applied.find(isFillingMark);
  if (mark !== undefined) {
    throw new Error(
      `it is ${mark} by "portico migrate", which is not done. Run "portico migrate" again to fill it anew, or drop this database`,
    );
  }
  const unknown = unknownIn(applied);
  if (unknown !== undefined) {
    throw new Error(
      `it has the migration ${unknown}, which this version does not know; a newer version of Portico wrote it, or one that was never released`,
    );
  }
};

const unknownIn = (applied: readonly string[]): string | undefined => {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.find((name) => !known.has(name));
};

/** What to do with the tables of an earlier version. A database without tables always gets them. */
export type OlderTables = 'migrate' | 'refuse';

export interface MigrationOptions {
  readonly older: OlderTables;
  readonly log: Log;
}

/** Whether migrations are to run. Throws if they are not to, though some are missing, and as `refuseUnknown`. */
export const needsMigrations = (applied: readonly string[], older: OlderTables): boolean => {
  refuseUnknown(applied);
  if (applied.length > 0 && older === 'refuse') refuseOutdated(applied);
  return missingIn(applied) > 0;
};

/** Throws if this version has migrations that were not applied. */
export const refuseOutdated = (applied: readonly string[]): void => {
  const missing = missingIn(applied);
  if (missing === 0) return;
  throw new Error(
    `its tables are of an earlier version (${missing === 1 ? '1 migration is' : `${missing} migrations are`} missing). Back up, then run "portico migrate-tables", or start the service`,
  );
};

const missingIn = (applied: readonly string[]): number =>
  migrations.filter(({ name }) => !applied.includes(name)).length;
