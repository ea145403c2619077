import { createVectorTowards } from '@portico/contracts';
import { startFakeQdrant, type QdrantCall, type QdrantFault } from '@portico/test-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from './connect.ts';
import { aliasOf } from './generations.ts';
import { collectionsOf, createSubject, expectSameMatches, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeInEachTest, time, waitUntil } from '../test/time.ts';

let fake: Awaited<ReturnType<typeof startFakeQdrant>>;
let subject: Subject;
const candidateIds = [0, 1, 2, 3].map(idOf);

stopTimeInEachTest();
beforeEach(async () => {
  fake = await startFakeQdrant({ apiKey: 'right key' });
  subject = createSubject({ url: fake.url, installation: 'outages', apiKey: 'right key' });
});
afterEach(async () => {
  await time().advanceUntil(subject.close());
  await fake.close();
});

const put = (number: number, ...direction: readonly number[]): number =>
  subject.embeddings.put({ modelId: 'm', collectionId: idOf(number), vector: createVectorTowards(...direction) });

/** Searches, expects the correct result, and returns its source. */
const search = async (asOf: number): Promise<'qdrant' | 'database'> => {
  const query = queryOf({ candidateIds, asOf });
  const { matches, isFallback } = await time().advanceUntil(subject.index.search(query));
  expectSameMatches(matches, (await subject.referenceIndex.search(query)).matches);
  expect(matches.length).toBeGreaterThan(0);
  return isFallback ? 'database' : 'qdrant';
};
const seedVectors = (): number => Math.max(put(0, 1), put(1, 1, 1), put(2, 3, 4));
/** Stores vectors and waits until Qdrant finds them. */
const seedAndWait = async (): Promise<number> => {
  const asOf = seedVectors();
  await waitUntil(() => usesQdrant(asOf));
  subject.log.lines.length = 0;
  return asOf;
};
/** Checks that searches fall back to the database until the slow call is made, and while it is in flight. */
const expectFallbackWhile = async (asOf: number, isSlow: (call: QdrantCall) => boolean): Promise<void> => {
  const expectFallback = async () => {
    for (let i = 0; i < 6; i += 1) expect(await search(asOf)).toBe('database');
  };
  await waitUntil(async () => {
    await expectFallback();
    return fake.calls.some(isSlow);
  });
  await expectFallback();
};
const listMessages = (level: 'info' | 'warn') => subject.log.messages(level);
const usesQdrant = async (asOf: number) => (await search(asOf)) === 'qdrant';

const faults: readonly QdrantFault[] = [
  'hang',
  'reset',
  'garbage',
  'html',
  '408',
  '429',
  '500',
  '503',
  '507',
  'wrong shape',
  'wrong scores',
  'foreign ids',
];

const isSearchFault = (fault: QdrantFault) => fault === 'wrong scores' || fault === 'foreign ids';

/** The path of the first call in a new attempt. If the circuit breaker was open, the attempt follows the pause. */
const retryPathOf = (fault: QdrantFault) =>
  fault === 'foreign ids' ? /\/query$/ : fault === 'wrong scores' ? /^\/aliases$/ : /^\/$/;

describe('fake Qdrant: while Qdrant is unavailable', () => {
  test.each(faults)('%s: searches use the database, then Qdrant recovers automatically', async (fault) => {
    const asOf = await seedAndWait();
    fake.calls.length = 0;
    fake.faults.set(fault);
    for (let i = 0; i < 8; i += 1) expect(await search(asOf)).toBe('database');
    // The circuit breaker opens, and the trial call after the pause logs nothing new.
    await waitUntil(async () => {
      expect(await search(asOf)).toBe('database');
      return fake.calls.some(({ path }) => retryPathOf(fault).test(path));
    });
    for (let i = 0; i < 8; i += 1) expect(await search(asOf)).toBe('database');
    fake.faults.set(null);
    await waitUntil(() => usesQdrant(asOf));
    expect(listMessages('warn')).toEqual(['Qdrant is unavailable: searches use the database']);
    expect(listMessages('info').filter((message) => message === 'Searches use Qdrant again')).toHaveLength(1);
  });

  test.each(faults)('%s from the start: searches use the database until Qdrant is available', async (fault) => {
    fake.faults.set(fault);
    const asOf = seedVectors();
    const hasSearched = () => fake.calls.some(({ path }) => path.endsWith('/query'));
    for (let i = 0; i < 2; i += 1) expect(await search(asOf)).toBe('database');
    // Faults in search responses become apparent only once the collection exists.
    if (isSearchFault(fault)) {
      await waitUntil(async () => {
        expect(await search(asOf)).toBe('database');
        return hasSearched();
      });
    }
    expect(hasSearched()).toBe(isSearchFault(fault));
    fake.faults.set(null);
    await waitUntil(() => usesQdrant(asOf));
  });

  test.each([
    ['search', (asOf: number) => search(asOf)],
    ['write', () => search(put(3, 1, 0.1))],
  ])('a %s is retried transparently if its connection breaks', async (_name, action) => {
    const asOf = await seedAndWait();
    let calls = 0;
    fake.faults.set('reset', () => ++calls === 1);
    expect(await action(asOf)).toBe('qdrant');
    expect(calls).toBeGreaterThan(1);
    expect(subject.log.lines).toEqual([]);
  });

  test('vectors stored during an outage are found immediately, and later in Qdrant', async () => {
    await seedAndWait();
    await fake.stop();
    const asOf = Math.max(put(3, 1, 0.1), put(0, -1));
    expect(await search(asOf)).toBe('database');
    await fake.start();
    await waitUntil(() => usesQdrant(asOf));
  });

  test('a write that is not completed does not count', async () => {
    await seedAndWait();
    fake.faults.set('wait timeout');
    const asOf = put(3, 1, 0.1);
    expect(await search(asOf)).toBe('database');
    subject.embeddings.remove(idOf(0));
    await expect(subject.index.remove(idOf(0))).rejects.toThrow('wait_timeout');
    fake.faults.set(null);
    await waitUntil(() => usesQdrant(asOf));
  });

  test('after five failures, a server that hangs gets only occasional trial calls', async () => {
    const asOf = await seedAndWait();
    fake.faults.set('hang');
    await Promise.all(Array.from({ length: 5 }, () => search(asOf)));
    fake.calls.length = 0;
    await expect(subject.index.check()).rejects.toThrow('no requests are sent to it');
    const trials = 3;
    for (let trial = 0; trial < trials; trial += 1) {
      for (let i = 0; i < 20; i += 1) expect(await search(asOf)).toBe('database');
      await time().advance(defaultLimits.breakerOpenMs);
    }
    expect(fake.calls.length).toBeGreaterThan(0);
    expect(fake.calls.length).toBeLessThanOrEqual(trials);
  });

  test.each([
    ['filling a new collection', (path: string) => path.endsWith('/points')],
    ['creating a new collection', (path: string) => /^\/collections\/[^/]+$/.test(path)],
  ])('a search does not wait for %s: it uses the database', async (_name, isSlow) => {
    const asOf = seedVectors();
    fake.faults.set('hang', (method, path) => method === 'PUT' && isSlow(path));
    await expectFallbackWhile(asOf, ({ method, path }) => method === 'PUT' && isSlow(path));
    await fake.stop();
  });

  test('a search does not wait for slow updates: it uses the database', async () => {
    await seedAndWait();
    fake.faults.set('hang', (_method, path) => path.endsWith('/points/batch'));
    const asOf = put(3, 1, 0.1);
    await expectFallbackWhile(asOf, ({ path }) => path.endsWith('/points/batch'));
    await fake.stop();
  });

  test('vectors that Qdrant lost during an outage are restored before it is used again', async () => {
    const asOf = await seedAndWait();
    const { client, current } = await collectionsOf(fake.url, 'outages', 'right key');
    fake.faults.set('500', (_method, path) => !path.endsWith('/points/delete'));
    for (let i = 0; i < 6; i += 1) expect(await search(asOf)).toBe('database');
    await client.delete(current ?? '', { wait: true, points: [idOf(0)] });
    fake.faults.set(null);
    await waitUntil(() => usesQdrant(asOf));
  });

  test('a lost collection is created and filled again', async () => {
    const asOf = await seedAndWait();
    fake.clear();
    expect(await search(asOf)).toBe('database');
    await waitUntil(() => usesQdrant(asOf));
    fake.clear();
    await subject.index.remove(idOf(3));
    await waitUntil(() => usesQdrant(asOf));
  });

  test('the check rejects while Qdrant is unavailable, and passes afterwards', async () => {
    await subject.index.check();
    await fake.stop();
    await expect(subject.index.check()).rejects.toThrow(/^reading its aliases: /);
    await fake.start();
    await waitUntil(() =>
      subject.index.check().then(
        () => true,
        () => false,
      ),
    );
  });

  test('a failed removal rejects, so it can be retried', async () => {
    const asOf = await seedAndWait();
    fake.faults.set('500');
    subject.embeddings.remove(idOf(0));
    await expect(subject.index.remove(idOf(0))).rejects.toThrow('500');
    fake.faults.set(null);
    await subject.index.remove(idOf(0));
    await waitUntil(() => usesQdrant(asOf));
  });
});

describe('fake Qdrant: collections that are not in use', () => {
  /**
   * A time later than the creation of the collection in use, as for a collection that is being filled: no process
   * deletes it.
   */
  const newestCreatedAt = Date.now() + 600_000;
  const leftoverNameOf = (number: number) => `${aliasOf('outages', 'm')}-g${newestCreatedAt + number}-abcd`;
  const createLeftovers = async (count: number): Promise<void> => {
    const { client } = await collectionsOf(fake.url, 'outages', 'right key');
    for (let i = 1; i <= count; i += 1) {
      await client.createCollection(leftoverNameOf(i), { vectors: { size: 768, distance: 'Cosine' } });
    }
  };
  const isRemoval = (path: string) => path.endsWith('/points/delete');

  test.each<QdrantFault>(['503', 'hang'])(
    '%s neither causes a removal to fail nor opens the circuit breaker',
    async (fault) => {
      const asOf = await seedAndWait();
      await createLeftovers(1);
      fake.faults.set(fault, (_method, path) => path.includes(leftoverNameOf(1)));
      subject.embeddings.remove(idOf(0));
      await time().advanceUntil(Promise.all(Array.from({ length: 6 }, () => subject.index.remove(idOf(0)))));
      expect(fake.calls.filter(({ path }) => path.includes(leftoverNameOf(1)) && isRemoval(path))).toHaveLength(6);
      expect(await search(asOf)).toBe('qdrant');
      const { client, current } = await collectionsOf(fake.url, 'outages', 'right key');
      expect((await client.count(current ?? '')).count).toBe(2);
      expect(new Set(listMessages('info'))).toEqual(
        new Set(['A deleted vector could not be removed from an unused Qdrant collection yet']),
      );
      expect(listMessages('warn')).toEqual([]);
    },
  );

  test('a removal calls them concurrently, not one after another', async () => {
    await seedAndWait();
    await createLeftovers(3);
    fake.faults.set('hang', (_method, path) => isRemoval(path));
    const removal = subject.index.remove(idOf(0)).catch((error: unknown) => error);
    await time().pollInRealTime(() => expect(fake.calls.filter(({ path }) => isRemoval(path))).toHaveLength(4));
    await fake.stop();
    expect(String(await removal)).toContain('removing a vector');
  });
});

describe('fake Qdrant: the API key', () => {
  test('a rejected key causes one warning, which does not contain the key, and searches use the database', async () => {
    fake.apiKey = 'another key';
    const asOf = seedVectors();
    for (let i = 0; i < 7; i += 1) {
      expect(await search(asOf)).toBe('database');
      await expect(subject.index.check()).rejects.toThrow(/Qdrant rejects the API key|it failed repeatedly/);
    }
    expect(listMessages('warn')).toEqual(['Qdrant is unavailable: searches use the database']);
    expect(JSON.stringify(subject.log.lines)).toContain('Qdrant rejects the API key: Invalid API key or JWT');
    expect(JSON.stringify(subject.log.lines)).not.toContain('right key');
    fake.apiKey = 'right key';
    await waitUntil(() => usesQdrant(asOf));
  });

  test('a missing key is logged', async () => {
    const otherSubject = createSubject({ url: fake.url, installation: 'outages', embeddings: subject.embeddings });
    expect((await otherSubject.index.search(queryOf({ candidateIds, asOf: seedVectors() }))).isFallback).toBe(true);
    await time().pollInRealTime(() =>
      expect(JSON.stringify(otherSubject.log.lines)).toContain('Must provide an API key'),
    );
    await otherSubject.close();
  });

  test('a read-only key is logged, and stored vectors are still found', async () => {
    await seedAndWait();
    fake.faults.set('403', (method, path) => method === 'PUT' || /\/points\/(batch|delete)$/.test(path));
    const asOf = put(3, 1, 0.1);
    expect(await search(asOf)).toBe('database');
    await time().pollInRealTime(() =>
      expect(JSON.stringify(subject.log.lines)).toContain('Qdrant rejects the API key: Forbidden'),
    );
    await expect(subject.index.remove(idOf(0))).rejects.toThrow('Forbidden');
    fake.faults.set(null);
    await waitUntil(() => usesQdrant(asOf));
  });
});

describe('fake Qdrant: an old release', () => {
  test('is not used, because it has no conditional writes', async () => {
    const oldServer = await startFakeQdrant({ version: '1.15.5' });
    const otherSubject = createSubject({ url: oldServer.url, installation: 'old', embeddings: subject.embeddings });
    expect((await otherSubject.index.search(queryOf({ candidateIds, asOf: seedVectors() }))).isFallback).toBe(true);
    await time().pollInRealTime(() =>
      expect(JSON.stringify(otherSubject.log.lines)).toContain('Qdrant 1.15.5 is too old: 1.16 or newer is required'),
    );
    await otherSubject.close();
    await oldServer.close();
  });
});
