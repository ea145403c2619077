import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  const { authority, admin } = await createCast(harness);
  const { useCases, documents, ports } = harness;
  /** A document with these operations, such as `GET /bridges`. */
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
    return { name, document: await documents.readFile(Buffer.from(text), 'json'), strict, importKey };
  };
  const publish = async (...from: Parameters<typeof inputOf>) =>
    useCases.importCollection(authority, admin.id, await inputOf(...from));
  const plan = async (...from: Parameters<typeof inputOf>) => {
    const { outcome, current, planned, added, removed } = await useCases.planImport(authority, await inputOf(...from));
    const named = (operations: typeof added) => operations.map(({ method, path }) => `${method} ${path}`);
    return { outcome, id: current?.id ?? null, planned, added: named(added), removed: named(removed) };
  };
  /** Everything that a plan could have written. */
  const written = async () => {
    const listed = await ports.collections.list({ of: 'all' }, null);
    const whole = listed.map(async ({ id }) => [
      await ports.collections.find(id),
      await ports.collections.document(id),
      await ports.operations.list(id, { tag: null, containing: null }, null),
    ]);
    return {
      collections: await Promise.all(whole),
      audit: await ports.audit.page({ source: 'all' }, 0, 100),
      outbox: await ports.outbox.state(Number.MAX_SAFE_INTEGER),
    };
  };
  return { ...harness, authority, admin, publish, plan, written };
};

test('a plan says that a document is new, and names its operations', async () => {
  const { plan } = await setUp();
  expect(await plan(['GET /bridges', 'POST /bridges'], { importKey: 'a' })).toMatchObject({
    ...{ outcome: 'created', id: null, planned: { name: 'Roads', description: 'Bridges.', descriptionDerived: true } },
    ...{ added: ['GET /bridges', 'POST /bridges'], removed: [] },
  });
});

test('a plan names what would change, and then that changes', async () => {
  const { publish, plan } = await setUp();
  const { collection } = await publish(['GET /bridges', 'GET /roads'], { importKey: 'a' });
  const next = [['GET /roads', 'DELETE /roads'], { importKey: 'a', name: 'Ways', description: 'All.' }] as const;
  expect(await plan(...next)).toMatchObject({
    ...{ outcome: 'updated', id: collection.id, planned: { name: 'Ways', description: 'All.' } },
    ...{ added: ['DELETE /roads'], removed: ['GET /bridges'] },
  });
  expect(await publish(...next)).toMatchObject({
    outcome: 'updated',
    collection: { id: collection.id, name: 'Ways', description: 'All.' },
  });
  expect(await plan(...next)).toMatchObject({ outcome: 'unchanged', added: [], removed: [] });
});

test('a plan writes nothing', async () => {
  const { publish, plan, written } = await setUp();
  await publish(['GET /bridges'], { importKey: 'a' });
  const before = await written();
  await plan(['GET /roads'], { importKey: 'a', name: 'Other', description: 'Other.' });
  await plan(['GET /roads'], { importKey: 'b' });
  await plan(['GET /roads'], { name: 'Roads' });
  expect(await written()).toEqual(before);
});

test('a plan refuses what an import refuses', async () => {
  const { publish, plan } = await setUp();
  const departing = [['NOT/A /method'], { strict: true }] as const;
  const refusal = await publish(...departing).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'invalid_body' });
  await expect(plan(...departing)).rejects.toThrow((refusal as Error).message);
});

test('without an import key, the collection of exactly this name is updated, whoever made it', async () => {
  const { publish, useCases, authority, admin, documents } = await setUp();
  const document = await documents.readFile(
    Buffer.from('{"openapi":"3.0.3","info":{"title":"x","version":"1"},"paths":{}}'),
    'json',
  );
  const fields = { description: 'Written.', authentication: null, document, strict: false };
  const mine = await useCases.createCollection(authority, admin.id, { ...fields, name: 'Roads' });
  await useCases.createCollection(authority, admin.id, { ...fields, name: 'roads' });
  expect(await publish(['GET /bridges'], {})).toMatchObject({
    outcome: 'updated',
    collection: { id: mine.id, description: 'Written.' },
  });
  expect(await publish(['GET /bridges'], {})).toMatchObject({ outcome: 'unchanged' });
  expect(await publish(['GET /bridges'], { name: 'ROADS' })).toMatchObject({ outcome: 'created' });
});

test('a name is found among many that differ by case alone, and one that several collections have is refused', async () => {
  const { publish, plan } = await setUp();
  // Page after page of lists has the same sort key.
  const spellings = Array.from({ length: 128 }, (_, at) =>
    [...'letters'].map((letter, place) => ((at >> place) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
  for (const name of spellings) await publish(['GET /x'], { name, importKey: `file ${name}` });
  for (const name of spellings) expect(await plan(['GET /x'], { name })).toMatchObject({ outcome: 'unchanged' });
  await publish(['GET /x'], { name: 'letters', importKey: 'other' });
  await expect(plan(['GET /x'], { name: 'letters' })).rejects.toMatchObject({ code: 'name_shared' });
  await expect(publish(['GET /x'], { name: 'letters' })).rejects.toMatchObject({ code: 'name_shared' });
});
