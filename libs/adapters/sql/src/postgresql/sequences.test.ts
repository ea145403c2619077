import { setTimeout } from 'node:timers/promises';
import { aCollection, aDocumentContent, anEmbedding, noEffects, start } from '@portico/contracts';
import type { Collection, EmbeddingChange } from '@portico/domain';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMigratedDatabase, postgres } from '../../test/with-postgresql.ts';
import { openSqlStores, type SqlStores } from '../index.ts';

const changeLock = 'select pg_advisory_xact_lock(1886351988, 1)';
const reviseCollection = 'update collections set content_revision = content_revision + 1 where id = $1';
const touchCatalog = 'update epochs set catalog = catalog + 1';

describe.skipIf(!postgres)('two processes that write embeddings', () => {
  let a: SqlStores;
  let b: SqlStores;
  /** The connection of another program; the tests hold its transactions open. */
  let otherClient: Client;

  beforeEach(async () => {
    const url = await createMigratedDatabase();
    [a, b] = await Promise.all([
      openSqlStores({ kind: 'postgresql', url }),
      openSqlStores({ kind: 'postgresql', url }),
    ]);
    otherClient = new Client({ connectionString: url });
    await otherClient.connect();
  });
  afterEach(async () => {
    await otherClient.end();
    await Promise.all([a.close(), b.close()]);
  });

  const addCollection = async (): Promise<Collection> => {
    const collection = aCollection();
    await a.stores.collections.add(collection, aDocumentContent(), noEffects);
    return collection;
  };
  const waitForBlocked = async (count: number): Promise<void> => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await otherClient.query(text)).rowCount !== count) await setTimeout(5);
  };
  const readChangesAfter = (sequence: number) => b.stores.embeddings.listChangedSince(sequence, 'm1', 1_000);

  test('do not show a sequence number before all smaller ones are committed', async () => {
    const [slowCollection, quickCollection] = [await addCollection(), await addCollection()];
    await a.stores.embeddings.put(anEmbedding(slowCollection));
    const sequenceBefore = (await b.stores.models.readState()).epochs.embeddings;
    await otherClient.query('begin');
    await otherClient.query('select from collection_embeddings where collection_id = $1 for update', [
      slowCollection.id,
    ]);
    const pendingPuts = [a.stores.embeddings.put(anEmbedding(slowCollection, {}, 1))];
    await waitForBlocked(1);
    pendingPuts.push(b.stores.embeddings.put(anEmbedding(quickCollection)));
    await waitForBlocked(2);
    expect((await b.stores.models.readState()).epochs.embeddings).toBe(sequenceBefore);
    expect(await readChangesAfter(sequenceBefore)).toEqual([]);
    await otherClient.query('commit');
    expect(await Promise.all(pendingPuts)).toEqual([true, true]);
    const ids = (await readChangesAfter(sequenceBefore)).map(({ collectionId }) => collectionId);
    expect(ids).toEqual([slowCollection.id, quickCollection.id]);
  });

  test('do not hide changes from a follower, even if they write many concurrently', async () => {
    const collections = await Promise.all(Array.from({ length: 8 }, addCollection));
    let isDone = false;
    const changes: EmbeddingChange[] = [];
    const follower = (async () => {
      for (let isLast = false; !isLast;) {
        isLast = isDone;
        changes.push(...(await readChangesAfter(changes.at(-1)?.sequence ?? 0)));
      }
    })();
    const put = ({ stores }: SqlStores, round: number) =>
      Promise.all(collections.map((collection) => stores.embeddings.put(anEmbedding(collection, {}, round))));
    for (let round = 0; round < 3; round += 1) await Promise.all([put(a, round), put(b, round)]);
    isDone = true;
    await follower;
    const followedSequences = new Map(changes.map(({ collectionId, sequence }) => [collectionId, sequence]));
    const storedSequences = (await readChangesAfter(0)).map(
      ({ collectionId, sequence }) => [collectionId, sequence] as const,
    );
    expect(followedSequences).toEqual(new Map(storedSequences));
  });

  test('do not wait for an open change', async () => {
    const collection = await addCollection();
    await otherClient.query('begin');
    await otherClient.query(changeLock);
    expect(await a.stores.embeddings.put(anEmbedding(collection))).toBe(true);
    await otherClient.query('commit');
  });

  test('do not store an embedding of a revision of the text that is replaced in the meantime', async () => {
    const collection = await addCollection();
    await otherClient.query('begin');
    await otherClient.query(reviseCollection, [collection.id]);
    await otherClient.query(touchCatalog);
    const put = a.stores.embeddings.put(anEmbedding(collection));
    await waitForBlocked(1);
    await otherClient.query('commit');
    expect(await put).toBe(false);
    expect(await readChangesAfter(0)).toEqual([]);
  });

  test('do not promote a model while one of its embeddings is not committed yet', async () => {
    const [embeddedCollection, lateCollection] = [await addCollection(), await addCollection()];
    await a.stores.models.announce('m1', start);
    await b.stores.models.promote(null, 'm1');
    for (const modelId of ['m1', 'm2']) await a.stores.embeddings.put(anEmbedding(embeddedCollection, { modelId }));
    await otherClient.query('begin');
    await otherClient.query('select from collections where id = $1 for update', [lateCollection.id]);
    const put = a.stores.embeddings.put(anEmbedding(lateCollection, { modelId: 'm1' }));
    await waitForBlocked(1);
    const pendingPromotion = b.stores.models.promote('m1', 'm2');
    await waitForBlocked(2);
    await otherClient.query('commit');
    expect(await put).toBe(true);
    expect(await pendingPromotion).toBe(false);
  });
});
