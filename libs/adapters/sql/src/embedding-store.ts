import { endianness } from 'node:os';
import type { CollectionId, EmbeddingChange, EmbeddingStore } from '@portico/domain';
import { EmbeddingEntity } from './entities/vector-entities.ts';
import { createSequencedWrites } from './epochs.ts';
import type { SqlDatabase } from './sql.ts';
import { buildColumns, upsertInto, write } from './table.ts';

export const createSqlEmbeddingStore = (database: SqlDatabase): EmbeddingStore => ({
  put: preparePut(database),

  async listChangedSince(after, modelId, limit) {
    const rows = await database.reads.all<ChangeRow>(selectChanged, [after, modelId, limit]);
    return rows.map(({ vector, ...change }) => ({ ...change, vector: vectorOf(vector) }));
  },

  async listCollectionsAfter(after, modelId, limit) {
    return idsOf(await database.reads.all<IdRow>(selectCollections, [modelId, after ?? '', limit]));
  },

  async listOutdated(modelId) {
    return idsOf(await database.reads.all<IdRow>(selectOutdated, [modelId]));
  },

  async countEmbedded(modelId) {
    return (await database.reads.first<{ embedded: number }>(countEmbedded, [modelId]))?.embedded ?? 0;
  },

  async listUpToDateModels(collectionId) {
    const rows = await database.reads.all<{ modelId: string }>(selectUpToDate, [collectionId]);
    return rows.map(({ modelId }) => modelId);
  },
});

const preparePut = (database: SqlDatabase): EmbeddingStore['put'] => {
  const writeInSequence = createSequencedWrites(database, 'embeddings');
  return ({ collectionId, modelId, contentRevision, vector }) =>
    writeInSequence(async (sql, sequence) => {
      if (!(await sql.first(selectCurrent, [collectionId, contentRevision]))) return false;
      await write(sql, upsert, { collectionId, modelId, contentRevision, sequence, vector: bytesOf(vector) });
      return true;
    });
};

interface IdRow {
  readonly id: CollectionId;
}
interface ChangeRow extends Omit<EmbeddingChange, 'vector'> {
  readonly vector: Uint8Array;
}
const selectCurrent = 'select id from collections where id = ? and content_revision = ?';
const upsert = upsertInto(EmbeddingEntity, 'collectionId', 'modelId');
const selectChanged = `select ${buildColumns('e', ['sequence', 'collectionId', 'vector'])} from collection_embeddings e
  where e.sequence > ? and e.model_id = ? order by e.sequence limit ?`;
const selectCollections = `select e.collection_id as "id" from collection_embeddings e
  where e.model_id = ? and e.collection_id > ? order by e.collection_id limit ?`;
const joinUpToDate =
  'left join collection_embeddings e on e.collection_id = c.id and e.content_revision = c.content_revision and e.model_id = ?';
const countEmbedded = `select count(e.collection_id) as "embedded" from collections c ${joinUpToDate}`;
const selectOutdated = `select c.id from collections c ${joinUpToDate} where e.collection_id is null order by c.id`;
const selectUpToDate = `select e.model_id as "modelId" from collections c join collection_embeddings e
  on e.collection_id = c.id and e.content_revision = c.content_revision where c.id = ?`;
const idsOf = (rows: readonly IdRow[]): CollectionId[] => rows.map(({ id }) => id);

/** Returns a vector as it is stored: a sequence of little-endian 32-bit floats. */
const bytesOf = (vector: Float32Array): Uint8Array => toLittleEndian(new Uint8Array(Float32Array.from(vector).buffer));
/** Copies the bytes, so that the result is aligned for floats and independent of the row's buffer. */
const vectorOf = (bytes: Uint8Array): Float32Array => new Float32Array(toLittleEndian(Uint8Array.from(bytes)).buffer);

const toLittleEndian = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return bytes;
};
