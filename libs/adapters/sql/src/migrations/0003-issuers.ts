import type { DialectSql } from './migration.ts';

/** Adds the issuer to which a profile is bound. */
export const issuers: DialectSql = {
  sqlite: ['alter table profiles add column issuer text null'],
  postgresql: ['alter table profiles add column issuer text collate "C" null'],
};
