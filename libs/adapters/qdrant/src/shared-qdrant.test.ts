import { createEmbeddingChanges, type EmbeddingChanges, vectorTowards } from '@portico/contracts';
import { startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from './connect.ts';
import { aliasOf } from './generations.ts';
import { QdrantServer } from './qdrant-server.ts';
import { collectionsOf, createSubject, expectSame, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeInEachTest, time, until } from '../test/time.ts';

const installation = 'shared';
const alias = aliasOf(installation, 'm');
const among = Array.from({ length: 40 }, (_, i) => idOf(i));
let fake: Awaited<ReturnType<typeof startFakeQdrant>>;
let embeddings: EmbeddingChanges;
let open: Subject[];

stopTimeInEachTest();
beforeEach(async () => {
  fake = await startFakeQdrant();
  embeddings = createEmbeddingChanges();
  open = [];
});
afterEach(async () => {
  for (const subject of open) await time().advanceUntil(subject.close());
  await fake.close();
});

/**
 * Starts a process of the installation. A different database stands for a restored backup, or for a different
 * installation.
 */
const startProcess = (changes: Partial<Parameters<typeof createSubject>[0]> = {}): Subject => {
  const subject = createSubject({ url: fake.url, installation, embeddings, ...changes });
  open.push(subject);
  return subject;
};
const put = (number: number, towards: readonly number[], modelId = 'm'): number =>
  embeddings.put({ modelId, collectionId: idOf(number), vector: vectorTowards(...towards) });
const searchExpectingTruth = async (subject: Subject, asOf: number, modelId = 'm') => {
  const query = queryOf({ among, asOf, modelId, limit: 100 });
  const { matches, isFallback } = await subject.index.search(query);
  expectSame(matches, (await subject.truth.search(query)).matches);
  return isFallback ? 'database' : 'qdrant';
};
/** Returns a view of the database that blocks after a matching read, until it is released. */
const blockReads = (isBlocked: (after: number) => boolean) => {
  const [readSignal, releaseSignal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changedSince: EmbeddingChanges['changedSince'] = async (after, modelId, limit) => {
    const changes = await embeddings.changedSince(after, modelId, limit);
    // The tests' reference index reads everything in one call.
    if (limit < Number.MAX_SAFE_INTEGER && isBlocked(after)) {
      readSignal.resolve();
      await releaseSignal.promise;
    }
    return changes;
  };
  return {
    embeddings: { ...embeddings, changedSince },
    read: readSignal.promise,
    release: () => releaseSignal.resolve(),
  };
};
const messages = ({ log }: Subject) => log.messages();
const isWrite = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'PUT' || path.endsWith('/batch') || path.endsWith('/delete');

describe('fake Qdrant: two processes', () => {
  test('a vector stored by one is found by the other, and written only once', async () => {
    const [one, other] = [startProcess(), startProcess()];
    expect(await searchExpectingTruth(one, put(0, [1]))).toBe('qdrant');
    expect(await searchExpectingTruth(other, put(1, [1, 1]))).toBe('qdrant');
    const asOf = put(2, [3, 4]);
    expect(await searchExpectingTruth(one, asOf)).toBe('qdrant');
    fake.calls.length = 0;
    expect(await searchExpectingTruth(other, asOf)).toBe('qdrant');
    expect(fake.calls.filter(isWrite)).toEqual([]);
  });

  test('a late write of an older vector does not replace a newer one', async () => {
    const one = startProcess();
    const blocked = blockReads((after) => after > 0);
    const slow = startProcess({ embeddings: blocked.embeddings });
    const first = put(0, [0, 1]);
    for (const subject of [one, slow]) await searchExpectingTruth(subject, first);
    const result = slow.index.search(queryOf({ among, asOf: put(0, [3, 4]) }));
    await blocked.read;
    const asOf = put(0, [1]);
    expect(await searchExpectingTruth(one, asOf)).toBe('qdrant');
    blocked.release();
    await result;
    expect(await searchExpectingTruth(one, asOf)).toBe('qdrant');
    expect(await searchExpectingTruth(startProcess(), asOf)).toBe('qdrant');
  });

  test('a write overtaken by a newer one changes nothing', async () => {
    const one = startProcess();
    const asOf = put(0, [1]);
    await searchExpectingTruth(one, asOf);
    const { current } = await collectionsOf(fake.url, installation);
    const server = new QdrantServer(fake.url, null, defaultLimits);
    const older = { collectionId: idOf(0), modelId: 'm', vector: vectorTowards(0, 1) };
    const missing = { collectionId: idOf(1), modelId: 'm', vector: vectorTowards(3, 4), sequence: 0 };
    await server.writeNewer(current ?? '', [{ ...older, sequence: asOf - 1 }, { ...older, sequence: asOf }, missing]);
    const { matches } = await one.index.search(queryOf({ among, asOf }));
    expect(matches.map(({ collectionId }) => collectionId)).toEqual([idOf(0), idOf(1)]);
    expect(matches[0]?.score).toBeCloseTo(1, 6);
  });

  test('a removal reaches a collection rebuilt by another process', async () => {
    const [one, other] = [startProcess(), startProcess()];
    put(0, [1]);
    const asOf = put(1, [1, 1]);
    await searchExpectingTruth(one, asOf);
    await other.index.rebuild('m');
    embeddings.remove(idOf(0));
    await one.index.remove(idOf(0));
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(1);
  });

  test('processes that start simultaneously on an empty Qdrant all work, and one collection remains', async () => {
    const asOf = put(0, [1]);
    const processes = Array.from({ length: 4 }, () => startProcess());
    await Promise.all(processes.map((subject) => searchExpectingTruth(subject, asOf)));
    await startProcess().index.rebuild('m');
    const next = put(1, [1, 1]);
    for (const subject of processes) {
      await searchExpectingTruth(subject, next);
      await until(async () => (await searchExpectingTruth(subject, next)) === 'qdrant');
    }
    await until(async () => {
      const { names, current } = await collectionsOf(fake.url, installation);
      return names.length === 1 && names[0] === current;
    });
  });
});

describe('fake Qdrant: a rebuild', () => {
  test('does not interrupt searches, which find vectors stored in the meantime', async () => {
    for (let i = 0; i < 30; i += 1) put(i, [1, i]);
    const [one, other] = [startProcess(), startProcess()];
    const asOf = put(30, [1, 30]);
    await Promise.all([searchExpectingTruth(one, asOf), searchExpectingTruth(other, asOf)]);
    const before = await collectionsOf(fake.url, installation);
    let isDone = false;
    let searches = 0;
    // Each loop has its own ids, so it knows the expected result: the vector that it just stored, and all collections.
    const searching = [one, other].map(async ({ index }, n) => {
      for (let i = 0; !isDone; i = (i + 1) % 15) {
        const collectionId = idOf(n * 15 + i);
        const sequence = put(n * 15 + i, [3, 4, searches]);
        const length = Math.hypot(3, 4, searches);
        const { matches } = await index.search(queryOf({ among, asOf: sequence, limit: 100 }));
        expect(matches).toHaveLength(31);
        const score = matches.find((match) => match.collectionId === collectionId)?.score;
        expect(score).toBeCloseTo(3 / length, 6);
        searches += 1;
        await new Promise(setImmediate);
      }
    });
    const progress: number[] = [];
    for (let i = 0; i < 3; i += 1) await one.index.rebuild('m', (written) => progress.push(written));
    await until(() => searches > 20);
    isDone = true;
    await Promise.all(searching);
    expect(progress.at(-1)).toBe(31);
    // Search as of the last write: an index may lack vectors that were stored after the requested sequence.
    const latest = put(30, [1, 31]);
    for (const subject of [one, other])
      await until(async () => (await searchExpectingTruth(subject, latest)) === 'qdrant');
    const after = await collectionsOf(fake.url, installation);
    expect(after.names).toEqual([after.current]);
    expect(after.current).not.toBe(before.current);
  });

  test('rejects with the reason if it fails, and the current collection stays in use', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchExpectingTruth(subject, asOf);
    const { current } = await collectionsOf(fake.url, installation);
    fake.faults.set('507', (method, path) => method === 'PUT' && path.endsWith('/points'));
    await expect(subject.index.rebuild('m')).rejects.toThrow('507');
    fake.faults.set(null);
    expect(await searchExpectingTruth(subject, asOf)).toBe('qdrant');
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current, names: [current] });
  });

  test('removes the vector of a collection that was deleted after it was written', async () => {
    for (let i = 0; i < 600; i += 1) put(i, [1, i]);
    const one = startProcess();
    await searchExpectingTruth(one, put(600, [1, 600]));
    const blocked = blockReads((after) => after > 0);
    const rebuilding = startProcess({ embeddings: blocked.embeddings }).index.rebuild('m');
    await blocked.read;
    embeddings.remove(idOf(0));
    await one.index.remove(idOf(0));
    blocked.release();
    await rebuilding;
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(600);
    expect(await client.retrieve(current ?? '', { ids: [idOf(0)] })).toEqual([]);
  });

  test('omits a vector that was read before its collection was deleted, and the next comparison removes it', async () => {
    put(0, [1]);
    const one = startProcess();
    const asOf = put(1, [1, 1]);
    await searchExpectingTruth(one, asOf);
    const blocked = blockReads(() => true);
    const filling = startProcess({ embeddings: blocked.embeddings });
    const rebuilding = filling.index.rebuild('m');
    await blocked.read;
    embeddings.remove(idOf(0));
    await one.index.remove(idOf(0));
    blocked.release();
    await rebuilding;
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(2);
    // A search lists only existing collections.
    const { matches, isFallback } = await filling.index.search(queryOf({ among: [idOf(1)], asOf, limit: 1 }));
    expect(isFallback).toBe(false);
    expect(matches.map(({ collectionId }) => collectionId)).toEqual([idOf(1)]);
    expect(await searchExpectingTruth(startProcess(), asOf)).toBe('qdrant');
    expect((await client.count(current ?? '')).count).toBe(1);
  });

  test('rejects if a simultaneous rebuild started later, which wins', async () => {
    const asOf = put(0, [1]);
    const blocked = blockReads(() => true);
    const earlier = startProcess({ embeddings: blocked.embeddings });
    const rejection = expect(earlier.index.rebuild('m')).rejects.toThrow(
      'another process has filled a newer collection meanwhile',
    );
    await blocked.read;
    const later = startProcess();
    await later.index.rebuild('m');
    blocked.release();
    await rejection;
    for (const subject of [earlier, later]) {
      await until(async () => (await searchExpectingTruth(subject, asOf)) === 'qdrant');
    }
    const { names, current } = await collectionsOf(fake.url, installation);
    expect(names).toEqual([current]);
  });

  test('does not replace a newer collection if it finishes late', async () => {
    put(0, [1]);
    const blocked = blockReads(() => true);
    const rejection = expect(startProcess({ embeddings: blocked.embeddings }).index.rebuild('m')).rejects.toThrow(
      'newer',
    );
    await blocked.read;
    const { client } = await collectionsOf(fake.url, installation);
    const newer = `${alias}-g${Date.now() + 1_000}-abcd`;
    await client.createCollection(newer, { vectors: { size: 768, distance: 'Cosine' } });
    await client.updateCollectionAliases({
      actions: [{ create_alias: { alias_name: alias, collection_name: newer } }],
    });
    blocked.release();
    await rejection;
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current: newer, names: [newer] });
  });

  test('replaces a collection of a machine with a clock that is ahead', async () => {
    const asOf = put(0, [1]);
    const { client } = await collectionsOf(fake.url, installation);
    const ahead = `${alias}-g${Date.now() + 600_000}-abcd`;
    await client.createCollection(ahead, { vectors: { size: 768, distance: 'Cosine' } });
    await client.updateCollectionAliases({
      actions: [{ create_alias: { alias_name: alias, collection_name: ahead } }],
    });
    const subject = startProcess();
    await subject.index.rebuild('m');
    expect(await searchExpectingTruth(subject, asOf)).toBe('qdrant');
    const { names, current } = await collectionsOf(fake.url, installation);
    expect(names).toEqual([current]);
    expect(current).not.toBe(ahead);
  });

  test('leaves no collection behind if the process closes while filling it', async () => {
    for (let i = 0; i < 600; i += 1) put(i, [1, i]);
    const blocked = blockReads(() => true);
    const subject = startProcess({ embeddings: blocked.embeddings });
    subject.index.prepare('m', 0);
    await blocked.read;
    expect((await collectionsOf(fake.url, installation)).names).toHaveLength(1);
    const closed = subject.close();
    blocked.release();
    await closed;
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current: null, names: [] });
  });

  test('left behind by a crash is removed on a later start, unless it may still be filling', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchExpectingTruth(subject, asOf);
    const { client, current } = await collectionsOf(fake.url, installation);
    const [old, fresh, foreign] = [`${alias}-g1000-abcd`, `${alias}-g${Date.now() + 1_000}-abcd`, `${alias}-gone`];
    for (const collection of [old, fresh, foreign]) {
      await client.createCollection(collection, { vectors: { size: 768, distance: 'Cosine' } });
    }
    await searchExpectingTruth(startProcess(), asOf);
    await until(async () => !(await collectionsOf(fake.url, installation)).names.includes(old));
    expect(new Set((await collectionsOf(fake.url, installation)).names)).toEqual(new Set([current, fresh, foreign]));
  });
});

describe('fake Qdrant: startup', () => {
  test('repairs differences from the database: missing, older, newer and superfluous vectors', async () => {
    const first = startProcess();
    for (let i = 0; i < 6; i += 1) put(i, [1, i]);
    await searchExpectingTruth(first, put(6, [1, 6]));
    const { client, current } = await collectionsOf(fake.url, installation);
    await client.delete(current ?? '', { wait: true, points: [idOf(0)] });
    embeddings.remove(idOf(2));
    put(3, [-1]);
    const wrong = (number: number, sequence: number) => ({
      id: idOf(number),
      vector: [...vectorTowards(0, 1)],
      payload: { model: 'm', sequence },
    });
    // One point is newer than the database, which is now an older backup; the other is missing from the database.
    await client.upsert(current ?? '', { wait: true, points: [wrong(4, 1_000), wrong(20, 1_001)] });
    const second = startProcess();
    expect(await searchExpectingTruth(second, put(5, [1, 0.5]))).toBe('qdrant');
    expect(messages(second)).toContain('The vectors in Qdrant were brought in line with the database');
    const { points } = await client.scroll(current ?? '', { limit: 100 });
    expect(points.map(({ id }) => id).sort()).toEqual([0, 1, 3, 4, 5, 6].map(idOf));
  });

  test('a collection of other vectors causes a warning, and a new one is filled next to it', async () => {
    const { client } = await collectionsOf(fake.url, installation);
    for (const [collection, vectors] of [
      ['small', { size: 3, distance: 'Cosine' }],
      ['dotted', { size: 768, distance: 'Dot' }],
    ] as const) {
      await client.createCollection(collection, { vectors });
      await client.updateCollectionAliases({
        actions: [{ create_alias: { alias_name: alias, collection_name: collection } }],
      });
      const subject = startProcess();
      expect(await searchExpectingTruth(subject, put(0, [1]))).toBe('qdrant');
      expect(JSON.stringify(subject.log.lines)).toContain('not 768 with Cosine');
      expect((await client.collectionExists(collection)).exists).toBe(true);
    }
  });

  test('a lost collection causes a warning', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchExpectingTruth(subject, asOf);
    fake.forget();
    await until(async () => (await searchExpectingTruth(subject, asOf)) === 'qdrant');
    expect(subject.log.messages('warn')).toEqual(['The collection in Qdrant is gone; a new one is being filled']);
  });

  test('many vectors are written in the background, and the database answers meanwhile', async () => {
    for (let i = 0; i < 700; i += 1) put(i, [1, i]);
    const asOf = put(700, [1, 700]);
    const blocked = blockReads(() => true);
    const subject = startProcess({ embeddings: blocked.embeddings });
    expect(await time().advanceUntil(searchExpectingTruth(subject, asOf))).toBe('database');
    expect(messages(subject)).toContain(
      'The vectors are being written to Qdrant; the database answers searches meanwhile',
    );
    expect(await searchExpectingTruth(subject, asOf)).toBe('database');
    blocked.release();
    await until(async () => (await searchExpectingTruth(subject, asOf)) === 'qdrant');
    expect(messages(subject)).toContain('Qdrant answers searches again');
  });

  test('the collection can be prepared before the first search', async () => {
    const asOf = put(0, [1]);
    const subject = startProcess();
    subject.index.prepare('m', 0);
    await time().pollInRealTime(() => expect(fake.calls.map(({ path }) => path)).toContain('/collections/aliases'));
    expect(await searchExpectingTruth(subject, asOf)).toBe('qdrant');
  });
});

describe('fake Qdrant: another model', () => {
  test('vectors of two models are never compared, even while one replaces the other', async () => {
    for (let i = 0; i < 10; i += 1) put(i, [1, i]);
    const [old, young] = [startProcess(), startProcess()];
    await searchExpectingTruth(old, 10);
    for (let i = 0; i < 10; i += 1) {
      const asOf = put(i, [i, 1], 'm2');
      expect(await searchExpectingTruth(young, asOf, 'm2')).toBe('qdrant');
      expect(await searchExpectingTruth(old, asOf)).toBe('qdrant');
    }
    expect((await young.index.search(queryOf({ among, asOf: 20 }))).matches).toHaveLength(10);
  });
});

describe('fake Qdrant: the embedded index as a fallback', () => {
  test('returns the same results', async () => {
    const asOf = put(0, [1]);
    const fallback = createEmbeddedVectorIndex({ embeddings });
    const { matches } = await fallback.search(queryOf({ among, asOf }));
    expectSame((await startProcess().index.search(queryOf({ among, asOf }))).matches, matches);
  });
});
