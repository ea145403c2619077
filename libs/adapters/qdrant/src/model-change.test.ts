import { createEmbeddingChanges, type EmbeddingChanges, vectorTowards } from '@portico/contracts';
import { startQdrantStandIn } from '@portico/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { aliasOf } from './generations.ts';
import { createSubject, expectSame, idOf, queryOf, type Subject } from '../test/subject.ts';
import { stopTimeOfEachTest, time, until } from '../test/time.ts';

const name = 'changing';
const among = Array.from({ length: 20 }, (_, i) => idOf(i));
let standIn: Awaited<ReturnType<typeof startQdrantStandIn>>;
let embeddings: EmbeddingChanges;
let open: Subject[];

stopTimeOfEachTest();
beforeEach(async () => {
  standIn = await startQdrantStandIn();
  embeddings = createEmbeddingChanges();
  open = [];
});
afterEach(async () => {
  for (const subject of open) await time().passUntil(subject.close());
  await standIn.close();
});

const startProcess = (): Subject => {
  const subject = createSubject({ url: standIn.url, name, embeddings });
  open.push(subject);
  return subject;
};
const put = (number: number, towards: readonly number[], modelId = 'm'): number =>
  embeddings.put({ modelId, collectionId: idOf(number), vector: vectorTowards(...towards) });
const expectTrue = async (subject: Subject, asOf: number, modelId = 'm') => {
  const query = queryOf({ among, asOf, modelId, limit: 100 });
  const { matches, isFallback } = await subject.index.search(query);
  expectSame(matches, (await subject.truth.search(query)).matches);
  return isFallback ? 'database' : 'qdrant';
};

const client = () => connect(standIn.url, null, 600_000);
const aliases = async () =>
  Object.fromEntries((await client().getAliases()).aliases.map((each) => [each.alias_name, each.collection_name]));
const collections = async () => (await client().getCollections()).collections.map((each) => each.name).sort();
const pointsOf = async (collection: string) =>
  (await client().scroll(collection, { limit: 100, with_payload: true })).points.map(({ id, payload }) => [
    id,
    payload?.model,
  ]);

/** A process of the version before: one alias and one collection for the installation, whatever the model. */
const versionBefore = async (collection = `${name}-g1000-abcd`) => {
  await client().createCollection(collection, { vectors: { size: 768, distance: 'Cosine' } });
  await client().createPayloadIndex(collection, { field_name: 'model', field_schema: 'keyword', wait: true });
  await client().updateCollectionAliases({
    actions: [{ create_alias: { alias_name: name, collection_name: collection } }],
  });
  const write = (number: number, towards: readonly number[], sequence: number, model = 'm') =>
    client().upsert(name, {
      wait: true,
      points: [{ id: idOf(number), vector: [...vectorTowards(...towards)], payload: { model, sequence } }],
    });
  return { collection, write };
};

test('Qdrant stand-in: each model has a collection of its own', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) expect(await expectTrue(subject, asOf, modelId)).toBe('qdrant');
  const targets = await aliases();
  expect(Object.keys(targets).sort()).toEqual([aliasOf(name, 'm'), aliasOf(name, 'm2')].sort());
  expect(await collections()).toEqual(Object.values(targets).sort());
});

test('Qdrant stand-in: a deletion reaches the collections of all models', async () => {
  const subject = startProcess();
  put(0, [1]);
  const asOf = put(0, [3, 4], 'm2');
  for (const modelId of ['m', 'm2']) await expectTrue(subject, asOf, modelId);
  const before = await versionBefore();
  await before.write(0, [1], 1);
  embeddings.remove(idOf(0));
  await startProcess().index.remove(idOf(0));
  for (const collection of await collections()) expect(await pointsOf(collection)).toEqual([]);
});

test('Qdrant stand-in: the collection of the version before is shared as long as it holds this model alone', async () => {
  const before = await versionBefore();
  const first = put(0, [1]);
  await before.write(0, [1], first);
  const subject = startProcess();
  expect(await expectTrue(subject, first)).toBe('qdrant');
  expect(await aliases()).toEqual({ [name]: before.collection, [aliasOf(name, 'm')]: before.collection });
  expect(await collections()).toEqual([before.collection]);

  const second = put(1, [1, 1]);
  await before.write(1, [1, 1], second);
  expect(await expectTrue(subject, second)).toBe('qdrant');
  expect(await expectTrue(subject, put(2, [3, 4]))).toBe('qdrant');
  expect(await pointsOf(name)).toHaveLength(3);

  const asOf = put(0, [3, 4], 'm2');
  expect(await expectTrue(subject, asOf, 'm2')).toBe('qdrant');
  expect((await pointsOf(name)).map(([, model]) => model)).toEqual(['m', 'm', 'm']);
});

test('Qdrant stand-in: a collection of the version before that holds other models too is left to it', async () => {
  const before = await versionBefore();
  const first = put(0, [1]);
  await before.write(0, [1], first);
  await before.write(1, [1], 1, 'older');
  const subject = startProcess();
  expect(await expectTrue(subject, first)).toBe('qdrant');
  expect((await aliases())[aliasOf(name, 'm')]).not.toBe(before.collection);
  expect((await aliases())[name]).toBe(before.collection);
  expect(await pointsOf(name)).toHaveLength(2);
});

test('Qdrant stand-in: a rebuild of a shared collection replaces it for the version before as well', async () => {
  const before = await versionBefore();
  const asOf = put(0, [1]);
  await before.write(0, [1], asOf);
  const subject = startProcess();
  await subject.index.rebuild('m');
  const targets = await aliases();
  expect(targets[name]).toBe(targets[aliasOf(name, 'm')]);
  expect(await collections()).toEqual([targets[name]]);
  expect(await pointsOf(name)).toHaveLength(1);
  expect(await expectTrue(subject, asOf)).toBe('qdrant');
});

test('Qdrant stand-in: a forgotten model leaves nothing, also where the version before had its vectors', async () => {
  const [one, other] = [startProcess(), startProcess()];
  const before = await versionBefore();
  const first = put(0, [1]);
  await before.write(0, [1], first);
  await expectTrue(one, first);
  const asOf = put(0, [3, 4], 'm2');
  await expectTrue(one, asOf, 'm2');
  embeddings.removeModel('m');
  await other.index.forget('m');
  const targets = await aliases();
  expect(Object.keys(targets)).toEqual([aliasOf(name, 'm2')]);
  expect(await collections()).toEqual(Object.values(targets));
  expect(await expectTrue(one, asOf, 'm2')).toBe('qdrant');
});

test('Qdrant stand-in: forgetting a model leaves a shared collection that searches use, whatever it came to hold', async () => {
  const before = await versionBefore();
  const asOf = put(0, [1]);
  await before.write(0, [1], asOf);
  const subject = startProcess();
  await expectTrue(subject, asOf);
  await before.write(1, [1], asOf + 1, 'm2');
  await subject.index.forget('m2');
  expect(await aliases()).toEqual({ [name]: before.collection, [aliasOf(name, 'm')]: before.collection });
  expect(await expectTrue(subject, asOf)).toBe('qdrant');
});

test('Qdrant stand-in: a model is not forgotten while Qdrant is away, and is when it is back', async () => {
  const subject = startProcess();
  await expectTrue(subject, put(0, [1]));
  standIn.faults.set('503');
  await expect(subject.index.forget('m')).rejects.toThrow();
  standIn.faults.set(null);
  await until(() =>
    subject.index.forget('m').then(
      () => true,
      () => false,
    ),
  );
  expect(await collections()).toEqual([]);
});

test('Qdrant stand-in: what is prepared before a change answers the first search after it', async () => {
  const subject = startProcess();
  for (let i = 0; i < 10; i += 1) put(i, [1, i], 'm2');
  const asOf = put(10, [1, 10], 'm2');
  subject.index.prepare('m2', asOf);
  await until(async () => {
    const target = (await aliases())[aliasOf(name, 'm2')];
    return target !== undefined && (await pointsOf(target)).length === 11;
  });
  standIn.calls.length = 0;
  expect(await expectTrue(subject, asOf, 'm2')).toBe('qdrant');
  expect(standIn.calls.filter(({ path }) => path.endsWith('/batch') || path.endsWith('/points'))).toEqual([]);
});
