import type { DialectSql } from './migration.ts';

/** Profiles bound before issuers were stored get the unknown issuer until the service assigns theirs. */
const adoptable = `update profiles set issuer = '' where bound = true`;

/** Adds the issuer that a profile was bound by. */
export const issuers: DialectSql = {
  sqlite: ['alter table profiles add column issuer text null', adoptable],
  postgresql: ['alter table profiles add column issuer text collate "C" null', adoptable],
};
