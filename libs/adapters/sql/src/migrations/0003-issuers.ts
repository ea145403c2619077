import type { DialectSql } from './migration.ts';

/** Adds the issuer that a profile is bound to. */
export const issuers: DialectSql = {
  sqlite: ['alter table profiles add column issuer text null'],
  postgresql: ['alter table profiles add column issuer text collate "C" null'],
};
