import { noUses, toClientPair } from '@portico/domain';
import type { CollectionId, Ports } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const request = { form: 'slice', detail: 'request', maxBytes: 8_192 } as const;
const noFilter = { tag: null, containing: null };

/** Creates a client and two collections of one operation: one that the client may use, and one that it may not use. */
const setUp = async (
  createPorts: (original: Ports) => Partial<Ports> = () => ({}),
  summary = 'Read the tolls of a road',
) => {
  const baseHarness = createHarness();
  const harness = createHarness({}, { ...baseHarness.ports, ...createPorts(baseHarness.ports) });
  const fixtures = await createFixtures({ ...harness, tokens: baseHarness.tokens });
  const read = (summary: string) => {
    const paths = { '/tolls': { get: { summary, responses: {} } } };
    const document = { openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths };
    return harness.documents.readFile(Buffer.from(JSON.stringify(document)));
  };
  const create = async (): Promise<CollectionId> => {
    const input = { name: 'Roads', description: '', authentication: null };
    const document = await read(summary);
    return (
      await harness.useCases.createCollection(fixtures.authority, fixtures.admin.id, {
        ...input,
        document,
        strict: false,
      })
    ).id;
  };
  const [roads, hidden] = [await create(), await create()];
  const { id, key } = await fixtures.approveClient('ada');
  await harness.useCases.grantAccess(fixtures.authority, toClientPair(id, roads));
  const [operation] = await harness.ports.operations.list(roads, noFilter, null);
  if (!operation) throw new Error('The document has no operation');
  const describe = async (collection: CollectionId) => {
    const principal = await fixtures.admitByKey(key, collection);
    const { text, isFromAdmittedDocument } = await harness.useCases.describeOperation(
      principal,
      operation.key,
      request,
    );
    return { ...(JSON.parse(Buffer.from(text).toString()) as { readonly summary: string }), isFromAdmittedDocument };
  };
  return { ...harness, ...fixtures, read, roads, hidden, id, key, operation, describe };
};

test('an operation is described only to callers that may read its collection', async () => {
  const { describe, roads, hidden } = await setUp();
  expect((await describe(roads)).summary).toBe('Read the tolls of a road');
  await expect(describe(hidden)).rejects.toThrow('No access to this collection');
});

const allUsage = { profileId: null, collectionId: null, from: null, to: null };

test('slices, and searches of a visible collection, are counted for the collection, and slices for the operation', async () => {
  const { useCases, describe, roads, hidden, key, operation, admitByKey, admitByToken } = await setUp();
  await describe(roads);
  await useCases.prepareOperation(await admitByKey(key, roads), operation.key, '{}');
  for (const collectionId of [roads, hidden]) {
    const search = { query: 'tolls', limit: 1, collectionId, method: null };
    await useCases.searchOperations(await admitByKey(key, null), search);
  }
  await useCases.writeUsage();
  const readUsage = async (by: 'collection' | 'operation') =>
    useCases.readUsage(await admitByToken('root'), { ...allUsage, by });
  const counts = (await readUsage('collection')).map(({ counts: { slice, search } }) => [slice, search]);
  expect(counts.toSorted()).toEqual([
    [0, 1],
    [2, 1],
  ]);
  expect(await readUsage('operation')).toMatchObject([
    { subject: { path: '/tolls' }, counts: { slice: 2, search: 0 } },
  ]);
});

test('a client sees its uses of operations, without the name and the paths of a collection that it may no longer see', async () => {
  const { useCases, describe, roads, id, key, operation, authority, admitByKey, admitByToken } = await setUp();
  await describe(roads);
  const admin = await admitByToken('root');
  useCases.countUse(admin, 'call', roads, operation.key);
  await useCases.writeUsage();
  const { method, path } = operation;
  const subject = { by: 'operation', operationKey: operation.key, method, path, collectionId: roads };
  const visibleSubject = { ...subject, collectionName: 'Roads' };
  const read = async () => useCases.readUsage(await admitByKey(key, null), { ...allUsage, by: 'operation' });
  expect(await read()).toEqual([{ subject: visibleSubject, counts: { ...noUses, slice: 1 } }]);
  await useCases.revokeAccess(authority, toClientPair(id, roads));
  expect(await read()).toEqual([
    { subject: { ...subject, method: null, path: null, collectionName: null }, counts: { ...noUses, slice: 1 } },
  ]);
  const allOperations = await useCases.readUsage(admin, { ...allUsage, by: 'operation' });
  expect(allOperations).toEqual([{ subject: visibleSubject, counts: { ...noUses, slice: 1, call: 1 } }]);
});

test('if a document is replaced while it is read, the operation is sliced from the new document', async () => {
  let replace = async (): Promise<unknown> => undefined;
  const replaceDuringRead = ({ collections }: Ports): Partial<Ports> => ({
    collections: {
      ...collections,
      findDocument: async (id) => {
        await replace();
        return collections.findDocument(id);
      },
    },
  });
  // This document has not been loaded into the slicing thread by any other test.
  const { describe, roads, read, useCases, authority } = await setUp(replaceDuringRead, 'Read a toll that changes');
  const document = await read('Read all tolls');
  replace = async () => {
    replace = async () => undefined;
    await useCases.updateCollection(authority, roads, { document, strict: false });
  };
  expect(await describe(roads)).toMatchObject({ summary: 'Read all tolls', isFromAdmittedDocument: false });
  expect(await describe(roads)).toMatchObject({ summary: 'Read all tolls', isFromAdmittedDocument: true });
});

test('a document that was stored without its operations is read again', async () => {
  const { ports, runJobs, roads, useCases, key, admitByKey } = await setUp();
  const { documentDigest } = (await ports.collections.find(roads)) ?? {};
  await ports.collections.update(roads, (collection) => ({
    collection: { ...collection, documentDigest: 'ab'.repeat(32) },
    deadline: null,
  }));
  expect(await ports.operations.replace(roads, 'ab'.repeat(32), [])).toBe(true);
  await ports.collections.update(roads, (collection) => ({
    collection: { ...collection, documentDigest: documentDigest ?? '' },
    deadline: null,
  }));
  await runJobs();
  const search = { query: 'tolls of a road', limit: 1, collectionId: null, method: null };
  const { results } = await useCases.searchOperations(await admitByKey(key, null), search);
  expect(results).toMatchObject([{ path: '/tolls', collectionId: roads }]);
});
