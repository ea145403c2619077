import type { DialectSql } from './migration.ts';

const statements = (text: string, bytes: string) => [
  `create table chunks (
    collection_id ${text} not null,
    content_id ${text} not null,
    start bigint not null,
    written_at bigint not null,
    bytes ${bytes} not null,
    primary key (collection_id, content_id, start)
  )`,
  `alter table documents add column content_id ${text} null`,
  `alter table operation_blocks add column content_id ${text} null`,
];

/** On SQLite large documents and blocks lie in chunks. On PostgreSQL only those that were moved there. */
export const chunks: DialectSql = {
  sqlite: statements('text', 'blob'),
  postgresql: [
    ...statements('text collate "C"', 'bytea'),
    // What is deflated is not compressed once more.
    'alter table chunks alter column bytes set storage external',
  ],
};
