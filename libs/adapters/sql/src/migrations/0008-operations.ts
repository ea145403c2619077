import type { DialectSql } from './migration.ts';

/**
 * The operations of documents, and their vectors. Collections of before have none: jobs read them. Processes of the
 * version before change documents without their operations, which `operations_digest` then tells.
 */
const tables = (text: string, bytes: string): readonly string[] => [
  `create table operations (
    collection_id ${text} not null,
    key ${text} not null,
    position bigint not null,
    method ${text} not null,
    path ${text} not null,
    operation_id ${text} null,
    summary ${text} null,
    tags ${text} not null,
    deprecated boolean not null,
    excerpt ${text} not null,
    primary key (collection_id, key),
    constraint operations_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
  'create index operations_position_index on operations (collection_id, position)',
  `create table operation_blocks (
    collection_id ${text} not null,
    model_id ${text} not null,
    document_digest ${text} not null,
    content_revision bigint not null,
    sequence bigint not null,
    operations bigint not null,
    packed ${bytes} not null,
    primary key (collection_id, model_id),
    constraint operation_blocks_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
];
/** Last, because every request reads these rows, and waits from here on for the rest of the migration. */
const columns = (text: string): readonly string[] => [
  `alter table collections add column operations_digest ${text} null`,
  'alter table epochs add column operations bigint not null default 0',
];

const textOfPostgresql = 'text collate "C"';

export const operations: DialectSql = {
  sqlite: [
    ...tables('text', 'blob'),
    'create unique index operation_blocks_sequence_unique on operation_blocks (model_id, sequence)',
    ...columns('text'),
  ],
  postgresql: [
    ...tables(textOfPostgresql, 'bytea'),
    'alter table operation_blocks add constraint operation_blocks_sequence_unique unique (model_id, sequence)',
    // Vectors do not compress.
    'alter table operation_blocks alter column packed set storage external',
    ...columns(textOfPostgresql),
  ],
};
