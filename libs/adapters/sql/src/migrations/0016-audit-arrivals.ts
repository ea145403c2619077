import type { DialectSql } from './migration.ts';

const table = (seq: string, text: string, instant: string) => `create table audit_arrivals (
    seq ${seq} not null,
    id ${text} not null,
    source ${text} not null,
    actor_id ${text} null,
    message ${text} not null,
    timestamp ${text} not null,
    instant ${instant} not null,
    received_at bigint not null,
    client_id ${text} null,
    collection_id ${text} null,
    action ${text} null,
    primary key (seq)
  )`;

/** A table without indexes, where entries on SQLite wait to be filed. On PostgreSQL only those that were moved there. */
export const auditArrivals: DialectSql = {
  // As an `integer` primary key, `seq` is the row id: it counts up by itself, and is no index.
  sqlite: [table('integer', 'text', 'bigint')],
  postgresql: [table('int', 'text collate "C"', 'double precision')],
};
