import type { Log } from '@portico/dependencies';
import { initial } from './0001-initial.ts';
import { dueJobsByKind } from './0002-due-jobs-by-kind.ts';
import { issuers } from './0003-issuers.ts';
import { boundedDocumentFacts } from './0004-bounded-document-facts.ts';
import { noticesAndTiers } from './0005-notices-and-tiers.ts';
import { searchModels } from './0006-search-models.ts';
import { derivedDescriptions } from './0007-derived-descriptions.ts';
import { operations } from './0008-operations.ts';
import { usage } from './0009-usage.ts';
import { organisation } from './0010-organisation.ts';
import { serviceAccounts } from './0011-service-accounts.ts';
import { oneTimeCodes } from './0012-one-time-codes.ts';
import { auditCounts } from './0013-audit-counts.ts';
import { refusedRequests } from './0014-refused-requests.ts';
import { emailKeys, fillEmailKeys } from './0020-email-keys.ts';
import type { DialectSql, Fill } from './migration.ts';

/** All migrations, oldest first. A released migration never changes; later changes get a migration of their own. */
export const migrations: readonly { readonly name: string; readonly sql: DialectSql; readonly fill?: Fill }[] = [
  { name: '0001-initial', sql: initial },
  { name: '0002-due-jobs-by-kind', sql: dueJobsByKind },
  { name: '0003-issuers', sql: issuers },
  { name: '0004-bounded-document-facts', sql: boundedDocumentFacts },
  { name: '0005-notices-and-tiers', sql: noticesAndTiers },
  { name: '0006-search-models', sql: searchModels },
  { name: '0007-derived-descriptions', sql: derivedDescriptions },
  { name: '0008-operations', sql: operations },
  { name: '0009-usage', sql: usage },
  { name: '0010-organisation', sql: organisation },
  { name: '0011-service-accounts', sql: serviceAccounts },
  { name: '0012-one-time-codes', sql: oneTimeCodes },
  { name: '0013-audit-counts', sql: auditCounts },
  { name: '0014-refused-requests', sql: refusedRequests },
  { name: '0020-email-keys', sql: emailKeys, fill: fillEmailKeys },
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
      `it has the migration ${unknown}, which this version does not know; a newer version of Portico wrote it`,
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
