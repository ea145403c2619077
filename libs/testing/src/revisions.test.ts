import { createDocumentReader } from '@portico/openapi';
import {
  breakingTextsMax,
  collectionAuthorityOf,
  comparedBytesMax,
  createRevision,
  operatorAuthority,
  operatorCredential,
  PorticoError,
  storedChangesLengthMax,
  type Change,
  type CollectionId,
  type Comparison,
  type Ports,
} from '@portico/domain';
import { expect, onTestFinished, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async (replacePorts: (original: Ports) => Partial<Ports> = () => ({})) => {
  const base = createHarness();
  const harness = createHarness({}, { ...base.ports, ...replacePorts(base.ports) });
  const fixtures = await createFixtures({ ...harness, tokens: base.tokens });
  const read = (...paths: readonly string[]) => {
    const operations = paths.map((path) => [path, { get: { responses: {} } }]);
    const info = { title: 'Roads', version: '1' };
    return base.documents.readFile(
      Buffer.from(JSON.stringify({ openapi: '3.0.3', info, paths: Object.fromEntries(operations) as object })),
    );
  };
  const { useCases } = harness;
  const update = async (id: CollectionId, ...paths: readonly string[]) =>
    useCases.updateCollection(fixtures.authority, id, { document: await read(...paths), strict: false });
  const listOf = (id: CollectionId) => harness.ports.revisions.list(id, { limit: 99, before: null });
  return { ...harness, ...fixtures, read, update, listOf, base };
};

test('a revision names the administrator who made it, and none for the command line', async () => {
  const { admin, createCollection, update, useCases, read, listOf } = await setUp();
  const id = await createCollection('Roads');
  await update(id, '/a');
  await useCases.updateCollection(operatorAuthority, id, { document: await read('/b'), strict: false });
  expect((await listOf(id)).map(({ actorId, actorName }) => [actorId, actorName])).toEqual([
    [null, null],
    [admin.id, 'root@example.com'],
    [admin.id, 'root@example.com'],
  ]);
});

test('the changes are rated by the policy of the collection', async () => {
  const { createCollection, update, listOf, useCases } = await setUp();
  const id = await createCollection('Roads');
  const { principal } = await useCases.admit({
    credential: operatorCredential,
    auth: 'admin',
    target: null,
    sender: { address: '192.0.2.1' },
    deadline: null,
  });
  await update(id, '/a', '/b', '/c');
  const policy = { levels: { 'api-path-removed-without-deprecation': 'warning' as const }, expected: [] };
  await useCases.setChangePolicy(collectionAuthorityOf(principal, id), policy);
  await update(id, '/a', '/b');
  expect((await listOf(id))[0]?.counts).toEqual({ breaking: 0, warning: 1, info: 0 });
});

test('the changes are those from the document that is replaced, even if it changes during the comparison', async () => {
  let interrupt: (() => Promise<unknown>) | null = null;
  const { createCollection, update, listOf } = await setUp(({ documents }) => ({
    documents: {
      ...documents,
      compare: async (...args) => {
        const comparison = await documents.compare(...args);
        const current = interrupt;
        interrupt = null;
        await current?.();
        return comparison;
      },
    },
  }));
  const id = await createCollection('Roads');
  interrupt = () => update(id, '/a', '/b');
  const { documentChange } = await update(id, '/a');
  expect(documentChange?.comparison?.counts).toEqual({ breaking: 1, warning: 0, info: 0 });
  expect((await listOf(id)).map(({ counts }) => counts)).toEqual([
    { breaking: 1, warning: 0, info: 0 },
    { breaking: 0, warning: 0, info: 2 },
    null,
  ]);
});

test('a document that takes too long to compare is stored, and its changes are unknown', async () => {
  const hastyReader = createDocumentReader({ timeLimitMs: 0 });
  onTestFinished(() => hastyReader.close());
  const { createCollection, update, listOf } = await setUp(({ documents }) => ({
    documents: { ...documents, compare: (...args) => hastyReader.compare(...args) },
  }));
  const id = await createCollection('Roads');
  const { hasChanged, documentChange } = await update(id, '/a');
  expect([hasChanged, documentChange]).toEqual([true, { comparison: null }]);
  expect((await listOf(id)).map(({ counts }) => counts)).toEqual([null, null]);
});

test('documents are compared up to a size of both together', async () => {
  const counts = { breaking: 0, warning: 0, info: 3 };
  const { createCollection, read, useCases, authority, listOf, ports } = await setUp(({ documents }) => ({
    documents: { ...documents, compare: () => Promise.resolve({ changes: [], counts }) },
  }));
  const id = await createCollection('Roads');
  /** Replaces the document by one that seems to be so large that both together have this size. */
  const updateTo = async (bytes: number, path: string) => {
    const document = await read(path);
    const current = (await ports.collections.findDocument(id))?.packed.bytes ?? 0;
    const packed = { ...document.packed, bytes: bytes - current };
    const comparable = await useCases.updateCollection(authority, id, {
      document: { ...document, packed },
      strict: false,
    });
    return comparable.documentChange?.comparison?.counts ?? null;
  };
  expect(await updateTo(comparedBytesMax, '/a')).toEqual(counts);
  expect(await updateTo(comparedBytesMax + 1, '/b')).toBeNull();
  expect((await listOf(id))[0]).toMatchObject({ number: 3, counts: null, breakingTexts: [] });
});

test.each([
  ['its request expires during the comparison', new PorticoError('timed_out')],
  ['the comparison has a fault', new PorticoError('internal')],
])('a document is not stored if %s', async (_, error) => {
  const { createCollection, update, listOf } = await setUp(({ documents }) => ({
    documents: { ...documents, compare: () => Promise.reject(error) },
  }));
  const id = await createCollection('Roads');
  await expect(update(id, '/a')).rejects.toThrow('Internal server error');
  expect(await listOf(id)).toHaveLength(1);
});

test('a document that stays the same is not compared', async () => {
  const { createCollection, update, listOf } = await setUp(({ documents }) => ({
    documents: { ...documents, compare: () => Promise.reject(new Error('compared')) },
  }));
  const id = await createCollection('Roads');
  expect(await update(id)).toMatchObject({ hasChanged: false, documentChange: null });
  expect(await listOf(id)).toHaveLength(1);
});

test('the stored changes of a revision are read without another comparison; any other revisions are compared', async () => {
  let comparisons = 0;
  const { createCollection, update, useCases, admitByToken, ports } = await setUp(({ documents }) => ({
    documents: {
      ...documents,
      compare: (...args) => {
        comparisons += 1;
        return documents.compare(...args);
      },
    },
  }));
  const id = await createCollection('Roads');
  await update(id, '/a');
  await update(id, '/b');
  const diff = async (from: number | null, to: number | null) => {
    const [before, difference] = [
      comparisons,
      await useCases.compareRevisions(await admitByToken('root', id), id, { from, to }),
    ];
    return [difference.counts.breaking, difference.counts.info, comparisons - before];
  };
  expect([await diff(null, null), await diff(1, 2)]).toEqual([
    [1, 1, 0],
    [0, 1, 0],
  ]);
  expect([await diff(1, 3), await diff(3, 2), await diff(2, 2)]).toEqual([
    [0, 1, 1],
    [1, 1, 1],
    [0, 0, 0],
  ]);
  // The changes are known even if the previous revision was removed.
  expect(await ports.revisions.prune({ newest: 1, since: Number.MAX_SAFE_INTEGER }, 9)).toBe(2);
  expect(await diff(null, null)).toEqual([1, 1, 0]);
  await expect(diff(3, 2)).rejects.toThrow('Revision not found: 2');
});

const aChange = (text: string, level: Change['level'] = 'breaking'): Change => ({
  ...{ rule: 'r', level, operation: null, place: '', text, example: null, fingerprint: '0123456789ab' },
});
const comparisonOf = (changes: readonly Change[]): Comparison => ({
  changes,
  counts: { breaking: changes.length, warning: 0, info: 0 },
});

test('a revision has the texts of its first breaking changes, in one line each', () => {
  const texts = Array.from({ length: breakingTextsMax + 1 }, (_, index) => `Text ${index}\nof two lines`);
  const changes = [...texts.map((text) => aChange(text)), aChange('other', 'info')];
  const { breakingTexts } = createRevision(null, null, comparisonOf(changes));
  expect(breakingTexts).toHaveLength(breakingTextsMax);
  expect(breakingTexts[0]).not.toContain('\n');
});

test('a revision stores as many changes as fit, and all of them if they just fit', () => {
  const overhead = JSON.stringify(aChange('')).length;
  const half = (excess: number) => aChange('x'.repeat(storedChangesLengthMax / 2 - overhead + excess));
  expect(createRevision(null, null, comparisonOf([half(0), half(0)])).changes).toHaveLength(2);
  expect(createRevision(null, null, comparisonOf([half(0), half(1)])).changes).toHaveLength(1);
});
