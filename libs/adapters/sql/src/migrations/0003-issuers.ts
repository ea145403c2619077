import type { DialectSql } from './migration.ts';

/** Who was bound before issuers were kept is bound by the unknown one, until the service says whose they are. */
const adoptable = `update profiles set issuer = '' where bound = true`;

/** A profile keeps the issuer that it was bound by. */
export const issuers: DialectSql = {
  sqlite: ['alter table profiles add column issuer text null', adoptable],
  postgresql: ['alter table profiles add column issuer text collate "C" null', adoptable],
};
