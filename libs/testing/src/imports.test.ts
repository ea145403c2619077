import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  const { authority, admin } = await createFixtures(harness);
  const { useCases, documents, ports } = harness;
  /** Returns the input for importing a document with these operations, such as `GET /bridges`. */
  const inputOf = async (
    operations: readonly string[],
    {
      name = 'Roads',
      importKey = null as string | null,
      strict = false,
      description = undefined as string | undefined,
    },
  ) => {
    const paths: Record<string, Record<string, object>> = {};
    for (const operation of operations) {
      const [method = '', path = ''] = operation.split(' ');
      (paths[path] ??= {})[method.toLowerCase()] = { responses: { 200: { description: 'It' } } };
    }
    const text = JSON.stringify({ openapi: '3.0.3', info: { title: name, version: '1', description }, paths });
    return { name, document: await documents.readFile(Buffer.from(text)), strict, importKey };
  };
  const publish = async (...input: Parameters<typeof inputOf>) =>
    useCases.importCollection(authority, admin.id, await inputOf(...input));
  const plan = async (...input: Parameters<typeof inputOf>) => {
    const { outcome, current, plannedFields, addedOperations, removedOperations } = await useCases.planImport(
      authority,
      await inputOf(...input),
    );
    const format = (operations: typeof addedOperations) => operations.map(({ method, path }) => `${method} ${path}`);
    return {
      outcome,
      id: current?.id ?? null,
      planned: plannedFields,
      added: format(addedOperations),
      removed: format(removedOperations),
    };
  };
  /** Returns everything that a plan could have written. */
  const readStoredState = async () => {
    const collections = await ports.collections.list({ scope: 'all' }, null);
    const storedCollections = collections.map(async ({ id }) => [
      await ports.collections.find(id),
      await ports.collections.findDocument(id),
      await ports.operations.list(id, { tag: null, containing: null }, null),
    ]);
    return {
      collections: await Promise.all(storedCollections),
      audit: await ports.audit.readPage({ source: 'all' }, 0, 100),
      outbox: await ports.outbox.readState(Number.MAX_SAFE_INTEGER),
    };
  };
  return { ...harness, authority, admin, publish, plan, readStoredState };
};

test('a plan reports that a document is new, and lists its operations', async () => {
  const { plan } = await setUp();
  expect(await plan(['GET /bridges', 'POST /bridges'], { importKey: 'a' })).toMatchObject({
    ...{ outcome: 'created', id: null, planned: { name: 'Roads', description: 'Bridges.', descriptionDerived: true } },
    ...{ added: ['GET /bridges', 'POST /bridges'], removed: [] },
  });
});

test('a plan lists the changes that the import then makes', async () => {
  const { publish, plan } = await setUp();
  const { collection } = await publish(['GET /bridges', 'GET /roads'], { importKey: 'a' });
  const nextImport = [['GET /roads', 'DELETE /roads'], { importKey: 'a', name: 'Ways', description: 'All.' }] as const;
  expect(await plan(...nextImport)).toMatchObject({
    ...{ outcome: 'updated', id: collection.id, planned: { name: 'Ways', description: 'All.' } },
    ...{ added: ['DELETE /roads'], removed: ['GET /bridges'] },
  });
  expect(await publish(...nextImport)).toMatchObject({
    outcome: 'updated',
    collection: { id: collection.id, name: 'Ways', description: 'All.' },
  });
  expect(await plan(...nextImport)).toMatchObject({ outcome: 'unchanged', added: [], removed: [] });
});

test('a plan writes nothing', async () => {
  const { publish, plan, readStoredState } = await setUp();
  await publish(['GET /bridges'], { importKey: 'a' });
  const stateBefore = await readStoredState();
  await plan(['GET /roads'], { importKey: 'a', name: 'Other', description: 'Other.' });
  await plan(['GET /roads'], { importKey: 'b' });
  await plan(['GET /roads'], { name: 'Roads' });
  expect(await readStoredState()).toEqual(stateBefore);
});

test('a plan rejects any input that the import rejects', async () => {
  const { publish, plan } = await setUp();
  const invalidImport = [['NOT/A /method'], { strict: true }] as const;
  const rejection = await publish(...invalidImport).catch((error: unknown) => error);
  expect(rejection).toMatchObject({ code: 'invalid_body' });
  await expect(plan(...invalidImport)).rejects.toThrow((rejection as Error).message);
});

test('without an import key, the collection with exactly this name is updated, regardless of its creator', async () => {
  const { publish, useCases, authority, admin, documents } = await setUp();
  const document = await documents.readFile(
    Buffer.from('{"openapi":"3.0.3","info":{"title":"x","version":"1"},"paths":{}}'),
  );
  const fields = { description: 'Written.', authentication: null, document, strict: false };
  const namedCollection = await useCases.createCollection(authority, admin.id, { ...fields, name: 'Roads' });
  await useCases.createCollection(authority, admin.id, { ...fields, name: 'roads' });
  expect(await publish(['GET /bridges'], {})).toMatchObject({
    outcome: 'updated',
    collection: { id: namedCollection.id, description: 'Written.' },
  });
  expect(await publish(['GET /bridges'], {})).toMatchObject({ outcome: 'unchanged' });
  expect(await publish(['GET /bridges'], { name: 'ROADS' })).toMatchObject({ outcome: 'created' });
});

test('a name is found among many that differ only in case, and a name that several collections have is rejected', async () => {
  const { publish, plan } = await setUp();
  // The names differ only in case, so they have the same sort key; their entries fill many pages of a list.
  const names = Array.from({ length: 128 }, (_, index) =>
    [...'letters'].map((letter, position) => ((index >> position) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
  for (const name of names) await publish(['GET /x'], { name, importKey: `file ${name}` });
  for (const name of names) expect(await plan(['GET /x'], { name })).toMatchObject({ outcome: 'unchanged' });
  await publish(['GET /x'], { name: 'letters', importKey: 'other' });
  await expect(plan(['GET /x'], { name: 'letters' })).rejects.toMatchObject({ code: 'name_shared' });
  await expect(publish(['GET /x'], { name: 'letters' })).rejects.toMatchObject({ code: 'name_shared' });
});
