import { aHybridVector, anIndexedOperation, createOperationBlockChanges, recordLog } from '@portico/contracts';
import type { OperationMatches, OperationQuery } from '@portico/domain';
import { startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedOperationIndex } from '@portico/vectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idOf } from '../test/subject.ts';
import { stopTimeInEachTest, time, waitUntil } from '../test/time.ts';
import { connect } from './connect.ts';
import { createQdrantOperationIndex, type QdrantOperationIndex } from './qdrant-operation-index.ts';

let fake: Awaited<ReturnType<typeof startFakeQdrant>>;
let blocks: ReturnType<typeof createOperationBlockChanges>;
let log: ReturnType<typeof recordLog>;
const indexes: QdrantOperationIndex[] = [];

stopTimeInEachTest();
beforeEach(async () => {
  fake = await startFakeQdrant();
  [blocks, log] = [createOperationBlockChanges(), recordLog()];
});
afterEach(async () => {
  for (const index of indexes.splice(0)) await time().advanceUntil(index.close());
  await fake.close();
});

/** Creates an index like that of a different process of the same installation. */
const startProcess = (
  store: Pick<typeof blocks, 'listChangedSince' | 'listCollectionsAfter'> = blocks,
): QdrantOperationIndex => {
  const fallback = createEmbeddedOperationIndex({ blocks: store });
  const index = createQdrantOperationIndex({
    url: fake.url,
    apiKey: null,
    installation: 'here',
    blocks: store,
    fallback,
    log,
  });
  indexes.push(index);
  return index;
};

const candidateIds = [0, 1, 2, 3].map(idOf);
const put = (number: number, ...names: readonly string[]): number =>
  blocks.put(
    idOf(number),
    names.map((name, i) => anIndexedOperation(name, [1 - i / 10], { 1: 0.1 })),
  );

const search = (index: QdrantOperationIndex, asOf: number, overrides: Partial<OperationQuery> = {}) =>
  index.search({
    modelId: 'model-1',
    vector: aHybridVector([1], { 1: 1 }),
    candidateIds,
    method: null,
    limit: 10,
    asOf,
    ...overrides,
  });

const namesOf = ({ matches }: OperationMatches): string => matches.map(({ key }) => key.charAt(0)).join('');
/** Returns the names in order. Fails unless the result is from Qdrant. */
const searchQdrant = async (index: QdrantOperationIndex, asOf: number): Promise<string> => {
  const result = await search(index, asOf);
  expect(result.isFallback).toBe(false);
  return namesOf(result);
};
const callsOf = (suffix: string) => fake.calls.filter(({ path }) => path.endsWith(suffix));
const createClient = () => connect(fake.url, null, 600_000);
const readCollectionName = async (): Promise<string> =>
  (await createClient().getCollections()).collections[0]?.name ?? '';
/** Returns the operations in Qdrant, as the first letters of their keys. */
const readStoredOperations = async (): Promise<string> => {
  const { points } = await createClient().scroll(await readCollectionName(), { limit: 1_000, with_payload: true });
  return points
    .map(({ payload }) => String(payload?.key).charAt(0))
    .sort()
    .join('');
};
const listWrites = () => fake.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/points'));

describe('fake Qdrant: a search for operations', () => {
  test('sends one request', async () => {
    const index = startProcess();
    const asOf = put(0, 'k', 'l');
    await searchQdrant(index, asOf);
    fake.calls.length = 0;
    expect(await searchQdrant(index, asOf)).toBe('kl');
    expect(fake.calls.map(({ path }) => path.split('/').at(-1))).toEqual(['query']);
  });

  test.each([
    [2_000, 1],
    [2_001, 2],
    [10_000, 5],
  ])('in %i collections takes %i requests of at most 100 KB', async (count, requests) => {
    const index = startProcess();
    const asOf = Math.max(put(0, 'k', 'l'), put(count - 1, 'm'));
    await searchQdrant(index, asOf);
    fake.calls.length = 0;
    const result = await search(index, asOf, { candidateIds: Array.from({ length: count }, (_, i) => idOf(i)) });
    expect([result.isFallback, result.matches.length]).toEqual([false, 3]);
    expect(callsOf('/query').map(({ bodyBytes }) => bodyBytes < 100_000)).toEqual(Array(requests).fill(true));
  });

  test('finds operations without words, or without any word of the query', async () => {
    const operations = [anIndexedOperation('k', [0.5]), anIndexedOperation('l', [0.25], { 9: 1 })];
    expect(await searchQdrant(startProcess(), blocks.put(idOf(0), operations))).toBe('kl');
  });
});

describe('fake Qdrant: the copy of the blocks', () => {
  test('is shared: another process or a restart does not write existing blocks again', async () => {
    const asOf = Math.max(put(0, 'k'), put(1, 'l'), put(2));
    const firstIndex = startProcess();
    expect(await searchQdrant(firstIndex, asOf)).toBe('kl');
    const otherIndex = startProcess();
    await searchQdrant(otherIndex, asOf);
    expect(listWrites()).toHaveLength(2);
    const laterSequence = put(3, 'm');
    expect([
      (await searchQdrant(firstIndex, laterSequence)).length,
      (await searchQdrant(otherIndex, laterSequence)).length,
    ]).toEqual([3, 3]);
    expect(listWrites()).toHaveLength(3);
  });

  test('is written in requests of at most 50,000 components', async () => {
    const operations = Array.from({ length: 7_000 }, (_, i) => ({
      ...anIndexedOperation('k', [1, i]),
      key: i.toString(2).padStart(16, 'a').replaceAll('0', 'a').replaceAll('1', 'b') as never,
    }));
    await searchQdrant(startProcess(), blocks.put(idOf(0), operations));
    expect(await createClient().count(await readCollectionName())).toMatchObject({ count: 7_000 });
    expect(listWrites()).toHaveLength(3);
    expect(Math.max(...listWrites().map(({ bodyBytes }) => bodyBytes))).toBeLessThan(2_000_000);
  });

  test('is repaired on startup: missing, incomplete, older, newer and extra blocks', async () => {
    const firstIndex = startProcess();
    await searchQdrant(firstIndex, Math.max(put(0, 'k', 'l'), put(1, 'm'), put(2, 'n', 'o'), put(3, 'p')));
    const name = await readCollectionName();
    const { points } = await createClient().scroll(name, { limit: 1_000, with_vector: true, with_payload: true });
    const findPoints = (key: string) => points.filter(({ payload }) => String(payload?.key).startsWith(key));
    await createClient().delete(name, { wait: true, points: findPoints('l').map(({ id }) => id) });
    // These points are newer than the database, which was restored from an older backup.
    const newerPoints = findPoints('m').map((point) => ({
      ...point,
      payload: { ...point.payload, sequence: 99, block: `${idOf(1)} 99` },
    }));
    await createClient().upsert(name, { wait: true, points: newerPoints as never });
    put(2, 'o', 'q');
    blocks.remove(idOf(3));
    expect([...(await searchQdrant(startProcess(), 5))].sort().join('')).toBe('klmoq');
    expect(await readStoredOperations()).toBe('klmoq');
  });

  test('never regresses: a process that is behind does not replace a newer block', async () => {
    let staleChanges: Awaited<ReturnType<typeof blocks.listChangedSince>> | null = [];
    const laggingIndex = startProcess({
      ...blocks,
      listChangedSince: async (after, ...rest) =>
        staleChanges?.filter(({ sequence }) => sequence > after) ?? blocks.listChangedSince(after, ...rest),
    });
    await searchQdrant(laggingIndex, 0);
    const asOf = put(0, 'k', 'l');
    staleChanges = await blocks.listChangedSince(0, 'model-1', 10);
    const laterSequence = put(0, 'l', 'm');
    await searchQdrant(startProcess(), laterSequence);
    await searchQdrant(laggingIndex, asOf);
    const { points } = await createClient().scroll(await readCollectionName(), { limit: 10, with_payload: true });
    const sequences = points.map(({ payload }) => [String(payload?.key).charAt(0), payload?.sequence]);
    expect(sequences).toContainEqual(['l', laterSequence]);
    staleChanges = null;
    await searchQdrant(laggingIndex, laterSequence);
    expect(await readStoredOperations()).toBe('lm');
  });

  test('is created again if Qdrant lost it', async () => {
    const index = startProcess();
    const asOf = put(0, 'k');
    await searchQdrant(index, asOf);
    fake.clear();
    expect((await search(index, asOf)).isFallback).toBe(true);
    await waitUntil(async () => !(await search(index, asOf)).isFallback);
    expect(await readStoredOperations()).toBe('k');
  });

  test('of an earlier model is deleted once a new process has a copy for a later one; other collections remain', async () => {
    const asOf = put(0, 'k');
    await searchQdrant(startProcess(), asOf);
    const earlierName = await readCollectionName();
    for (const name of [
      'portico-here-0123abcd-g1-0123',
      'portico-here-operations-0123abcd-g1-0123',
      'other-operations-0123abcd',
    ]) {
      await createClient().createCollection(name, { vectors: { size: 4, distance: 'Dot' } });
    }
    const laterSequence = blocks.put(idOf(0), [anIndexedOperation('l', [1])], 'model-2');
    const index = startProcess();
    expect(namesOf(await search(index, laterSequence, { modelId: 'model-2' }))).toBe('l');
    const listNames = async () => (await createClient().getCollections()).collections.map(({ name }) => name);
    await waitUntil(async () => !(await listNames()).includes(earlierName));
    expect(await listNames()).toHaveLength(4);
    // The collections that the process itself searches are kept, regardless of the order of the models.
    expect(namesOf(await search(index, asOf))).toBe('k');
    expect(namesOf(await search(index, laterSequence, { modelId: 'model-2' }))).toBe('l');
    expect(await listNames()).toHaveLength(5);
  });
});

describe('fake Qdrant: while Qdrant is unavailable', () => {
  const outageMessage = 'Qdrant is unavailable: searches use the database';
  test.each(['reset', 'garbage', 'html', '403', '500', 'wrong shape', 'wrong scores', 'foreign ids'] as const)(
    '%s: searches use the database, then Qdrant recovers automatically; both are logged once',
    async (fault) => {
      const index = startProcess();
      const asOf = put(0, 'k', 'l');
      await searchQdrant(index, asOf);
      fake.faults.set(fault);
      for (let i = 0; i < 8; i += 1) {
        const result = await search(index, asOf);
        expect([result.isFallback, namesOf(result)]).toEqual([true, 'kl']);
      }
      fake.faults.set(null);
      await waitUntil(async () => !(await search(index, asOf)).isFallback);
      expect(log.messages('warn')).toEqual([outageMessage]);
      expect(log.messages('info')).toEqual(['Searches use Qdrant again']);
    },
  );

  test('operations that Qdrant lost are restored before it is used again', async () => {
    const index = startProcess();
    const asOf = put(0, 'k', 'l');
    await searchQdrant(index, asOf);
    fake.faults.set('reset', (_method, path) => path.endsWith('/query'));
    for (let i = 0; i < 8; i += 1) expect(namesOf(await search(index, asOf))).toBe('kl');
    const { points } = await createClient().scroll(await readCollectionName(), { limit: 1 });
    await createClient().delete(await readCollectionName(), { wait: true, points: points.map(({ id }) => id) });
    fake.faults.set(null);
    await waitUntil(async () => !(await search(index, asOf)).isFallback);
    expect(await searchQdrant(index, asOf)).toBe('kl');
  });

  test('a version without conditional writes is not used', async () => {
    await fake.close();
    fake = await startFakeQdrant({ version: '1.15.4' });
    const index = startProcess();
    expect((await search(index, put(0, 'k'))).isFallback).toBe(true);
    expect(JSON.stringify(log.lines)).toContain('Qdrant 1.15.4 is too old');
    expect(await readCollectionName()).toBe('');
  });

  test('changes during an outage are found afterwards', async () => {
    const index = startProcess();
    await searchQdrant(index, put(0, 'k', 'l'));
    fake.faults.set('reset');
    const asOf = put(0, 'l', 'm');
    for (let i = 0; i < 8; i += 1) expect(namesOf(await search(index, asOf))).toBe('lm');
    fake.faults.set(null);
    await waitUntil(async () => !(await search(index, asOf)).isFallback);
    expect(await readStoredOperations()).toBe('lm');
  });
});
