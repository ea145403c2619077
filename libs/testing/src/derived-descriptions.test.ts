import { clientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  const cast = await createCast(harness);
  const { useCases, documents, runJobs } = harness;
  /** A document whose paths have these resources. */
  const read = (resources: readonly string[], description?: string) =>
    documents.readFile(
      Buffer.from(
        JSON.stringify({
          openapi: '3.0.3',
          info: { title: 'Roads', version: '1', description },
          paths: Object.fromEntries(resources.map((resource) => [`/${resource}`, { get: { responses: {} } }])),
        }),
      ),
      'json',
    );
  const doImport = async (resources: readonly string[], description?: string) => {
    const document = await read(resources, description);
    const input = { name: 'Roads', document, strict: false, importKey: 'roads.json' };
    const { collection, outcome } = await useCases.importCollection(cast.authority, cast.admin.id, input);
    await runJobs();
    return { outcome, ...collection };
  };
  return { ...harness, ...cast, read, doImport };
};

test('an import without a description derives one, which search and lists know', async () => {
  const { doImport, useCases, byKey, approved, authority } = await setUp();
  const imported = await doImport(['bridges', 'tunnels']);
  expect(imported).toMatchObject({ outcome: 'created', description: 'Bridges, tunnels.', descriptionDerived: true });
  const { id, key } = await approved('ada');
  await useCases.grantAccess(authority, clientPair(id, imported.id));
  const ada = await byKey(key, null);
  expect(await useCases.listCollections(ada, null)).toMatchObject([{ description: 'Bridges, tunnels.' }]);
  const { results } = await useCases.searchCollections(ada, 'tunnels', 1);
  expect(results[0]?.score).toBeGreaterThan(0.2);
});

test('the audit log says that it is derived', async () => {
  const { doImport, useCases, authority, ports } = await setUp();
  const { id } = await doImport(['bridges']);
  await useCases.updateCollection(authority, id, { description: 'Written.', strict: false });
  const { entries } = await ports.audit.page({ source: 'system' }, 0, 2);
  expect(entries.map(({ message }) => JSON.parse(message) as unknown)).toMatchObject([
    { action: 'collection.update', fields: ['description', 'description_derived'] },
    { action: 'collection.create', description_derived: true },
  ]);
});

test('a changed document derives it anew, and only then it is embedded again', async () => {
  const { doImport } = await setUp();
  await doImport(['bridges']);
  expect(await doImport(['bridges'])).toMatchObject({ outcome: 'unchanged', contentRevision: 1 });
  expect(await doImport(['ferries'])).toMatchObject({
    outcome: 'updated',
    description: 'Ferries.',
    descriptionDerived: true,
    contentRevision: 2,
  });
});

test('a document that is replaced by an admin derives it anew too', async () => {
  const { doImport, useCases, authority, read } = await setUp();
  const { id } = await doImport(['bridges']);
  const edit = { document: await read(['ferries']), strict: false };
  const { collection } = await useCases.updateCollection(authority, id, edit);
  expect(collection).toMatchObject({ description: 'Ferries.', contentRevision: 2 });
});

test('what an admin wrote stays at the next import, and so does what an admin emptied', async () => {
  for (const description of ['Written.', '']) {
    const { doImport, useCases, authority } = await setUp();
    const { id } = await doImport(['bridges']);
    await useCases.updateCollection(authority, id, { description, strict: false });
    expect(await doImport(['ferries'])).toMatchObject({ description, descriptionDerived: false });
  }
});

test('a description that the document gains replaces a derived one', async () => {
  const { doImport } = await setUp();
  await doImport(['bridges']);
  expect(await doImport(['bridges'], 'All roads.')).toMatchObject({
    description: 'All roads.',
    descriptionDerived: false,
  });
});

test('an empty description of a collection that was not imported stays empty', async () => {
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
