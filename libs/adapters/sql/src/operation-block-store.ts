import { setImmediate } from 'node:timers/promises';
import type { CollectionId, OperationBlockChange, OperationBlockStore, OperationProgress } from '@portico/domain';
import { OperationBlockEntity } from './entities/vector-entities.ts';
import { grown, nextEpochs } from './epochs.ts';
import {
  assertWhole,
  inRow,
  liesInChunks,
  prepareValueRead,
  removeValue,
  storeInChunks,
  type StoredValue,
} from './large-values.ts';
import type { PreparedReads, SqlDatabase } from './sql.ts';
import { columns, columnsOf, upsertInto, without, write } from './table.ts';

export const createSqlOperationBlockStore = (database: SqlDatabase, prepared: PreparedReads): OperationBlockStore => {
  const lastInChunks = new LastInChunks();
  return {
    async put({ packed: bytes, ...facts }) {
      const { collectionId, modelId, documentDigest, contentRevision } = facts;
      const value = liesInChunks(database.reads, bytes)
        ? await storeInChunks(database, collectionId, bytes, null)
        : inRow(bytes);
      const { bytes: packed, contentId } = value;
      lastInChunks.keep(contentId, bytes);
      const { stored, unused } = await database.transact(async (transaction) => {
        const current = await transaction.first(selectCurrent, [collectionId, documentDigest, contentRevision]);
        if (!current) return { stored: false, unused: contentId };
        const replaced = await transaction.first<Pick<StoredValue, 'contentId'>>(selectContent, [
          collectionId,
          modelId,
        ]);
        await assertWhole(transaction, collectionId, value, bytes);
        const next = await transaction.first<{ sequence: number }>(nextSequence, nextEpochs());
        if (!next) throw new Error('The database has no row of epochs.');
        await write(transaction, upsert, { ...facts, ...next, packed, contentId });
        return { stored: true, unused: replaced?.contentId ?? null };
      });
      await removeValue(database, collectionId, unused);
      return stored;
    },

    changedSince: prepareChangedSince(prepared, lastInChunks),

    async collectionsAfter(after, modelId, limit) {
      const rows = await database.reads.all<{ id: CollectionId }>(selectCollections, [modelId, after ?? '', limit]);
      return rows.map(({ id }) => id);
    },

    async outdated(modelId) {
      const rows = await database.reads.all<{ id: CollectionId }>(selectOutdated, [modelId]);
      return rows.map(({ id }) => id);
    },

    async progress(modelId) {
      const row = await database.reads.first<OperationProgress>(selectProgress, [modelId]);
      return row ?? { total: 0, done: 0, failed: 0 };
    },

    async removeOthers(modelId, limit) {
      // SQLite calls are synchronous: yield, or many portions starve the event loop.
      await setImmediate();
      const { removed, unused } = await database.transact(async (transaction) => ({
        unused: await transaction.all<Pick<ChangeRow, 'collectionId' | 'contentId'>>(selectContentsOfOthers, [
          modelId,
          limit,
        ]),
        removed: await transaction.run(removeOthers, [modelId, limit]),
      }));
      for (const { collectionId, contentId } of unused) await removeValue(database, collectionId, contentId);
      return removed;
    },
  };
};

/**
 * The block that this process stored last in chunks, by the id of its content, until its memory is collected. Searches
 * that come at once, and wait for it, need not wait until it is read back.
 */
class LastInChunks {
  #contentId: string | null = null;
  #packed: WeakRef<Uint8Array> | null = null;

  keep(contentId: string | null, packed: Uint8Array): void {
    if (contentId === null) return;
    this.#contentId = contentId;
    this.#packed = new WeakRef(packed);
  }

  find(contentId: string | null): Uint8Array | undefined {
    return contentId === this.#contentId ? this.#packed?.deref() : undefined;
  }
}

const prepareChangedSince = (
  prepared: PreparedReads,
  lastInChunks: LastInChunks,
): OperationBlockStore['changedSince'] => {
  const changed = prepared.all<ChangeRow>(selectChanged);
  const packedOf = prepared.large<Pick<OperationBlockChange, 'packed'>>(selectPacked);
  const valueOf = prepareValueRead(prepared);

  const readPacked = async ({ collectionId, modelId, sequence, packed, contentId }: ChangeRow) => {
    const known = packed?.length === 0 ? lastInChunks.find(contentId) : undefined;
    if (known) return known;
    const bytes = packed ?? (await packedOf(collectionId, modelId, sequence))?.packed;
    return bytes && valueOf(collectionId, { bytes, contentId });
  };

  /** Large ones one at a time. The sequence of one that is replaced or removed meanwhile, if one is. */
  const withPacked = async (rows: readonly ChangeRow[]): Promise<readonly OperationBlockChange[] | number> => {
    const changes: OperationBlockChange[] = [];
    for (const { contentId, ...row } of rows) {
      const packed = await readPacked({ ...row, contentId });
      if (!packed) return row.sequence;
      changes.push({ ...row, packed });
    }
    return changes;
  };

  return async (after, modelId, limit) => {
    for (let missing = Number.NaN; ;) {
      const changes = await withPacked(await changed(after, modelId, limit));
      if (typeof changes !== 'number') return changes;
      if (changes === missing) throw new Error(`Chunks of the operations with the sequence ${missing} are missing`);
      missing = changes;
    }
  };
};

type ChangeRow = Omit<OperationBlockChange, 'packed'> & {
  readonly packed: Uint8Array | null;
  readonly contentId: string | null;
};

/** What is larger is not read with others: PostgreSQL sends such rows as text, twice as long. */
const smallBytesMax = 2 ** 18;

const selectCurrent = `select id from collections
  where id = ? and document_digest = ? and operations_digest = document_digest and content_revision = ?`;
const nextSequence = `update epochs set operations = ${grown('operations')} where id = 1
  returning operations as "sequence"`;
const upsert = upsertInto(OperationBlockEntity, 'collectionId', 'modelId');
const selectChanged = `select ${columns('b', without(columnsOf(OperationBlockEntity), 'packed'))},
  case when length(b.packed) <= ${smallBytesMax} then b.packed end as "packed" from operation_blocks b
  where b.sequence > ? and b.model_id = ? order by b.sequence limit ?`;
const selectPacked = `select b.packed as "packed" from operation_blocks b
  where b.collection_id = ? and b.model_id = ? and b.sequence = ?`;
const selectCollections = `select b.collection_id as "id" from operation_blocks b
  where b.model_id = ? and b.collection_id > ? order by b.collection_id limit ?`;
const upToDate = `left join operation_blocks b on b.collection_id = c.id and b.model_id = ?
  and b.document_digest = c.document_digest and b.content_revision = c.content_revision`;
const selectOutdated = `select c.id from collections c ${upToDate} where b.collection_id is null order by c.id`;
const selectProgress = `select count(c.id) as "total", count(b.collection_id) as "done",
  count(case when b.collection_id is null then f.collection_id end) as "failed" from collections c ${upToDate}
  left join (select distinct collection_id from jobs where kind = 'operations' and given_up = true) f
  on f.collection_id = c.id`;
const others = `(collection_id, model_id) in (select b.collection_id, b.model_id from operation_blocks b
  where b.model_id <> ? order by b.collection_id, b.model_id limit ?)`;
const removeOthers = `delete from operation_blocks where ${others}`;
const selectContentsOfOthers = `select collection_id as "collectionId", content_id as "contentId" from operation_blocks
  where ${others}`;
const selectContent = `select content_id as "contentId" from operation_blocks where collection_id = ? and model_id = ?`;
