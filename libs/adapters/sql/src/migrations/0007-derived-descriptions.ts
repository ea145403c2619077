import type { DialectSql } from './migration.ts';

const statements = [
  'alter table collections add column description_derived boolean not null default false',
  // Imported from a document without a description: the next import, or the next change of the document, derives one.
  "update collections set description_derived = true where description = '' and import_key is not null",
];

export const derivedDescriptions: DialectSql = { sqlite: statements, postgresql: statements };
