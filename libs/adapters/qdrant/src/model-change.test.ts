import { createEmbeddingChanges, type EmbeddingChanges, createVectorTowards } from '@portico/contracts';
import { startFakeQdrant } from '@portico/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { aliasOf } from './generations.ts';
import { createSubject, expectSameMatches, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeInEachTest, time, waitUntil } from '../test/time.ts';

const installation = 'changing';
const candidateIds = Array.from({ length: 20 }, (_, i) => idOf(i));
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

const startProcess = (): Subject => {
  const subject = createSubject({ url: fake.url, installation, embeddings });
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

const createClient = () => connect(fake.url, null, 600_000);
const readAliases = async () =>
  Object.fromEntries(
    (await createClient().getAliases()).aliases.map((alias) => [alias.alias_name, alias.collection_name]),
  );
const listCollections = async () =>
  (await createClient().getCollections()).collections.map((collection) => collection.name).sort();
const pointsOf = async (collection: string) =>
  (await createClient().scroll(collection, { limit: 100, with_payload: true })).points.map(({ id, payload }) => [
    id,
    payload?.model,
  ]);

test('fake Qdrant: each model has its own collection', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) expect(await searchAndVerify(subject, asOf, modelId)).toBe('qdrant');
  const targets = await readAliases();
  expect(Object.keys(targets).sort()).toEqual([aliasOf(installation, 'm'), aliasOf(installation, 'm2')].sort());
  expect(await listCollections()).toEqual(Object.values(targets).sort());
});

test('fake Qdrant: a deleted vector is removed from the collections of all models', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) await searchAndVerify(subject, asOf, modelId);
  embeddings.remove(idOf(0));
  await startProcess().index.remove(idOf(0));
  for (const collection of await listCollections()) expect(await pointsOf(collection)).toEqual([]);
});

test('fake Qdrant: removing a model deletes all its data, even if a different process removes it', async () => {
  const [firstProcess, otherProcess] = [startProcess(), startProcess()];
  await searchAndVerify(firstProcess, put(0, [1]));
  const asOf = put(0, [3, 4], 'm2');
  await searchAndVerify(firstProcess, asOf, 'm2');
  embeddings.removeModel('m');
  await otherProcess.index.dropModel('m');
  const targets = await readAliases();
  expect(Object.keys(targets)).toEqual([aliasOf(installation, 'm2')]);
  expect(await listCollections()).toEqual(Object.values(targets));
  expect(await searchAndVerify(firstProcess, asOf, 'm2')).toBe('qdrant');
});

test('fake Qdrant: removing a model fails while Qdrant is unavailable, and succeeds afterwards', async () => {
  const subject = startProcess();
  await searchAndVerify(subject, put(0, [1]));
  fake.faults.set('503');
  await expect(subject.index.dropModel('m')).rejects.toThrow();
  fake.faults.set(null);
  await waitUntil(() =>
    subject.index.dropModel('m').then(
      () => true,
      () => false,
    ),
  );
  expect(await listCollections()).toEqual([]);
});

test('fake Qdrant: a collection prepared before a model change is used by the first search afterwards', async () => {
  const subject = startProcess();
  for (let i = 0; i < 10; i += 1) put(i, [1, i], 'm2');
  const asOf = put(10, [1, 10], 'm2');
  subject.index.prepare('m2', asOf);
  await waitUntil(async () => {
    const target = (await readAliases())[aliasOf(installation, 'm2')];
    return target !== undefined && (await pointsOf(target)).length === 11;
  });
  fake.calls.length = 0;
  expect(await searchAndVerify(subject, asOf, 'm2')).toBe('qdrant');
  expect(fake.calls.filter(({ path }) => path.endsWith('/batch') || path.endsWith('/points'))).toEqual([]);
});
