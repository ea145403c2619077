import { clientPair } from '@portico/domain';
import type { CollectionId, Ports } from '@portico/domain';
import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness } from './harness.ts';

const request = { form: 'slice', detail: 'request', maxBytes: 8_192 } as const;
const everything = { tag: null, containing: null };

/** A client that may use a collection of one operation, and one that it may not use. */
const setUp = async (ports: (right: Ports) => Partial<Ports> = () => ({}), summary = 'Read the tolls of a road') => {
  const plain = createHarness();
  const harness = createHarness({}, { ...plain.ports, ...ports(plain.ports) });
  const cast = await createCast({ ...harness, tokens: plain.tokens });
  const read = (summary: string) => {
    const paths = { '/tolls': { get: { summary, responses: {} } } };
    const document = { openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths };
    return harness.documents.readFile(Buffer.from(JSON.stringify(document)), 'json');
  };
  const create = async (): Promise<CollectionId> => {
    const texts = { name: 'Roads', description: '', authentication: null };
    const document = await read(summary);
    return (
      await harness.useCases.createCollection(cast.authority, cast.admin.id, { ...texts, document, strict: false })
    ).id;
  };
  const [roads, hidden] = [await create(), await create()];
  const { id, key } = await cast.approved('ada');
  await harness.useCases.grantAccess(cast.authority, clientPair(id, roads));
  const [operation] = await harness.ports.operations.list(roads, everything, null);
  if (!operation) throw new Error('The document has no operation');
  const describe = async (collection: CollectionId) => {
    const principal = await cast.byKey(key, collection);
    const { text, isOfRequest } = await harness.useCases.describeOperation(principal, operation.key, request);
    return { ...(JSON.parse(Buffer.from(text).toString()) as { readonly summary: string }), isOfRequest };
  };
  return { ...harness, ...cast, read, roads, hidden, key, describe };
};

test('an operation is described to those who may read its collection alone', async () => {
  const { describe, roads, hidden } = await setUp();
  expect((await describe(roads)).summary).toBe('Read the tolls of a road');
  await expect(describe(hidden)).rejects.toThrow('No access to this collection');
});

test('slices, and searches of what may be seen, are counted for the collection', async () => {
  const { useCases, describe, roads, hidden, key, byKey, byToken } = await setUp();
  await describe(roads);
  for (const collectionId of [roads, hidden]) {
    const search = { query: 'tolls', limit: 1, collectionId, method: null };
    await useCases.searchOperations(await byKey(key, null), search);
  }
  await useCases.writeUsage();
  const report = { by: 'collection', profileId: null, collectionId: null, from: null, to: null } as const;
  const lines = await useCases.readUsage(await byToken('root'), report);
  const counts = lines.map(({ counts: { slice, search } }) => [slice, search]);
  expect(counts.toSorted()).toEqual([
    [0, 1],
    [1, 1],
  ]);
});

test('an operation of a document that is replaced while it is read is cut out of the new one', async () => {
  let replace = async (): Promise<unknown> => undefined;
  const racing = ({ collections }: Ports): Partial<Ports> => ({
    collections: {
      ...collections,
      document: async (id) => {
        await replace();
        return collections.document(id);
      },
    },
  });
  // No other test has brought this document into the thread that slices.
  const { describe, roads, read, useCases, authority } = await setUp(racing, 'Read a toll that changes');
  const document = await read('Read all tolls');
  replace = async () => {
    replace = async () => undefined;
    await useCases.updateCollection(authority, roads, { document, strict: false });
  };
  expect(await describe(roads)).toMatchObject({ summary: 'Read all tolls', isOfRequest: false });
  expect(await describe(roads)).toMatchObject({ summary: 'Read all tolls', isOfRequest: true });
});

test('a document that was stored without its operations is read once more', async () => {
  const { ports, runJobs, roads, useCases, key, byKey } = await setUp();
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
  const { results } = await useCases.searchOperations(await byKey(key, null), search);
  expect(results).toMatchObject([{ path: '/tolls', collectionId: roads }]);
});
