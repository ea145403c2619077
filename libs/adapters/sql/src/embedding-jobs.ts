import { createYielder } from '@portico/dependencies';
import {
  type CollectionId,
  type CollectionJobKind,
  type EmbeddingJobs,
  isCollectionTask,
  type NewJob,
  type ReindexRun,
} from '@portico/domain';
import type { CollectionDialect } from './collection-reads.ts';
import { writeEffects } from './effects.ts';
import { ReindexRunEntity } from './entities/vector-entities.ts';
import type { SqlDatabase, Sql, Value } from './sql.ts';
import { buildColumns, columnsOf, insertInto, omitNames, write } from './table.ts';

const yieldToEventLoop = createYielder();

export const createSqlEmbeddingJobs = (
  database: SqlDatabase,
  { idsInJson }: Pick<CollectionDialect, 'idsInJson'>,
): EmbeddingJobs => ({
  listPending: (kind) => readPending(database.reads, kind),

  async listDeadLettered(kind) {
    return collectionsIn(await database.reads.all<CollectionRow>(selectDeadLettered, [kind]));
  },

  async enqueue({ jobs: requestedJobs = [], ...effects }) {
    // SQLite calls are synchronous: without yielding, a burst of them would starve the event loop.
    await yieldToEventLoop();
    await database.transact(async (transaction) => {
      const jobs: NewJob[] = requestedJobs.filter(({ task }) => !isCollectionTask(task));
      for (const kind of ['embed', 'operations'] as const) {
        const jobsOfKind = requestedJobs.filter(({ task }) => task.kind === kind);
        if (jobsOfKind.length === 0) continue;
        const pendingIds = await readPending(transaction, kind, `and collection_id in (${idsInJson})`, [
          collectionsOf(jobsOfKind),
        ]);
        const addedJobs = jobsOfKind.filter(
          ({ task }) => !(isCollectionTask(task) && pendingIds.has(task.collectionId)),
        );
        await transaction.run(`${deleteDeadLetters} and collection_id in (${idsInJson})`, [
          kind,
          collectionsOf(addedJobs),
        ]);
        jobs.push(...addedJobs);
      }
      await writeEffects(transaction, { ...effects, jobs });
    });
  },

  async startRun(plan) {
    return database.transact(async (transaction) => {
      const previousRun = await readLastRun(transaction);
      if (previousRun && previousRun.waiting > 0)
        return { id: previousRun.id, total: previousRun.total, startedAt: previousRun.startedAt };
      const change = plan((await transaction.all<{ id: CollectionId }>(selectIds)).map(({ id }) => id));
      const { id, total, startedAt } = change.run;
      await write(transaction, insertRun, { id, total, startedAt });
      await writeEffects(transaction, change);
      return { id, total, startedAt };
    });
  },

  async findLastRun() {
    return (await readLastRun(database.reads)) ?? null;
  },
});

interface CollectionRow {
  readonly collectionId: CollectionId;
}
interface RunRow extends ReindexRun {
  readonly waiting: number;
  readonly failed: number;
}

const selectIds = 'select id from collections order by id';
const selectPending = `select distinct collection_id as "collectionId" from jobs where kind = ? and given_up = false`;
const selectDeadLettered = `select distinct collection_id as "collectionId" from jobs where kind = ? and given_up = true`;
const deleteDeadLetters = `delete from jobs where kind = ? and given_up = true`;
const insertRun = insertInto(ReindexRunEntity, omitNames(columnsOf(ReindexRunEntity), 'seq'));
const selectLastRun = `select ${buildColumns('r', ['id', 'total', 'startedAt'])},
  (select count(*) from jobs j where j.job_group = r.id and j.given_up = false) as "waiting",
  (select count(*) from jobs j where j.job_group = r.id and j.given_up = true) as "failed"
  from reindex_runs r order by r.seq desc limit 1`;

const readPending = async (
  sql: Sql,
  kind: CollectionJobKind,
  condition = '',
  parameters: readonly Value[] = [],
): Promise<ReadonlySet<CollectionId>> =>
  collectionsIn(await sql.all<CollectionRow>(`${selectPending} ${condition}`, [kind, ...parameters]));
/** Returns the ids of the jobs' collections as a JSON array. */
const collectionsOf = (jobs: readonly NewJob[]): string =>
  JSON.stringify(jobs.flatMap(({ task }) => (isCollectionTask(task) ? [task.collectionId] : [])));
const collectionsIn = (rows: readonly CollectionRow[]): ReadonlySet<CollectionId> =>
  new Set(rows.map(({ collectionId }) => collectionId));
const readLastRun = (sql: Sql): Promise<RunRow | undefined> => sql.first<RunRow>(selectLastRun);
