interface ColumnTypes {
  readonly text: string;
  readonly int: string;
  readonly bytes: string;
}

/** Stores revisions. The current document of each collection becomes its first one; its text is only in `documents`. */
export const createRevisionTables = ({ text, int, bytes }: ColumnTypes): readonly string[] => [
  `create table collection_revisions (
    collection_id ${text} not null,
    number ${int} not null,
    digest ${text} not null,
    created_at bigint not null,
    actor_id ${text} null,
    actor_name ${text} null,
    origin ${text} null,
    counts ${text} null,
    breaking_texts ${text} not null default '[]',
    packed_bytes ${int} not null default 0,
    changes ${text} not null default '[]',
    deflated ${bytes} null,
    crc32 bigint null,
    bytes bigint null,
    primary key (collection_id, number),
    constraint collection_revisions_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
  `create index collection_revisions_collection_index on collection_revisions (collection_id, created_at, number)`,
  `create index collection_revisions_created_index
    on collection_revisions (created_at, collection_id, number, packed_bytes)`,
  `insert into collection_revisions (collection_id, number, digest, created_at)
    select id, 1, document_digest, updated_at from collections`,
];
