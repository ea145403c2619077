import { toClientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases, documents, runJobs } = harness;
  /** Reads a document that contains paths for these resources. */
  const read = (resources: readonly string[], description?: string) =>
    documents.readFile(
      Buffer.from(
        JSON.stringify({
          openapi: '3.0.3',
          info: { title: 'Roads', version: '1', description },
          paths: Object.fromEntries(resources.map((resource) => [`/${resource}`, { get: { responses: {} } }])),
        }),
      ),
    );
  const importDocument = async (resources: readonly string[], description?: string) => {
    const document = await read(resources, description);
    const input = { name: 'Roads', document, strict: false, importKey: 'roads.json' };
    const { collection, outcome } = await useCases.importCollection(fixtures.authority, fixtures.admin.id, input);
    await runJobs();
    return { outcome, ...collection };
  };
  return { ...harness, ...fixtures, read, importDocument };
};

test('importing a document without a description derives one, which searches and lists use', async () => {
  const { importDocument, useCases, admitByKey, approveClient, authority } = await setUp();
  const collection = await importDocument(['bridges', 'tunnels']);
  expect(collection).toMatchObject({ outcome: 'created', description: 'Bridges, tunnels.', descriptionDerived: true });
  const { id, key } = await approveClient('ada');
  await useCases.grantAccess(authority, toClientPair(id, collection.id));
  const ada = await admitByKey(key, null);
  expect(await useCases.listCollections(ada, null)).toMatchObject([{ description: 'Bridges, tunnels.' }]);
  const { results } = await useCases.searchCollections(ada, 'tunnels', 1);
  expect(results[0]?.score).toBeGreaterThan(0.2);
});

test('the audit log records that it is derived', async () => {
  const { importDocument, useCases, authority, ports } = await setUp();
  const { id } = await importDocument(['bridges']);
  await useCases.updateCollection(authority, id, { description: 'Written.', strict: false });
  const { entries } = await ports.audit.readPage({ source: 'system' }, 0, 2);
  expect(entries.map(({ message }) => JSON.parse(message) as unknown)).toMatchObject([
    { action: 'collection.update', fields: ['description', 'description_derived'] },
    { action: 'collection.create', description_derived: true },
  ]);
});

test('it is derived again when the document changes, and embedded again only then', async () => {
  const { importDocument } = await setUp();
  await importDocument(['bridges']);
  expect(await importDocument(['bridges'])).toMatchObject({ outcome: 'unchanged', contentRevision: 1 });
  expect(await importDocument(['ferries'])).toMatchObject({
    outcome: 'updated',
    description: 'Ferries.',
    descriptionDerived: true,
    contentRevision: 2,
  });
});

test('it is also derived again when an admin replaces the document', async () => {
  const { importDocument, useCases, authority, read } = await setUp();
  const { id } = await importDocument(['bridges']);
  const edit = { document: await read(['ferries']), strict: false };
  const { collection } = await useCases.updateCollection(authority, id, edit);
  expect(collection).toMatchObject({ description: 'Ferries.', contentRevision: 2 });
});

test("an admin's description is kept by the next import, even if it is empty", async () => {
  for (const description of ['Written.', '']) {
    const { importDocument, useCases, authority } = await setUp();
    const { id } = await importDocument(['bridges']);
    await useCases.updateCollection(authority, id, { description, strict: false });
    expect(await importDocument(['ferries'])).toMatchObject({ description, descriptionDerived: false });
  }
});

test('a description in a later version of the document replaces a derived one', async () => {
  const { importDocument } = await setUp();
  await importDocument(['bridges']);
  expect(await importDocument(['bridges'], 'All roads.')).toMatchObject({
    description: 'All roads.',
    descriptionDerived: false,
  });
});

test('an empty description of a collection that was not imported remains empty', async () => {
  const { useCases, authority, admin, read } = await setUp();
  const document = await read(['bridges']);
  const input = { name: 'Roads', description: '', authentication: null, document, strict: false };
  const { id } = await useCases.createCollection(authority, admin.id, input);
  const { collection } = await useCases.updateCollection(authority, id, {
    document: await read(['ferries']),
    strict: false,
  });
  expect(collection).toMatchObject({ description: '', descriptionDerived: false, contentRevision: 1 });
});
