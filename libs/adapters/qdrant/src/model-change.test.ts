import { createEmbeddingChanges, type EmbeddingChanges, vectorTowards } from '@portico/contracts';
import { startFakeQdrant } from '@portico/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { aliasOf } from './generations.ts';
import { createSubject, expectSame, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeInEachTest, time, until } from '../test/time.ts';

const installation = 'changing';
const among = Array.from({ length: 20 }, (_, i) => idOf(i));
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

const startProcess = (): Subject => {
  const subject = createSubject({ url: fake.url, installation, embeddings });
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

const client = () => connect(fake.url, null, 600_000);
const aliases = async () =>
  Object.fromEntries((await client().getAliases()).aliases.map((each) => [each.alias_name, each.collection_name]));
const collections = async () => (await client().getCollections()).collections.map((each) => each.name).sort();
const pointsOf = async (collection: string) =>
  (await client().scroll(collection, { limit: 100, with_payload: true })).points.map(({ id, payload }) => [
    id,
    payload?.model,
  ]);

test('fake Qdrant: each model has its own collection', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) expect(await searchExpectingTruth(subject, asOf, modelId)).toBe('qdrant');
  const targets = await aliases();
  expect(Object.keys(targets).sort()).toEqual([aliasOf(installation, 'm'), aliasOf(installation, 'm2')].sort());
  expect(await collections()).toEqual(Object.values(targets).sort());
});

test('fake Qdrant: a deletion reaches the collections of all models', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) await searchExpectingTruth(subject, asOf, modelId);
  embeddings.remove(idOf(0));
  await startProcess().index.remove(idOf(0));
  for (const collection of await collections()) expect(await pointsOf(collection)).toEqual([]);
});

test('fake Qdrant: a removed model leaves nothing, even if another process removes it', async () => {
  const [one, other] = [startProcess(), startProcess()];
  await searchExpectingTruth(one, put(0, [1]));
  const asOf = put(0, [3, 4], 'm2');
  await searchExpectingTruth(one, asOf, 'm2');
  embeddings.removeModel('m');
  await other.index.dropModel('m');
  const targets = await aliases();
  expect(Object.keys(targets)).toEqual([aliasOf(installation, 'm2')]);
  expect(await collections()).toEqual(Object.values(targets));
  expect(await searchExpectingTruth(one, asOf, 'm2')).toBe('qdrant');
});

test('fake Qdrant: removing a model fails while Qdrant is unavailable, and succeeds afterwards', async () => {
  const subject = startProcess();
  await searchExpectingTruth(subject, put(0, [1]));
  fake.faults.set('503');
  await expect(subject.index.dropModel('m')).rejects.toThrow();
  fake.faults.set(null);
  await until(() =>
    subject.index.dropModel('m').then(
      () => true,
      () => false,
    ),
  );
  expect(await collections()).toEqual([]);
});

test('fake Qdrant: a collection prepared before a change serves the first search after it', async () => {
  const subject = startProcess();
  for (let i = 0; i < 10; i += 1) put(i, [1, i], 'm2');
  const asOf = put(10, [1, 10], 'm2');
  subject.index.prepare('m2', asOf);
  await until(async () => {
    const target = (await aliases())[aliasOf(installation, 'm2')];
    return target !== undefined && (await pointsOf(target)).length === 11;
  });
  fake.calls.length = 0;
  expect(await searchExpectingTruth(subject, asOf, 'm2')).toBe('qdrant');
  expect(fake.calls.filter(({ path }) => path.endsWith('/batch') || path.endsWith('/points'))).toEqual([]);
});
