import { aCollection, aDocumentContent, aJob, anEmbedding, jobEffectsOf, noEffects, start } from '@portico/contracts';
import { missingEmbeddings, type Collection } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects, type RunSql } from '../../test/dialects.ts';
import type { SqlStores } from '../index.ts';

/** The exact statements of the earlier version, which may run at the same time as this one during an update. */
const earlierStatements = {
  next: `update epochs set embeddings = case when embeddings < ? then ? else embeddings + 1 end where id = 1
  returning embeddings as "sequence"`,
  put:
    'insert into embeddings (collection_id, model_id, content_revision, sequence, vector) values (?, ?, ?, ?, ?) ' +
    'on conflict (collection_id) do update set model_id = excluded.model_id, ' +
    'content_revision = excluded.content_revision, sequence = excluded.sequence, vector = excluded.vector',
  selectChanged: `select e.sequence as "sequence", e.collection_id as "collectionId", e.vector as "vector" from embeddings e
  where e.sequence > ? and e.model_id = ? order by e.sequence limit ?`,
  selectOutdated:
    'select c.id from collections c left join embeddings e on e.collection_id = c.id and ' +
    'e.content_revision = c.content_revision and e.model_id = ? where e.collection_id is null order by c.id',
  remove: 'delete from collections where id = ?',
  selectDue:
    'select id from jobs where kind = ? and given_up = false and asked > 0 and due_at <= ? ' +
    'and (leased_until is null or leased_until <= ?) order by due_at, id limit ?',
  claim:
    'update jobs set leased_until = ? where id = ? and given_up = false and asked > 0 and due_at <= ? ' +
    'and (leased_until is null or leased_until <= ?) returning id',
};

const bytesOf = (axis: number): Uint8Array =>
  new Uint8Array(Float32Array.from({ length: 768 }, (_, i) => (i === axis ? 1 : 0)).buffer);

const createEarlierVersion = (run: RunSql) => ({
  async put({ id, contentRevision }: Collection, axis: number, modelId = 'old'): Promise<void> {
    const [next] = await run<{ sequence: number | string }>(earlierStatements.next, [Date.now(), Date.now()]);
    await run(earlierStatements.put, [id, modelId, contentRevision, Number(next?.sequence), bytesOf(axis)]);
  },
  async readVectors(modelId = 'old'): Promise<readonly (readonly [string, number])[]> {
    const rows = await run<{ collectionId: string; vector: Uint8Array }>(earlierStatements.selectChanged, [
      0,
      modelId,
      99,
    ]);
    return rows.map(({ collectionId, vector }) => [collectionId, axisOf(vector)]);
  },
  listOutdated: async (): Promise<readonly string[]> =>
    (await run<{ id: string }>(earlierStatements.selectOutdated, ['old'])).map(({ id }) => id),
  remove: ({ id }: Collection) => run(earlierStatements.remove, [id]),
  findDue: async (now: number): Promise<readonly string[]> =>
    (await run<{ id: string }>(earlierStatements.selectDue, ['embed', now, now, 99])).map(({ id }) => id),
  claim: async (id: string, now: number): Promise<boolean> =>
    (await run(earlierStatements.claim, [now + 20_000, id, now, now])).length > 0,
});

const axisOf = (bytes: Uint8Array): number => new Float32Array(Uint8Array.from(bytes).buffer).indexOf(1);

const add = async ({ stores }: SqlStores): Promise<Collection> => {
  const collection = aCollection();
  await stores.collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const readVectors = async ({ stores }: SqlStores, modelId = 'old') =>
  (await stores.embeddings.listChangedSince(0, modelId, 99)).map(({ collectionId, vector }) => [
    collectionId,
    vector.indexOf(1),
  ]);

describeDialects(({ withDatabase }) => {
  /** Runs work on a database that release 0.1.0 and this version use at the same time. */
  const withBothVersions = (
    work: (parts: {
      readonly sqlStores: SqlStores;
      readonly earlierVersion: ReturnType<typeof createEarlierVersion>;
      readonly run: RunSql;
      readonly firstCollection: Collection;
      readonly secondCollection: Collection;
    }) => Promise<void>,
  ) =>
    withDatabase(async (open, run) => {
      const initialStores = await open();
      const [firstCollection, secondCollection] = [await add(initialStores), await add(initialStores)];
      await initialStores.close();
      const earlierVersion = createEarlierVersion(run);
      await earlierVersion.put(firstCollection, 1);
      await earlierVersion.put(secondCollection, 2);
      await run("update epochs set search_model = 'old'");
      const sqlStores = await open();
      await work({ sqlStores, earlierVersion, run, firstCollection, secondCollection });
      await sqlStores.close();
    });

  test('the embeddings of the earlier version are copied, and searches use its model', () =>
    withBothVersions(async ({ sqlStores, firstCollection, secondCollection }) => {
      expect(await readVectors(sqlStores)).toEqual([
        [firstCollection.id, 1],
        [secondCollection.id, 2],
      ]);
      const { serving, announcedModels } = await sqlStores.stores.models.readState();
      expect(serving).toBe('old');
      expect(announcedModels).toMatchObject([{ modelId: 'old', firstSeenAt: 0 }]);
      expect(Math.abs((announcedModels[0]?.lastSeenAt ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await sqlStores.stores.embeddings.listOutdated('old')).toEqual([]);
    }));

  test('later writes by the earlier version are visible, in the order of their sequence numbers', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, firstCollection, secondCollection }) => {
      const newCollection = await add(sqlStores);
      await earlierVersion.put(newCollection, 3);
      await earlierVersion.put(firstCollection, 4);
      expect(await readVectors(sqlStores)).toEqual([
        [secondCollection.id, 2],
        [newCollection.id, 3],
        [firstCollection.id, 4],
      ]);
      expect(await earlierVersion.readVectors()).toEqual(await readVectors(sqlStores));
    }));

  test('writes by this version with the earlier model are visible to the earlier version', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, firstCollection, secondCollection }) => {
      const newCollection = await add(sqlStores);
      await sqlStores.stores.models.announce('old', Date.now());
      await sqlStores.stores.embeddings.put(anEmbedding(newCollection, { modelId: 'old' }, 3));
      await sqlStores.stores.embeddings.put(anEmbedding(firstCollection, { modelId: 'old' }, 4));
      expect(await earlierVersion.readVectors()).toEqual([
        [secondCollection.id, 2],
        [newCollection.id, 3],
        [firstCollection.id, 4],
      ]);
      expect(await earlierVersion.listOutdated()).toEqual([]);
      await earlierVersion.put(firstCollection, 5);
      expect((await readVectors(sqlStores)).at(-1)).toEqual([firstCollection.id, 5]);
    }));

  test('writes by this version with a different model do not affect the earlier version', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, firstCollection, secondCollection }) => {
      await sqlStores.stores.models.announce('new', Date.now());
      for (const collection of [firstCollection, secondCollection])
        await sqlStores.stores.embeddings.put(anEmbedding(collection, { modelId: 'new' }, 7));
      expect(await sqlStores.stores.models.promote('old', 'new')).toBe(true);
      expect(await earlierVersion.readVectors()).toEqual([
        [firstCollection.id, 1],
        [secondCollection.id, 2],
      ]);
      expect(await earlierVersion.listOutdated()).toEqual([]);
      await earlierVersion.put(firstCollection, 8);
      expect(await readVectors(sqlStores, 'new')).toEqual([
        [firstCollection.id, 7],
        [secondCollection.id, 7],
      ]);
    }));

  test('deleting a collection in either version removes its embeddings from both tables', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, run, firstCollection, secondCollection }) => {
      await sqlStores.stores.embeddings.put(anEmbedding(secondCollection, { modelId: 'new' }));
      await earlierVersion.remove(firstCollection);
      expect(await readVectors(sqlStores)).toEqual([[secondCollection.id, 2]]);
      await sqlStores.stores.collections.remove(secondCollection.id, () => noEffects);
      for (const table of ['embeddings', 'collection_embeddings'])
        expect(await run(`select * from ${table}`, [])).toEqual([]);
    }));

  test('writing with the earlier version announces its model', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, run, firstCollection }) => {
      await run("update search_models set last_seen_at = 5 where model_id = 'old'");
      await sqlStores.stores.models.announce('other', 9);
      await earlierVersion.put(firstCollection, 1);
      await earlierVersion.put(firstCollection, 1, 'other');
      const { announcedModels } = await sqlStores.stores.models.readState();
      expect(announcedModels.map(({ modelId, firstSeenAt }) => [modelId, firstSeenAt])).toEqual([
        ['old', 0],
        ['other', 0],
      ]);
      for (const { lastSeenAt } of announcedModels) expect(lastSeenAt).toBeGreaterThan(Date.now() - 60_000);
    }));

  test('embeddings of the earlier version are removed only with the embeddings of its model', () =>
    withBothVersions(async ({ sqlStores, earlierVersion, firstCollection, secondCollection }) => {
      const { models, embeddings } = sqlStores.stores;
      for (const modelId of ['new', 'newest']) {
        await models.announce(modelId, Date.now());
        for (const collection of [firstCollection, secondCollection])
          await embeddings.put(anEmbedding(collection, { modelId }));
      }
      expect(await models.removeEmbeddings('newest', 9)).toBe(2);
      expect(await earlierVersion.readVectors()).toHaveLength(2);
      expect(await models.promote('old', 'new')).toBe(true);
      expect(await models.removeEmbeddings('old', 1)).toBe(1);
      expect(await earlierVersion.readVectors()).toHaveLength(1);
      expect(await models.removeEmbeddings('old', 9)).toBe(1);
      expect(await earlierVersion.readVectors()).toEqual([]);
      expect(await readVectors(sqlStores, 'new')).toHaveLength(2);
    }));

  test('the earlier version claims jobs for changed collections, but not jobs for embeddings that it already has', () =>
    withBothVersions(async ({ sqlStores, earlierVersion }) => {
      const { outbox, embeddingJobs } = sqlStores.stores;
      const [changedJob, missingJob] = [aJob(), aJob({ group: missingEmbeddings })];
      await embeddingJobs.enqueue(jobEffectsOf(changedJob, missingJob));
      expect(await earlierVersion.findDue(start)).toEqual([changedJob.id]);
      expect([
        await earlierVersion.claim(changedJob.id, start),
        await earlierVersion.claim(missingJob.id, start),
      ]).toEqual([true, false]);

      expect(await outbox.listDue('embed', start, 9)).toEqual([missingJob.id]);
      expect(await outbox.claim(missingJob.id, start, start + 5)).toMatchObject({ id: missingJob.id });
      expect(await outbox.claim(missingJob.id, start, start + 5)).toBeNull();
      await outbox.retry(missingJob.id, start + 9, 'busy');
      expect(await earlierVersion.claim(missingJob.id, start + 9)).toBe(false);
      expect(await outbox.claim(missingJob.id, start + 8, start + 12)).toBeNull();
      expect(await outbox.claim(missingJob.id, start + 9, start + 12)).toMatchObject({ attempts: 1 });
    }));
});
