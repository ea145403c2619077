import { createEmbeddingChanges, type EmbeddingChanges, createVectorTowards } from '@portico/contracts';
import { startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from './connect.ts';
import { aliasOf } from './generations.ts';
import { QdrantServer } from './qdrant-server.ts';
import { collectionsOf, createSubject, expectSameMatches, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeInEachTest, time, waitUntil } from '../test/time.ts';

const installation = 'shared';
const alias = aliasOf(installation, 'm');
const candidateIds = Array.from({ length: 40 }, (_, i) => idOf(i));
let fake: Awaited<ReturnType<typeof startFakeQdrant>>;
let embeddings: EmbeddingChanges;
let openSubjects: Subject[];

stopTimeInEachTest();
beforeEach(async () => {
  fake = await startFakeQdrant();
  embeddings = createEmbeddingChanges();
  openSubjects = [];
});
afterEach(async () => {
  for (const subject of openSubjects) await time().advanceUntil(subject.close());
  await fake.close();
});

/**
 * Starts a process of the installation. A different database stands for a restored backup, or for a different
 * installation.
 */
const startProcess = (overrides: Partial<Parameters<typeof createSubject>[0]> = {}): Subject => {
  const subject = createSubject({ url: fake.url, installation, embeddings, ...overrides });
  openSubjects.push(subject);
  return subject;
};
const put = (number: number, direction: readonly number[], modelId = 'm'): number =>
  embeddings.put({ modelId, collectionId: idOf(number), vector: createVectorTowards(...direction) });
const searchAndVerify = async (subject: Subject, asOf: number, modelId = 'm') => {
  const query = queryOf({ candidateIds, asOf, modelId, limit: 100 });
  const { matches, isFallback } = await subject.index.search(query);
  expectSameMatches(matches, (await subject.referenceIndex.search(query)).matches);
  return isFallback ? 'database' : 'qdrant';
};
/** Returns a view of the database that blocks after a matching read, until it is released. */
const blockReads = (isBlocked: (after: number) => boolean) => {
  const [readSignal, releaseSignal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listChangedSince: EmbeddingChanges['listChangedSince'] = async (after, modelId, limit) => {
    const changes = await embeddings.listChangedSince(after, modelId, limit);
    // The tests' reference index reads everything in one call.
    if (limit < Number.MAX_SAFE_INTEGER && isBlocked(after)) {
      readSignal.resolve();
      await releaseSignal.promise;
    }
    return changes;
  };
  return {
    embeddings: { ...embeddings, listChangedSince },
    read: readSignal.promise,
    release: () => releaseSignal.resolve(),
  };
};
const listMessages = ({ log }: Subject) => log.messages();
const isWrite = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'PUT' || path.endsWith('/batch') || path.endsWith('/delete');

describe('fake Qdrant: two processes', () => {
  test('a vector stored by one is found by the other, and written only once', async () => {
    const [firstProcess, otherProcess] = [startProcess(), startProcess()];
    expect(await searchAndVerify(firstProcess, put(0, [1]))).toBe('qdrant');
    expect(await searchAndVerify(otherProcess, put(1, [1, 1]))).toBe('qdrant');
    const asOf = put(2, [3, 4]);
    expect(await searchAndVerify(firstProcess, asOf)).toBe('qdrant');
    fake.calls.length = 0;
    expect(await searchAndVerify(otherProcess, asOf)).toBe('qdrant');
    expect(fake.calls.filter(isWrite)).toEqual([]);
  });

  test('a late write of an older vector does not replace a newer one', async () => {
    const firstProcess = startProcess();
    const blockedReads = blockReads((after) => after > 0);
    const slowProcess = startProcess({ embeddings: blockedReads.embeddings });
    const firstSequence = put(0, [0, 1]);
    for (const subject of [firstProcess, slowProcess]) await searchAndVerify(subject, firstSequence);
    const result = slowProcess.index.search(queryOf({ candidateIds, asOf: put(0, [3, 4]) }));
    await blockedReads.read;
    const asOf = put(0, [1]);
    expect(await searchAndVerify(firstProcess, asOf)).toBe('qdrant');
    blockedReads.release();
    await result;
    expect(await searchAndVerify(firstProcess, asOf)).toBe('qdrant');
    expect(await searchAndVerify(startProcess(), asOf)).toBe('qdrant');
  });

  test('a write that is overtaken by a newer one has no effect', async () => {
    const firstProcess = startProcess();
    const asOf = put(0, [1]);
    await searchAndVerify(firstProcess, asOf);
    const { current } = await collectionsOf(fake.url, installation);
    const server = new QdrantServer(fake.url, null, defaultLimits);
    const olderPoint = { collectionId: idOf(0), modelId: 'm', vector: createVectorTowards(0, 1) };
    const missingPoint = { collectionId: idOf(1), modelId: 'm', vector: createVectorTowards(3, 4), sequence: 0 };
    await server.writeNewer(current ?? '', [
      { ...olderPoint, sequence: asOf - 1 },
      { ...olderPoint, sequence: asOf },
      missingPoint,
    ]);
    const { matches } = await firstProcess.index.search(queryOf({ candidateIds, asOf }));
    expect(matches.map(({ collectionId }) => collectionId)).toEqual([idOf(0), idOf(1)]);
    expect(matches[0]?.score).toBeCloseTo(1, 6);
  });

  test('a removed vector is also removed from a collection that another process rebuilt', async () => {
    const [firstProcess, otherProcess] = [startProcess(), startProcess()];
    put(0, [1]);
    const asOf = put(1, [1, 1]);
    await searchAndVerify(firstProcess, asOf);
    await otherProcess.index.rebuild('m');
    embeddings.remove(idOf(0));
    await firstProcess.index.remove(idOf(0));
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(1);
  });

  test('processes that start simultaneously with an empty Qdrant all succeed, and one collection remains', async () => {
    const asOf = put(0, [1]);
    const processes = Array.from({ length: 4 }, () => startProcess());
    await Promise.all(processes.map((subject) => searchAndVerify(subject, asOf)));
    await startProcess().index.rebuild('m');
    const nextSequence = put(1, [1, 1]);
    for (const subject of processes) {
      await searchAndVerify(subject, nextSequence);
      await waitUntil(async () => (await searchAndVerify(subject, nextSequence)) === 'qdrant');
    }
    await waitUntil(async () => {
      const { names, current } = await collectionsOf(fake.url, installation);
      return names.length === 1 && names[0] === current;
    });
  });
});

describe('fake Qdrant: a rebuild', () => {
  test('does not interrupt searches, which find vectors stored in the meantime', async () => {
    for (let i = 0; i < 30; i += 1) put(i, [1, i]);
    const [firstProcess, otherProcess] = [startProcess(), startProcess()];
    const asOf = put(30, [1, 30]);
    await Promise.all([searchAndVerify(firstProcess, asOf), searchAndVerify(otherProcess, asOf)]);
    const initialState = await collectionsOf(fake.url, installation);
    let isDone = false;
    let searches = 0;
    // Each loop has its own ids, so it knows the expected result: the vector that it just stored, and all collections.
    const searchLoops = [firstProcess, otherProcess].map(async ({ index }, n) => {
      for (let i = 0; !isDone; i = (i + 1) % 15) {
        const collectionId = idOf(n * 15 + i);
        const sequence = put(n * 15 + i, [3, 4, searches]);
        const length = Math.hypot(3, 4, searches);
        const { matches } = await index.search(queryOf({ candidateIds, asOf: sequence, limit: 100 }));
        expect(matches).toHaveLength(31);
        const score = matches.find((match) => match.collectionId === collectionId)?.score;
        expect(score).toBeCloseTo(3 / length, 6);
        searches += 1;
        await new Promise(setImmediate);
      }
    });
    const progress: number[] = [];
    for (let i = 0; i < 3; i += 1) await firstProcess.index.rebuild('m', (count) => progress.push(count));
    await waitUntil(() => searches > 20);
    isDone = true;
    await Promise.all(searchLoops);
    expect(progress.at(-1)).toBe(31);
    // Search as of the last write: an index may lack vectors that were stored after the requested sequence number.
    const latestSequence = put(30, [1, 31]);
    for (const subject of [firstProcess, otherProcess])
      await waitUntil(async () => (await searchAndVerify(subject, latestSequence)) === 'qdrant');
    const finalState = await collectionsOf(fake.url, installation);
    expect(finalState.names).toEqual([finalState.current]);
    expect(finalState.current).not.toBe(initialState.current);
  });

  test('rejects with the reason if it fails, and the current collection remains in use', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchAndVerify(subject, asOf);
    const { current } = await collectionsOf(fake.url, installation);
    fake.faults.set('507', (method, path) => method === 'PUT' && path.endsWith('/points'));
    await expect(subject.index.rebuild('m')).rejects.toThrow('507');
    fake.faults.set(null);
    expect(await searchAndVerify(subject, asOf)).toBe('qdrant');
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current, names: [current] });
  });

  test('removes the vector of a collection that was deleted after it was written', async () => {
    for (let i = 0; i < 600; i += 1) put(i, [1, i]);
    const firstProcess = startProcess();
    await searchAndVerify(firstProcess, put(600, [1, 600]));
    const blockedReads = blockReads((after) => after > 0);
    const rebuild = startProcess({ embeddings: blockedReads.embeddings }).index.rebuild('m');
    await blockedReads.read;
    embeddings.remove(idOf(0));
    await firstProcess.index.remove(idOf(0));
    blockedReads.release();
    await rebuild;
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(600);
    expect(await client.retrieve(current ?? '', { ids: [idOf(0)] })).toEqual([]);
  });

  test('writes a vector that was read before its collection was deleted, but searches omit it and the next comparison removes it', async () => {
    put(0, [1]);
    const firstProcess = startProcess();
    const asOf = put(1, [1, 1]);
    await searchAndVerify(firstProcess, asOf);
    const blockedReads = blockReads(() => true);
    const fillingProcess = startProcess({ embeddings: blockedReads.embeddings });
    const rebuild = fillingProcess.index.rebuild('m');
    await blockedReads.read;
    embeddings.remove(idOf(0));
    await firstProcess.index.remove(idOf(0));
    blockedReads.release();
    await rebuild;
    const { client, current } = await collectionsOf(fake.url, installation);
    expect((await client.count(current ?? '')).count).toBe(2);
    // A search lists only existing collections.
    const { matches, isFallback } = await fillingProcess.index.search(
      queryOf({ candidateIds: [idOf(1)], asOf, limit: 1 }),
    );
    expect(isFallback).toBe(false);
    expect(matches.map(({ collectionId }) => collectionId)).toEqual([idOf(1)]);
    expect(await searchAndVerify(startProcess(), asOf)).toBe('qdrant');
    expect((await client.count(current ?? '')).count).toBe(1);
  });

  test('rejects if a rebuild that started later has finished first', async () => {
    const asOf = put(0, [1]);
    const blockedReads = blockReads(() => true);
    const earlierProcess = startProcess({ embeddings: blockedReads.embeddings });
    const rejection = expect(earlierProcess.index.rebuild('m')).rejects.toThrow(
      'another process has filled a newer collection in the meantime',
    );
    await blockedReads.read;
    const laterProcess = startProcess();
    await laterProcess.index.rebuild('m');
    blockedReads.release();
    await rejection;
    for (const subject of [earlierProcess, laterProcess]) {
      await waitUntil(async () => (await searchAndVerify(subject, asOf)) === 'qdrant');
    }
    const { names, current } = await collectionsOf(fake.url, installation);
    expect(names).toEqual([current]);
  });

  test('does not replace a newer collection if it finishes late', async () => {
    put(0, [1]);
    const blockedReads = blockReads(() => true);
    const rejection = expect(startProcess({ embeddings: blockedReads.embeddings }).index.rebuild('m')).rejects.toThrow(
      'newer',
    );
    await blockedReads.read;
    const { client } = await collectionsOf(fake.url, installation);
    const newerName = `${alias}-g${Date.now() + 1_000}-abcd`;
    await client.createCollection(newerName, { vectors: { size: 768, distance: 'Cosine' } });
    await client.updateCollectionAliases({
      actions: [{ create_alias: { alias_name: alias, collection_name: newerName } }],
    });
    blockedReads.release();
    await rejection;
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current: newerName, names: [newerName] });
  });

  test('replaces a collection created by a machine whose clock is ahead', async () => {
    const asOf = put(0, [1]);
    const { client } = await collectionsOf(fake.url, installation);
    const aheadName = `${alias}-g${Date.now() + 600_000}-abcd`;
    await client.createCollection(aheadName, { vectors: { size: 768, distance: 'Cosine' } });
    await client.updateCollectionAliases({
      actions: [{ create_alias: { alias_name: alias, collection_name: aheadName } }],
    });
    const subject = startProcess();
    await subject.index.rebuild('m');
    expect(await searchAndVerify(subject, asOf)).toBe('qdrant');
    const { names, current } = await collectionsOf(fake.url, installation);
    expect(names).toEqual([current]);
    expect(current).not.toBe(aheadName);
  });

  test('leaves no collection behind if the process closes while filling it', async () => {
    for (let i = 0; i < 600; i += 1) put(i, [1, i]);
    const blockedReads = blockReads(() => true);
    const subject = startProcess({ embeddings: blockedReads.embeddings });
    subject.index.prepare('m', 0);
    await blockedReads.read;
    expect((await collectionsOf(fake.url, installation)).names).toHaveLength(1);
    const closePromise = subject.close();
    blockedReads.release();
    await closePromise;
    expect(await collectionsOf(fake.url, installation)).toMatchObject({ current: null, names: [] });
  });

  test('that a crash interrupted is cleaned up on a later start, unless it may still be running', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchAndVerify(subject, asOf);
    const { client, current } = await collectionsOf(fake.url, installation);
    const [oldName, freshName, foreignName] = [
      `${alias}-g1000-abcd`,
      `${alias}-g${Date.now() + 1_000}-abcd`,
      `${alias}-gone`,
    ];
    for (const collection of [oldName, freshName, foreignName]) {
      await client.createCollection(collection, { vectors: { size: 768, distance: 'Cosine' } });
    }
    await searchAndVerify(startProcess(), asOf);
    await waitUntil(async () => !(await collectionsOf(fake.url, installation)).names.includes(oldName));
    expect(new Set((await collectionsOf(fake.url, installation)).names)).toEqual(
      new Set([current, freshName, foreignName]),
    );
  });
});

describe('fake Qdrant: startup', () => {
  test('repairs differences from the database: missing, older, newer and extra vectors', async () => {
    const firstProcess = startProcess();
    for (let i = 0; i < 6; i += 1) put(i, [1, i]);
    await searchAndVerify(firstProcess, put(6, [1, 6]));
    const { client, current } = await collectionsOf(fake.url, installation);
    await client.delete(current ?? '', { wait: true, points: [idOf(0)] });
    embeddings.remove(idOf(2));
    put(3, [-1]);
    const createWrongPoint = (number: number, sequence: number) => ({
      id: idOf(number),
      vector: [...createVectorTowards(0, 1)],
      payload: { model: 'm', sequence },
    });
    // One point is newer than the database, which is now an older backup; the other is missing from the database.
    await client.upsert(current ?? '', {
      wait: true,
      points: [createWrongPoint(4, 1_000), createWrongPoint(20, 1_001)],
    });
    const secondProcess = startProcess();
    expect(await searchAndVerify(secondProcess, put(5, [1, 0.5]))).toBe('qdrant');
    expect(listMessages(secondProcess)).toContain('The vectors in Qdrant were synchronized with the database');
    const { points } = await client.scroll(current ?? '', { limit: 100 });
    expect(points.map(({ id }) => id).sort()).toEqual([0, 1, 3, 4, 5, 6].map(idOf));
  });

  test('a collection with incompatible vectors causes a warning, and a new one is filled', async () => {
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
      expect(await searchAndVerify(subject, put(0, [1]))).toBe('qdrant');
      expect(JSON.stringify(subject.log.lines)).toContain('not 768 with Cosine');
      expect((await client.collectionExists(collection)).exists).toBe(true);
    }
  });

  test('a lost collection causes a warning', async () => {
    const subject = startProcess();
    const asOf = put(0, [1]);
    await searchAndVerify(subject, asOf);
    fake.clear();
    await waitUntil(async () => (await searchAndVerify(subject, asOf)) === 'qdrant');
    expect(subject.log.messages('warn')).toEqual(['The collection in Qdrant is missing; a new one is being filled']);
  });

  test('many vectors are written in the background, and searches use the database in the meantime', async () => {
    for (let i = 0; i < 700; i += 1) put(i, [1, i]);
    const asOf = put(700, [1, 700]);
    const blockedReads = blockReads(() => true);
    const subject = startProcess({ embeddings: blockedReads.embeddings });
    expect(await time().advanceUntil(searchAndVerify(subject, asOf))).toBe('database');
    expect(listMessages(subject)).toContain(
      'The vectors are being written to Qdrant: searches use the database in the meantime',
    );
    expect(await searchAndVerify(subject, asOf)).toBe('database');
    blockedReads.release();
    await waitUntil(async () => (await searchAndVerify(subject, asOf)) === 'qdrant');
    expect(listMessages(subject)).toContain('Searches use Qdrant again');
  });

  test('the collection can be prepared before the first search', async () => {
    const asOf = put(0, [1]);
    const subject = startProcess();
    subject.index.prepare('m', 0);
    await time().pollInRealTime(() => expect(fake.calls.map(({ path }) => path)).toContain('/collections/aliases'));
    expect(await searchAndVerify(subject, asOf)).toBe('qdrant');
  });
});

describe('fake Qdrant: a different model', () => {
  test('vectors of two models are never compared, even while one replaces the other', async () => {
    for (let i = 0; i < 10; i += 1) put(i, [1, i]);
    const [oldProcess, newProcess] = [startProcess(), startProcess()];
    await searchAndVerify(oldProcess, 10);
    for (let i = 0; i < 10; i += 1) {
      const asOf = put(i, [i, 1], 'm2');
      expect(await searchAndVerify(newProcess, asOf, 'm2')).toBe('qdrant');
      expect(await searchAndVerify(oldProcess, asOf)).toBe('qdrant');
    }
    expect((await newProcess.index.search(queryOf({ candidateIds, asOf: 20 }))).matches).toHaveLength(10);
  });
});

describe('fake Qdrant: the embedded index as a fallback', () => {
  test('returns the same results', async () => {
    const asOf = put(0, [1]);
    const fallback = createEmbeddedVectorIndex({ embeddings });
    const { matches } = await fallback.search(queryOf({ candidateIds, asOf }));
    expectSameMatches((await startProcess().index.search(queryOf({ candidateIds, asOf }))).matches, matches);
  });
});
