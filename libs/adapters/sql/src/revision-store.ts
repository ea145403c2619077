import {
  type Change,
  type CollectionId,
  type PackedText,
  type RecentPage,
  type RecentRevision,
  type Revision,
  type RevisionStore,
  type RevisionTotals,
  type Visibility,
} from '@portico/domain';
import { grantedIds, toGrantedIdsParameters } from './memberships.ts';
import type { PreparedReads, Sql, SqlDatabase, Value } from './sql.ts';

export const createSqlRevisionStore = (database: SqlDatabase, preparedReads: PreparedReads): RevisionStore => {
  const { reads } = database;
  const readText = preparedReads.prepareLarge<TextRow>(selectText);

  return {
    async find(id, number) {
      const row = await reads.first<RevisionRow>(`${selectRevisions} where r.collection_id = ? and r.number = ?`, [
        id,
        number,
      ]);
      return row ? toRevision(row) : null;
    },

    async list(id, { limit, before }) {
      const rows = await reads.all<RevisionRow>(selectPage, [id, before ?? numberMax, limit]);
      return rows.map(toRevision);
    },

    async count(id) {
      const row = await reads.first<{ total: number }>(countOfCollection, [id]);
      return row?.total ?? 0;
    },

    async findText(id, number) {
      const row = await readText(id, number);
      return row ? { digest: row.digest, packed: toPackedText(row) } : null;
    },

    async findChanges(id, number) {
      const row = await reads.first<{ changes: string }>(selectChanges, [id, number]);
      return row ? (JSON.parse(row.changes) as readonly Change[]) : null;
    },

    async listRecent(visibility, { limit, since, after }) {
      if (visibility.scope === 'none') return [];
      const [from, ...visibilityParameters] = buildFromPart(visibility);
      const [position, ...positionParameters] = buildPositionPart(after);
      const rows = await reads.all<RecentRow>(
        `${selectRecent} from (select r.collection_id, r.number, r.created_at ${from}
          where r.created_at >= ? ${position} ${newestFirst} limit ?) page
          join collection_revisions r on r.collection_id = page.collection_id and r.number = page.number
          join collections c on c.id = r.collection_id ${newestFirst}`,
        [...visibilityParameters, since ?? 0, ...positionParameters, limit],
      );
      return rows.map(({ collectionId, collectionName, ...row }): RecentRevision => ({
        ...toRevision(row),
        collectionId,
        collectionName,
      }));
    },

    prune: ({ newest, since }, limit) =>
      database.transact((transaction) => transaction.run(deleteOldest, [since, newest, limit])),

    measure: () => measureRevisions(reads),
  };
};

/** Returns the number and size of all revisions. */
export const measureRevisions = async (sql: Sql): Promise<RevisionTotals> => {
  const row = await sql.first<RevisionTotals>(selectTotals);
  return { revisions: row?.revisions ?? 0, packedBytes: row?.packedBytes ?? 0 };
};

/** The largest number: a 32-bit integer. */
const numberMax = 2_147_483_647;

/** A part of a statement, with the values for its `?` parameters. */
type Part = readonly [text: string, ...parameters: Value[]];

interface RevisionRow extends Omit<Revision, 'counts' | 'breakingTexts'> {
  readonly counts: string | null;
  readonly breakingTexts: string;
}

interface RecentRow extends RevisionRow {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
}

interface TextRow extends Omit<PackedText, 'deflated'> {
  readonly digest: string;
  readonly packed: Buffer<ArrayBuffer>;
}

const toRevision = ({ counts, breakingTexts, ...row }: RevisionRow): Revision => ({
  ...row,
  counts: counts === null ? null : (JSON.parse(counts) as Revision['counts']),
  breakingTexts: breakingTexts === '[]' ? [] : (JSON.parse(breakingTexts) as readonly string[]),
});

const toPackedText = ({ packed, crc32, bytes }: TextRow): PackedText => ({
  deflated: new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength),
  crc32,
  bytes,
});

/** Returns where the page is read from: for a client, an index of each collection that it may see, and never all revisions. */
const buildFromPart = (visibility: Exclude<Visibility, { readonly scope: 'none' }>): Part =>
  visibility.scope === 'all'
    ? ['from collection_revisions r']
    : [
        `from (${grantedIds}) visible join collection_revisions r on r.collection_id = visible.collection_id`,
        ...toGrantedIdsParameters(visibility.profileId, visibility.now),
      ];

const buildPositionPart = (after: RecentPage['after']): Part =>
  after
    ? ['and (r.created_at, r.collection_id, r.number) < (?, ?, ?)', after.createdAt, after.collectionId, after.number]
    : [''];

const newestFirst = 'order by r.created_at desc, r.collection_id desc, r.number desc';

// A revision without a text of its own is the current document, which release 0.1.0 may have replaced.
const digest = 'case when r.deflated is null then c.document_digest else r.digest end as "digest"';
const columns = `r.number as "number", ${digest}, r.created_at as "createdAt", r.actor_id as "actorId",
  r.actor_name as "actorName", r.origin as "origin", r.counts as "counts", r.breaking_texts as "breakingTexts"`;
const joined = 'from collection_revisions r join collections c on c.id = r.collection_id';
const selectRevisions = `select ${columns} ${joined}`;
const selectPage = `${selectRevisions} where r.collection_id = ? and r.number < ? order by r.number desc limit ?`;
const selectRecent = `select ${columns}, c.id as "collectionId", c.name as "collectionName"`;
const countOfCollection = 'select count(*) as total from collection_revisions where collection_id = ?';
const selectChanges = 'select changes from collection_revisions where collection_id = ? and number = ?';
const selectText = `select ${digest}, coalesce(r.deflated, d.deflated) as "packed", coalesce(r.crc32, d.crc32) as "crc32",
    coalesce(r.bytes, d.bytes) as "bytes"
  ${joined} join documents d on d.collection_id = r.collection_id where r.collection_id = ? and r.number = ?`;

// The newest revisions of a collection have consecutive numbers, because only older ones are removed. The old revisions
// come from an index; one that starts with the collections takes longer if many of their revisions are recent.
const newestNumber = `(select n.number from collection_revisions n where n.collection_id = r.collection_id
  order by n.number desc limit 1)`;
const deleteOldest = `delete from collection_revisions where (collection_id, number) in
  (select r.collection_id, r.number from collection_revisions r
    where r.created_at < ? and r.number <= ${newestNumber} - ?
    order by r.created_at, r.collection_id, r.number limit ?)`;
const selectTotals = `select count(*) as "revisions", coalesce(sum(packed_bytes), 0) as "packedBytes"
  from collection_revisions`;
