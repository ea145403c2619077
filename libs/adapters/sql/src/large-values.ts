import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { createYielder } from '@portico/dependencies';
import { PorticoError, type CollectionId, type Deadline } from '@portico/domain';
import { ChunkEntity } from './entities/chunk-entity.ts';
import type { PreparedReads, Sql, SqlDatabase } from './sql.ts';
import { columnsOf, insertInto, write } from './table.ts';

/**
 * A value as the row that has it says where it is: in the row itself, or, if nothing is there, in chunks under this id.
 * The version before 0018 writes values into their rows and leaves the id.
 */
export interface StoredValue {
  readonly bytes: Uint8Array;
  readonly contentId: string | null;
}

export const inRow = (bytes: Uint8Array): StoredValue => ({ bytes, contentId: null });

const inRowMax = 2 ** 20;
/** They take some 2 ms, and committing them some 5. */
const chunkLength = 2 ** 19;
/** In milliseconds: nobody writes a value for so long. */
const abandonedAfter = 3_600_000;

/** Whether a value of this length goes into chunks. PostgreSQL keeps it beside the row by itself, and nobody waits. */
export const liesInChunks = ({ oneAtATime }: Pick<Sql, 'oneAtATime'>, { length }: Uint8Array): boolean =>
  oneAtATime && length > inRowMax;

/**
 * Stores a large value for a row that is still to be written. In one transaction it would hold up everybody's writes, and
 * on SQLite the event loop: each chunk has a transaction of its own. Nobody sees them before a row has their id, which no
 * other value ever has. If none ever does, a later call removes them. Throws `timed_out` as `transact` does.
 */
export const storeInChunks = async (
  database: SqlDatabase,
  collectionId: CollectionId,
  bytes: Uint8Array,
  deadline: Deadline | null,
): Promise<StoredValue> => {
  const writtenAt = Date.now();
  await removeAbandoned(database, writtenAt - abandonedAfter);
  const contentId = randomUUID();
  for (let start = 0; start < bytes.length; start += chunkLength) {
    if (deadline?.expired) throw new PorticoError('timed_out');
    const chunk = { collectionId, contentId, start, writtenAt, bytes: bytes.subarray(start, start + chunkLength) };
    await database.transact((transaction) => write(transaction, insertChunk, chunk), deadline);
    await setImmediate();
  }
  return { bytes: new Uint8Array(), contentId };
};

/**
 * Asserts, in the transaction that writes the row, that all chunks of its value are there: whoever stood still for an hour
 * before it, or has a clock that leaps, may have lost them to a later `storeInChunks`.
 */
export const assertWhole = async (
  sql: Sql,
  collectionId: CollectionId,
  { contentId }: StoredValue,
  { length }: Uint8Array,
): Promise<void> => {
  if (contentId === null) return;
  const { chunks } = (await sql.first<{ readonly chunks: number }>(countChunks, [collectionId, contentId])) ?? {};
  if (chunks !== Math.ceil(length / chunkLength)) throw new Error('Chunks were removed before their row was written');
};

/**
 * Removes the chunks of a value that no row refers to any more, the first one last, so that those of a removal that
 * failed are still found. It never fails: a later `storeInChunks` removes what is left.
 */
export const removeValue = async (
  database: SqlDatabase,
  collectionId: CollectionId,
  contentId: string | null,
): Promise<void> => {
  if (contentId === null) return;
  const parameters = [collectionId, contentId, collectionId, contentId];
  const removeOne = () => database.transact((transaction) => transaction.run(deleteLastChunk, parameters));
  try {
    while ((await removeOne()) > 0) await setImmediate();
  } catch {
    // The change that this belongs to is committed, and does not fail any more.
  }
};

export type ValueRead = (collectionId: CollectionId, stored: StoredValue) => Promise<Uint8Array | undefined>;

/** Reads what a row says. Undefined if it was replaced or removed meanwhile. Others have their turn between chunks. */
export const prepareValueRead = (prepared: PreparedReads): ValueRead => {
  const lastOf = prepared.first<{ readonly start: number; readonly length: number }>(selectLastChunk);
  const chunkAt = prepared.large<Pick<StoredValue, 'bytes'>>(selectChunk);
  // One for all values: many may be read at a stretch.
  const othersTurn = createYielder();

  return async (collectionId, { bytes, contentId }) => {
    // A view: it is sent without a copy.
    if (bytes.length > 0 || contentId === null) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = await lastOf(collectionId, contentId);
    if (!last) return undefined;
    const whole = new Uint8Array(last.start + last.length);
    for (let start = 0; start < whole.length; start += chunkLength) {
      const chunk = await chunkAt(collectionId, contentId, start);
      if (!chunk) return undefined;
      whole.set(chunk.bytes, start);
      await othersTurn();
    }
    // What comes of it may take as long again.
    await setImmediate();
    return whole;
  };
};

const removeAbandoned = async (database: SqlDatabase, before: number): Promise<void> => {
  const abandoned = await database.reads.all<Reference>(selectAbandoned, [before]);
  for (const { collectionId, contentId } of abandoned) await removeValue(database, collectionId, contentId);
};

interface Reference {
  readonly collectionId: CollectionId;
  readonly contentId: string;
}

const insertChunk = insertInto(ChunkEntity, columnsOf(ChunkEntity));
const ofValue = 'collection_id = ? and content_id = ?';
const selectLastChunk = `select start as "start", length(bytes) as "length" from chunks
  where ${ofValue} order by start desc limit 1`;
const countChunks = `select count(*) as "chunks" from chunks where ${ofValue}`;
const selectChunk = `select bytes as "bytes" from chunks where ${ofValue} and start = ?`;
const deleteLastChunk = `delete from chunks where ${ofValue}
  and start = (select max(start) from chunks where ${ofValue})`;
const refersTo = 'r.collection_id = k.collection_id and r.content_id = k.content_id';
const selectAbandoned = `select k.collection_id as "collectionId", k.content_id as "contentId" from chunks k
  where k.start = 0 and k.written_at < ?
  and not exists (select 1 from documents r where ${refersTo})
  and not exists (select 1 from operation_blocks r where ${refersTo})`;
