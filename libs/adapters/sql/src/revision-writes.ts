import type { Collection, NewRevision } from '@portico/domain';
import type { Sql } from './sql.ts';

/** Copies the current text to its revision, before another one replaces it. */
export const keepCurrentText = async (sql: Sql, { id, documentDigest }: Collection): Promise<void> => {
  await sql.run(insertMissing, [id]);
  await sql.run(forgetReplaced, [documentDigest, id, documentDigest]);
  await sql.run(copyText, [id]);
};

/** Adds the next revision of a collection, as part of another change. */
export const writeRevision = async (
  sql: Sql,
  { id, documentDigest, updatedAt }: Collection,
  { actorId, actorName, origin, counts, breakingTexts, changes }: NewRevision,
): Promise<void> => {
  const lists = [counts && JSON.stringify(counts), JSON.stringify(breakingTexts), JSON.stringify(changes)];
  await sql.run(insertNext, [id, documentDigest, updatedAt, actorId, actorName, origin, ...lists, id]);
};

// Release 0.1.0, which may run at the same time as this version, stores documents without their revisions: the current
// text is then that of the newest revision, about which nothing else is known.
const insertMissing = `insert into collection_revisions (collection_id, number, digest, created_at)
  select c.id, 1, c.document_digest, c.updated_at from collections c
    where c.id = ? and not exists (select 1 from collection_revisions r where r.collection_id = c.id)`;
const forgetReplaced = `update collection_revisions set digest = ?, actor_id = null, actor_name = null, origin = null,
    counts = null, breaking_texts = '[]', changes = '[]'
  where collection_id = ? and deflated is null and digest <> ?`;

const ofDocument = (column: string): string =>
  `(select ${column} from documents d where d.collection_id = collection_revisions.collection_id)`;
const copyText = `update collection_revisions
  set deflated = ${ofDocument('d.deflated')}, crc32 = ${ofDocument('d.crc32')}, bytes = ${ofDocument('d.bytes')},
    packed_bytes = ${ofDocument('length(d.deflated)')}
  where collection_id = ? and deflated is null`;

const insertNext = `insert into collection_revisions
    (collection_id, digest, created_at, actor_id, actor_name, origin, counts, breaking_texts, changes, number)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?,
    (select coalesce(max(r.number), 0) + 1 from collection_revisions r where r.collection_id = ?))`;
