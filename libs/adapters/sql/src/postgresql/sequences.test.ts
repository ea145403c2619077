import { setTimeout } from 'node:timers/promises';
import { aCollection, aContent, anEmbedding, noEffects, start } from '@portico/contracts';
import type { Collection, EmbeddingChange } from '@portico/domain';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newMigratedDatabase, postgres } from '../../test/with-postgresql.ts';
import { openSqlStores, type SqlStores } from '../index.ts';

const changeLock = 'select pg_advisory_xact_lock(1886351988, 1)';
const reviseCollection = 'update collections set content_revision = content_revision + 1 where id = $1';
const touchCatalog = 'update epochs set catalog = catalog + 1';

describe.skipIf(!postgres)('two processes that write embeddings', () => {
  let a: SqlStores;
  let b: SqlStores;
  /** The connection of another program; the tests hold its transactions open. */
  let other: Client;

  beforeEach(async () => {
    const url = await newMigratedDatabase();
    [a, b] = await Promise.all([
      openSqlStores({ kind: 'postgresql', url }),
      openSqlStores({ kind: 'postgresql', url }),
    ]);
    other = new Client({ connectionString: url });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await Promise.all([a.close(), b.close()]);
  });

  const addCollection = async (): Promise<Collection> => {
    const collection = aCollection();
    await a.stores.collections.add(collection, aContent(), noEffects);
    return collection;
  };
  const untilWaiting = async (count: number): Promise<void> => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await other.query(text)).rowCount !== count) await setTimeout(5);
  };
  const changesAfter = (sequence: number) => b.stores.embeddings.changedSince(sequence, 'm1', 1_000);

  test('show no sequence while a smaller one is not committed', async () => {
    const [slow, quick] = [await addCollection(), await addCollection()];
    await a.stores.embeddings.put(anEmbedding(slow));
    const before = (await b.stores.models.state()).epochs.embeddings;
    await other.query('begin');
    await other.query('select from collection_embeddings where collection_id = $1 for update', [slow.id]);
    const puts = [a.stores.embeddings.put(anEmbedding(slow, {}, 1))];
    await untilWaiting(1);
    puts.push(b.stores.embeddings.put(anEmbedding(quick)));
    await untilWaiting(2);
    expect((await b.stores.models.state()).epochs.embeddings).toBe(before);
    expect(await changesAfter(before)).toEqual([]);
    await other.query('commit');
    expect(await Promise.all(puts)).toEqual([true, true]);
    const ids = (await changesAfter(before)).map(({ collectionId }) => collectionId);
    expect(ids).toEqual([slow.id, quick.id]);
  });

  test('hide no change from a follower, even if they write many concurrently', async () => {
    const collections = await Promise.all(Array.from({ length: 8 }, addCollection));
    let isDone = false;
    const changes: EmbeddingChange[] = [];
    const follower = (async () => {
      for (let last = false; !last;) {
        last = isDone;
        changes.push(...(await changesAfter(changes.at(-1)?.sequence ?? 0)));
      }
    })();
    const put = ({ stores }: SqlStores, round: number) =>
      Promise.all(collections.map((collection) => stores.embeddings.put(anEmbedding(collection, {}, round))));
    for (let round = 0; round < 3; round += 1) await Promise.all([put(a, round), put(b, round)]);
    isDone = true;
    await follower;
    const latest = new Map(changes.map(({ collectionId, sequence }) => [collectionId, sequence]));
    const stored = (await changesAfter(0)).map(({ collectionId, sequence }) => [collectionId, sequence] as const);
    expect(latest).toEqual(new Map(stored));
  });

  test('do not wait for an open change', async () => {
    const collection = await addCollection();
    await other.query('begin');
    await other.query(changeLock);
    expect(await a.stores.embeddings.put(anEmbedding(collection))).toBe(true);
    await other.query('commit');
  });

  test('store no embedding of a text that is replaced in the meantime', async () => {
    const collection = await addCollection();
    await other.query('begin');
    await other.query(reviseCollection, [collection.id]);
    await other.query(touchCatalog);
    const put = a.stores.embeddings.put(anEmbedding(collection));
    await untilWaiting(1);
    await other.query('commit');
    expect(await put).toBe(false);
    expect(await changesAfter(0)).toEqual([]);
  });

  test('keep a model from being promoted past an embedding that is not committed yet', async () => {
    const [done, late] = [await addCollection(), await addCollection()];
    await a.stores.models.announce('m1', start);
    await b.stores.models.promote(null, 'm1');
    for (const modelId of ['m1', 'm2']) await a.stores.embeddings.put(anEmbedding(done, { modelId }));
    await other.query('begin');
    await other.query('select from collections where id = $1 for update', [late.id]);
    const put = a.stores.embeddings.put(anEmbedding(late, { modelId: 'm1' }));
    await untilWaiting(1);
    const promotion = b.stores.models.promote('m1', 'm2');
    await untilWaiting(2);
    await other.query('commit');
    expect(await put).toBe(true);
    expect(await promotion).toBe(false);
  });
});
