import { endianness } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { CollectionId, EmbeddingChange, EmbeddingStore, ReindexRun } from '@portico/domain';
import type { CollectionDialect } from './collection-reads.ts';
import { writeEffects } from './effects.ts';
import { grown, nextEpochs } from './epochs.ts';
import { columns } from './sql.ts';
import type { Database, Sql, Value } from './sql.ts';

export const createSqlEmbeddingStore = (
  database: Database,
  { idsInJson }: Pick<CollectionDialect, 'idsInJson'>,
): EmbeddingStore => ({
  async put({ collectionId, modelId, contentRevision, vector }) {
    return database.transact(async (transaction) => {
      const current = await transaction.first<{ id: string }>(selectCurrent, [collectionId, contentRevision]);
      if (!current) return false;
      const next = await transaction.first<{ sequence: number }>(nextSequence, nextEpochs());
      if (!next) throw new Error('The database has lost its epochs.');
      await transaction.run(upsert, [collectionId, modelId, contentRevision, next.sequence, bytesOf(vector)]);
      return true;
    });
  },

  async changedSince(after, modelId, limit) {
    const rows = await database.reads.all<ChangeRow>(selectChanged, [after, modelId, limit]);
    return rows.map(({ vector, ...change }) => ({ ...change, vector: vectorOf(vector) }));
  },

  async outdated(modelId) {
    return idsOf(await database.reads.all<IdRow>(selectOutdated, [modelId]));
  },

  awaited: () => awaited(database.reads),

  async givenUp() {
    return new Set((await database.reads.all<CollectionRow>(selectGivenUp)).map(({ collectionId }) => collectionId));
  },

  async counts(modelId) {
    const row = await database.reads.first<{ collections: number; embedded: number }>(selectCounts, [modelId]);
    return row ?? { collections: 0, embedded: 0 };
  },

  async enqueue({ jobs: offered = [], ...effects }) {
    // SQLite never waits: one call after another would leave the event loop to nobody else.
    await setImmediate();
    const wanted = JSON.stringify(offered.flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : [])));
    await database.transact(async (transaction) => {
      const before = await awaited(transaction, `and collection_id in (${idsInJson})`, [wanted]);
      const jobs = offered.filter(({ task }) => task.kind !== 'embed' || !before.has(task.collectionId));
      const added = JSON.stringify(jobs.flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : [])));
      await transaction.run(`${deleteGivenUp} and collection_id in (${idsInJson})`, [added]);
      await writeEffects(transaction, { ...effects, jobs });
    });
  },

  async startRun(plan) {
    return database.transact(async (transaction) => {
      const last = await lastRun(transaction);
      if (last && last.waiting > 0) return { id: last.id, total: last.total, startedAt: last.startedAt };
      const change = plan(idsOf(await transaction.all<IdRow>('select id from collections order by id')));
      const { id, total, startedAt } = change.run;
      await transaction.run(insertRun, [id, total, startedAt]);
      await writeEffects(transaction, change);
      return { id, total, startedAt };
    });
  },

  async lastRun() {
    return (await lastRun(database.reads)) ?? null;
  },
});

interface IdRow {
  readonly id: CollectionId;
}
interface CollectionRow {
  readonly collectionId: CollectionId;
}
interface ChangeRow extends Omit<EmbeddingChange, 'vector'> {
  readonly vector: Uint8Array;
}
interface RunRow extends ReindexRun {
  readonly waiting: number;
  readonly failed: number;
}

const selectCurrent = 'select id from collections where id = ? and content_revision = ?';
const nextSequence = `update epochs set embeddings = ${grown('embeddings')} where id = 1
  returning embeddings as "sequence"`;
const upsert = `insert into embeddings (collection_id, model_id, content_revision, sequence, vector)
  values (?, ?, ?, ?, ?) on conflict (collection_id) do update set model_id = excluded.model_id,
  content_revision = excluded.content_revision, sequence = excluded.sequence, vector = excluded.vector`;
const selectChanged = `select ${columns('e', ['sequence', 'collectionId', 'vector'])} from embeddings e
  where e.sequence > ? and e.model_id = ? order by e.sequence limit ?`;
const upToDate =
  'left join embeddings e on e.collection_id = c.id and e.content_revision = c.content_revision and e.model_id = ?';
const selectOutdated = `select c.id from collections c ${upToDate} where e.collection_id is null order by c.id`;
/** The collections that a job waits for. */
const selectAwaited = `select distinct collection_id as "collectionId" from jobs where kind = 'embed' and given_up = false`;
const selectGivenUp = `select distinct collection_id as "collectionId" from jobs where kind = 'embed' and given_up = true`;
const deleteGivenUp = `delete from jobs where kind = 'embed' and given_up = true`;
const selectCounts = `select count(*) as "collections", count(e.collection_id) as "embedded" from collections c ${upToDate}`;
const insertRun = 'insert into reindex_runs (id, total, started_at) values (?, ?, ?)';
const selectLastRun = `select ${columns('r', ['id', 'total', 'startedAt'])},
  (select count(*) from jobs j where j.job_group = r.id and j.given_up = false) as "waiting",
  (select count(*) from jobs j where j.job_group = r.id and j.given_up = true) as "failed"
  from reindex_runs r order by r.seq desc limit 1`;

const idsOf = (rows: readonly IdRow[]): CollectionId[] => rows.map(({ id }) => id);
const awaited = async (sql: Sql, which = '', parameters: readonly Value[] = []): Promise<ReadonlySet<CollectionId>> =>
  new Set(
    (await sql.all<CollectionRow>(`${selectAwaited} ${which}`, parameters)).map(({ collectionId }) => collectionId),
  );
const lastRun = (sql: Sql): Promise<RunRow | undefined> => sql.first<RunRow>(selectLastRun);

/** A vector at rest is a row of little-endian 32-bit floats. */
const bytesOf = (vector: Float32Array): Uint8Array => inLittleEndian(new Uint8Array(Float32Array.from(vector).buffer));
/** Copied, so that the floats are aligned and hold on to nothing else. */
const vectorOf = (bytes: Uint8Array): Float32Array => new Float32Array(inLittleEndian(Uint8Array.from(bytes)).buffer);

const inLittleEndian = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return bytes;
};
