import { aCollection, aContent, aJob, anEmbedding, jobsOnly, noEffects, start } from '@portico/contracts';
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
  changed: `select e.sequence as "sequence", e.collection_id as "collectionId", e.vector as "vector" from embeddings e
  where e.sequence > ? and e.model_id = ? order by e.sequence limit ?`,
  outdated:
    'select c.id from collections c left join embeddings e on e.collection_id = c.id and ' +
    'e.content_revision = c.content_revision and e.model_id = ? where e.collection_id is null order by c.id',
  remove: 'delete from collections where id = ?',
  due:
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
  async vectors(modelId = 'old'): Promise<readonly (readonly [string, number])[]> {
    const rows = await run<{ collectionId: string; vector: Uint8Array }>(earlierStatements.changed, [0, modelId, 99]);
    return rows.map(({ collectionId, vector }) => [collectionId, axisOf(vector)]);
  },
  outdated: async (): Promise<readonly string[]> =>
    (await run<{ id: string }>(earlierStatements.outdated, ['old'])).map(({ id }) => id),
  remove: ({ id }: Collection) => run(earlierStatements.remove, [id]),
  due: async (now: number): Promise<readonly string[]> =>
    (await run<{ id: string }>(earlierStatements.due, ['embed', now, now, 99])).map(({ id }) => id),
  claim: async (id: string, now: number): Promise<boolean> =>
    (await run(earlierStatements.claim, [now + 20_000, id, now, now])).length > 0,
});

const axisOf = (bytes: Uint8Array): number => new Float32Array(Uint8Array.from(bytes).buffer).indexOf(1);

const add = async ({ stores }: SqlStores): Promise<Collection> => {
  const collection = aCollection();
  await stores.collections.add(collection, aContent(), noEffects);
  return collection;
};

const vectors = async ({ stores }: SqlStores, modelId = 'old') =>
  (await stores.embeddings.changedSince(0, modelId, 99)).map(({ collectionId, vector }) => [
    collectionId,
    vector.indexOf(1),
  ]);

describeDialects(({ withDatabase }) => {
  /** Runs work on a database that release 0.1.0 and this version use at the same time. */
  const withBothVersions = (
    work: (parts: {
      readonly opened: SqlStores;
      readonly previous: ReturnType<typeof createEarlierVersion>;
      readonly run: RunSql;
      readonly one: Collection;
      readonly other: Collection;
    }) => Promise<void>,
  ) =>
    withDatabase(async (open, run) => {
      const first = await open();
      const [one, other] = [await add(first), await add(first)];
      await first.close();
      const previous = createEarlierVersion(run);
      await previous.put(one, 1);
      await previous.put(other, 2);
      await run("update epochs set search_model = 'old'");
      const opened = await open();
      await work({ opened, previous, run, one, other });
      await opened.close();
    });

  test('the embeddings of the earlier version are copied, and searches use its model', () =>
    withBothVersions(async ({ opened, one, other }) => {
      expect(await vectors(opened)).toEqual([
        [one.id, 1],
        [other.id, 2],
      ]);
      const { serving, announced } = await opened.stores.models.state();
      expect(serving).toBe('old');
      expect(announced).toMatchObject([{ modelId: 'old', firstSeenAt: 0 }]);
      expect(Math.abs((announced[0]?.lastSeenAt ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await opened.stores.embeddings.outdated('old')).toEqual([]);
    }));

  test('later writes of the earlier version are found, in the order of their sequences', () =>
    withBothVersions(async ({ opened, previous, one, other }) => {
      const created = await add(opened);
      await previous.put(created, 3);
      await previous.put(one, 4);
      expect(await vectors(opened)).toEqual([
        [other.id, 2],
        [created.id, 3],
        [one.id, 4],
      ]);
      expect(await previous.vectors()).toEqual(await vectors(opened));
    }));

  test('writes of this version with the earlier model are found by the earlier version', () =>
    withBothVersions(async ({ opened, previous, one, other }) => {
      const created = await add(opened);
      await opened.stores.models.announce('old', Date.now());
      await opened.stores.embeddings.put(anEmbedding(created, { modelId: 'old' }, 3));
      await opened.stores.embeddings.put(anEmbedding(one, { modelId: 'old' }, 4));
      expect(await previous.vectors()).toEqual([
        [other.id, 2],
        [created.id, 3],
        [one.id, 4],
      ]);
      expect(await previous.outdated()).toEqual([]);
      await previous.put(one, 5);
      expect((await vectors(opened)).at(-1)).toEqual([one.id, 5]);
    }));

  test('writes of this version with another model do not affect the earlier version', () =>
    withBothVersions(async ({ opened, previous, one, other }) => {
      await opened.stores.models.announce('new', Date.now());
      for (const collection of [one, other])
        await opened.stores.embeddings.put(anEmbedding(collection, { modelId: 'new' }, 7));
      expect(await opened.stores.models.promote('old', 'new')).toBe(true);
      expect(await previous.vectors()).toEqual([
        [one.id, 1],
        [other.id, 2],
      ]);
      expect(await previous.outdated()).toEqual([]);
      await previous.put(one, 8);
      expect(await vectors(opened, 'new')).toEqual([
        [one.id, 7],
        [other.id, 7],
      ]);
    }));

  test('a deletion by either version removes the embeddings from both tables', () =>
    withBothVersions(async ({ opened, previous, run, one, other }) => {
      await opened.stores.embeddings.put(anEmbedding(other, { modelId: 'new' }));
      await previous.remove(one);
      expect(await vectors(opened)).toEqual([[other.id, 2]]);
      await opened.stores.collections.remove(other.id, () => noEffects);
      for (const table of ['embeddings', 'collection_embeddings'])
        expect(await run(`select * from ${table}`, [])).toEqual([]);
    }));

  test('a write of the earlier version announces its model', () =>
    withBothVersions(async ({ opened, previous, run, one }) => {
      await run("update search_models set last_seen_at = 5 where model_id = 'old'");
      await opened.stores.models.announce('other', 9);
      await previous.put(one, 1);
      await previous.put(one, 1, 'other');
      const { announced } = await opened.stores.models.state();
      expect(announced.map(({ modelId, firstSeenAt }) => [modelId, firstSeenAt])).toEqual([
        ['old', 0],
        ['other', 0],
      ]);
      for (const { lastSeenAt } of announced) expect(lastSeenAt).toBeGreaterThan(Date.now() - 60_000);
    }));

  test('only removing the embeddings of its model removes embeddings of the earlier version', () =>
    withBothVersions(async ({ opened, previous, one, other }) => {
      const { models, embeddings } = opened.stores;
      for (const modelId of ['new', 'newest']) {
        await models.announce(modelId, Date.now());
        for (const collection of [one, other]) await embeddings.put(anEmbedding(collection, { modelId }));
      }
      expect(await models.removeEmbeddings('newest', 9)).toBe(2);
      expect(await previous.vectors()).toHaveLength(2);
      expect(await models.promote('old', 'new')).toBe(true);
      expect(await models.removeEmbeddings('old', 1)).toBe(1);
      expect(await previous.vectors()).toHaveLength(1);
      expect(await models.removeEmbeddings('old', 9)).toBe(1);
      expect(await previous.vectors()).toEqual([]);
      expect(await vectors(opened, 'new')).toHaveLength(2);
    }));

  test('the earlier version takes jobs for changed collections, but no jobs for embeddings that it does not lack', () =>
    withBothVersions(async ({ opened, previous }) => {
      const { outbox, embeddingJobs } = opened.stores;
      const [changed, missing] = [aJob(), aJob({ group: missingEmbeddings })];
      await embeddingJobs.enqueue(jobsOnly(changed, missing));
      expect(await previous.due(start)).toEqual([changed.id]);
      expect([await previous.claim(changed.id, start), await previous.claim(missing.id, start)]).toEqual([true, false]);

      expect(await outbox.due('embed', start, 9)).toEqual([missing.id]);
      expect(await outbox.claim(missing.id, start, start + 5)).toMatchObject({ id: missing.id });
      expect(await outbox.claim(missing.id, start, start + 5)).toBeNull();
      await outbox.retry(missing.id, start + 9, 'busy');
      expect(await previous.claim(missing.id, start + 9)).toBe(false);
      expect(await outbox.claim(missing.id, start + 8, start + 12)).toBeNull();
      expect(await outbox.claim(missing.id, start + 9, start + 12)).toMatchObject({ attempts: 1 });
    }));
});
