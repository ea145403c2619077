import { createYielder } from '@portico/dependencies';
import type { Instant, ModelProgress, SearchModel, SearchModels } from '@portico/domain';
import { SearchModelEntity } from './entities/vector-entities.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf } from './table.ts';

const yieldToEventLoop = createYielder();

export const createSqlSearchModels = (database: SqlDatabase): SearchModels => ({
  async readState() {
    const row = await database.reads.first<EpochsRow>(selectEpochs);
    if (!row) throw new Error('The epochs table is empty.');
    const { searchModel, ...epochs } = row;
    return { serving: searchModel, announcedModels: await database.reads.all<SearchModel>(selectModels), epochs };
  },

  async announce(modelId, now) {
    await database.transact(async (transaction) => {
      const latest = (await transaction.first<{ latest: Instant | null }>(selectLatest))?.latest ?? -1;
      await transaction.run(announce, [modelId, Math.max(now, latest + 1), now]);
    });
  },

  readProgress: (from, to) => readProgress(database.reads, from, to),

  promote: (from, to) =>
    database.transact(async (transaction) => {
      await transaction.run(lockEpochs);
      const epochs = await transaction.first<EpochsRow>(selectEpochs);
      if (epochs?.searchModel !== from) return false;
      if (from !== null) {
        const { total, done, failed } = await readProgress(transaction, from, to);
        if (done + failed < total) return false;
      }
      await transaction.run('update epochs set search_model = ? where id = 1', [to]);
      return true;
    }),

  async removeEmbeddings(modelId, limit) {
    // SQLite calls are synchronous: without yielding, many batches would starve the event loop.
    await yieldToEventLoop();
    return database.transact((transaction) => transaction.run(removeEmbeddings, [modelId, modelId, limit]));
  },

  async remove({ modelId, lastSeenAt }) {
    await database.transact(async (transaction) => {
      await transaction.run(lockEpochs);
      await transaction.run(deleteModel, [modelId, lastSeenAt]);
    });
  },
});

interface EpochsRow {
  readonly catalog: number;
  readonly embeddings: number;
  readonly operations: number;
  readonly searchModel: string | null;
}

const selectEpochs = `select ${buildColumns('e', ['catalog', 'embeddings', 'operations', 'searchModel'])} from epochs e where e.id = 1`;
/**
 * Embeddings are written outside `transact`: this statement blocks those writes until the commit (see
 * `createSequencedWrites`).
 */
const lockEpochs = 'update epochs set search_model = search_model where id = 1';
const selectModels = `select ${buildColumns('m', columnsOf(SearchModelEntity))} from search_models m
  order by m.first_seen_at, m.model_id`;
const selectLatest = 'select max(first_seen_at) as "latest" from search_models';
const announce = `insert into search_models (model_id, first_seen_at, last_seen_at) values (?, ?, ?)
  on conflict (model_id) do update set last_seen_at = excluded.last_seen_at
  where search_models.last_seen_at < excluded.last_seen_at`;
const selectProgress = `select count(*) as "total", count(n.collection_id) as "done",
  count(case when n.collection_id is null then f.collection_id end) as "failed"
  from collection_embeddings s left join collection_embeddings n
  on n.collection_id = s.collection_id and n.model_id = ? and n.content_revision >= s.content_revision
  left join (select distinct collection_id from jobs where kind = 'embed' and given_up = true) f
  on f.collection_id = s.collection_id
  where s.model_id = ?`;
const removeEmbeddings = `delete from collection_embeddings where model_id = ?
  and collection_id in (select e.collection_id from collection_embeddings e where e.model_id = ?
    and not exists (select 1 from epochs where search_model = e.model_id) limit ?)`;
const deleteModel = `delete from search_models where model_id = ? and last_seen_at = ?
  and not exists (select 1 from epochs where search_model = search_models.model_id)
  and not exists (select 1 from collection_embeddings e where e.model_id = search_models.model_id)`;

const readProgress = async (sql: Sql, from: string, to: string): Promise<ModelProgress> =>
  (await sql.first<ModelProgress>(selectProgress, [to, from])) ?? { total: 0, done: 0, failed: 0 };
