import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type {
  Collection,
  CollectionId,
  Operation,
  OperationFilter,
  OperationKey,
  OperationPage,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, anOperation, noEffects } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OperationStore`. */
export const operationStoreContract = {
  'operations are listed unchanged, in the order of their document': async (stores) => {
    const operations = [
      createNumberedOperation(3),
      createNumberedOperation(1),
      { ...createNumberedOperation(2), ...minimalFields },
    ];
    const { id } = await addCollection(stores, operations);
    deepStrictEqual(
      await stores.operations.list(id, noFilter, null),
      operations.map((operation, position) => ({ ...operation, position })),
    );
  },

  'a collection that does not exist or has no operations has an empty list': async (stores) => {
    const { id } = await addCollection(stores, []);
    await addCollection(stores, [createNumberedOperation(1)]);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), []);
    deepStrictEqual(await stores.operations.list(aCollection().id, noFilter, null), []);
  },

  'a tag is compared exactly with each tag of an operation': async (stores) => {
    const tags = [['roads'], ['Roads', 'ro"ads'], ['broads'], ['else', 'roads'], []];
    const { id } = await addCollection(
      stores,
      tags.map((operationTags, i) => createNumberedOperation(i, { tags: operationTags })),
    );
    deepStrictEqual(await listPositions(stores, id, { tag: 'roads' }), [0, 3]);
    deepStrictEqual(await listPositions(stores, id, { tag: 'ro"ads' }), [1]);
    deepStrictEqual(await listPositions(stores, id, { tag: 'road' }), []);
    deepStrictEqual(await listPositions(stores, id, { tag: '' }), []);
  },

  'the path, operation id and summary are searched for a text, ignoring the case of ASCII letters': async (stores) => {
    const { id } = await addCollection(stores, [
      createNumberedOperation(0, { path: '/Tolls/{id}' }),
      createNumberedOperation(1, { operationId: 'payTOLL' }),
      createNumberedOperation(2, { summary: 'A toll, and its Maß' }),
      createNumberedOperation(3, { excerpt: 'toll', tags: ['toll'] }),
      createNumberedOperation(4, minimalFields),
    ]);
    deepStrictEqual(await listPositions(stores, id, { containing: 'tOLl' }), [0, 1, 2]);
    deepStrictEqual(await listPositions(stores, id, { containing: 'its maß' }), [2]);
    deepStrictEqual(await listPositions(stores, id, { containing: 'its MASS' }), []);
  },

  'the excerpt is searched for a text only if there is no summary': async (stores) => {
    const { id } = await addCollection(stores, [
      createNumberedOperation(0, { ...minimalFields, excerpt: 'Pay a Toll.' }),
      createNumberedOperation(1, { excerpt: 'Pay a toll.' }),
    ]);
    deepStrictEqual(await listPositions(stores, id, { containing: 'tOLl' }), [0]);
  },

  'a search text is taken literally': async (stores) => {
    const paths = ['/100%', '/100x', '/a_b', '/aXb', '/a!b', "/a'b", '/a\\b'];
    const { id } = await addCollection(
      stores,
      paths.map((path, i) => createNumberedOperation(i, { path })),
    );
    for (const [i, searchText] of ['0%', '00x', 'a_b', 'aXb', 'a!b', "a'b", 'a\\b'].entries()) {
      deepStrictEqual(await listPositions(stores, id, { containing: searchText }), [i]);
    }
  },

  'an operation is listed only if it has both the tag and the search text': async (stores) => {
    const { id } = await addCollection(stores, [
      createNumberedOperation(0, { path: '/a', tags: ['t'] }),
      createNumberedOperation(1, { path: '/b', tags: ['t'] }),
      createNumberedOperation(2, { path: '/a', tags: [] }),
    ]);
    deepStrictEqual(await listPositions(stores, id, { tag: 't', containing: '/a' }), [0]);
  },

  'a page begins at a position in the document, regardless of the filter, and ends at its limit': async (stores) => {
    const { id } = await addCollection(
      stores,
      Array.from({ length: 12 }, (_, i) => createNumberedOperation(i, { tags: i % 2 ? ['odd'] : [] })),
    );
    deepStrictEqual(await listPositions(stores, id, {}, { limit: 3, from: 0 }), [0, 1, 2]);
    deepStrictEqual(await listPositions(stores, id, {}, { limit: 3, from: 10 }), [10, 11]);
    deepStrictEqual(await listPositions(stores, id, { tag: 'odd' }, { limit: 2, from: 4 }), [5, 7]);
    deepStrictEqual(await listPositions(stores, id, {}, { limit: 3, from: 12 }), []);
  },

  'an operation is found by its collection and key': async (stores) => {
    const [firstCollection, otherCollection] = [
      await addCollection(stores, [createNumberedOperation(1), createNumberedOperation(2, minimalFields)]),
      await addCollection(stores, [createNumberedOperation(3)]),
    ];
    deepStrictEqual(
      await stores.operations.find(firstCollection.id, keyOf(2)),
      createNumberedOperation(2, minimalFields),
    );
    strictEqual(await stores.operations.find(otherCollection.id, keyOf(2)), null);
    strictEqual(await stores.operations.find(aCollection().id, keyOf(1)), null);
  },

  'the requested operations that exist are found with the current names of their collections': async (stores) => {
    const [firstCollection, otherCollection] = [
      await addCollection(stores, [createNumberedOperation(1), createNumberedOperation(2)]),
      await addCollection(stores, [createNumberedOperation(1, minimalFields)]),
    ];
    await stores.collections.update(otherCollection.id, (current) => ({
      collection: { ...current, name: 'Renamed' },
      ...noEffects,
    }));
    const removedCollection = await addCollection(stores, [createNumberedOperation(1)]);
    await stores.collections.remove(removedCollection.id, () => noEffects);
    const matches = await stores.operations.findMany([
      { collectionId: otherCollection.id, key: keyOf(1) },
      { collectionId: removedCollection.id, key: keyOf(1) },
      { collectionId: firstCollection.id, key: keyOf(2) },
      { collectionId: firstCollection.id, key: keyOf(7) },
    ]);
    deepStrictEqual(
      [...matches].sort((a, b) => (a.key < b.key ? -1 : 1)),
      [
        { ...createNumberedOperation(1, minimalFields), collectionId: otherCollection.id, collectionName: 'Renamed' },
        { ...createNumberedOperation(2), collectionId: firstCollection.id, collectionName: firstCollection.name },
      ],
    );
    deepStrictEqual(await stores.operations.findMany([]), []);
  },

  'a changed document replaces the operations of the earlier document': async (stores) => {
    const { id } = await addCollection(stores, [createNumberedOperation(1), createNumberedOperation(2)]);
    await replaceDocument(stores, id, [createNumberedOperation(2, { summary: 'New' }), createNumberedOperation(3)]);
    deepStrictEqual(
      (await stores.operations.list(id, noFilter, null)).map(({ key, summary }) => [key, summary]),
      [
        [keyOf(2), 'New'],
        [keyOf(3), createNumberedOperation(3).summary],
      ],
    );
    strictEqual(await stores.operations.findDigest(id), newDigest);
  },

  'after a document changes, the kept, changed, moved, added and removed operations match it': async (stores) => {
    const before = Array.from({ length: 4_100 }, (_, number) => createNumberedOperation(number));
    const { id } = await addCollection(stores, before);
    const [first, second, ...others] = before;
    const after = [second, first, ...others.slice(1, 4_000)].flatMap((operation) => operation ?? []);
    const operations = [
      ...after,
      createNumberedOperation(5_000),
      createNumberedOperation(4_050, { summary: 'Another', deprecated: true, tags: [] }),
    ];
    for (const expected of [operations, operations.slice(1), []]) {
      await replaceDocument(stores, id, expected);
      deepStrictEqual(
        await stores.operations.list(id, noFilter, null),
        expected.map((operation, position) => ({ ...operation, position })),
      );
    }
  },

  'a change that does not affect the document keeps its operations': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [createNumberedOperation(1)]);
    await stores.collections.update(id, (current) => ({ collection: { ...current, name: 'New' }, ...noEffects }));
    deepStrictEqual(await listPositions(stores, id, {}), [0]);
    strictEqual(await stores.operations.findDigest(id), documentDigest);
  },

  'all operations of a collection are deprecated if it has any and each of them is deprecated': async (stores) => {
    const [deprecatedOperation, otherOperation] = [
      createNumberedOperation(1, { deprecated: true }),
      createNumberedOperation(2),
    ];
    const expected = [
      [[], false],
      [[deprecatedOperation], true],
      [[deprecatedOperation, otherOperation], false],
      [[otherOperation], false],
    ] as const;
    for (const [operations, areAllDeprecated] of expected) {
      const { id } = await addCollection(stores, operations);
      strictEqual(await stores.operations.areAllDeprecated(id), areAllDeprecated);
    }
    strictEqual(await stores.operations.areAllDeprecated(aCollection().id), false);
  },

  'the digest is that of the document whose operations are stored': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, []);
    strictEqual(await stores.operations.findDigest(id), documentDigest);
    strictEqual(await stores.operations.findDigest(aCollection().id), null);
  },

  'operations are replaced for the current document of the collection': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [
      createNumberedOperation(1),
      createNumberedOperation(2),
    ]);
    strictEqual(await stores.operations.replace(id, documentDigest, [createNumberedOperation(3)]), true);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), [{ ...createNumberedOperation(3), position: 0 }]);
    strictEqual(await stores.operations.findDigest(id), documentDigest);
  },

  'operations of a different document or of a missing collection are not stored': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [createNumberedOperation(1)]);
    strictEqual(await stores.operations.replace(id, newDigest, [createNumberedOperation(3)]), false);
    strictEqual(await stores.operations.replace(aCollection().id, documentDigest, [createNumberedOperation(3)]), false);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), [{ ...createNumberedOperation(1), position: 0 }]);
    strictEqual(await stores.operations.findDigest(id), documentDigest);
  },
} satisfies Contract<Stores>;

const noFilter: OperationFilter = { tag: null, containing: null };
const newDigest = 'ab'.repeat(32);
const minimalFields = { operationId: null, summary: null, tags: [], deprecated: true } satisfies Partial<Operation>;

const keyOf = (number: number): OperationKey => `operation${number}`.padEnd(16, 'a') as OperationKey;

const createNumberedOperation = (number: number, fields: Partial<Operation> = {}): Operation =>
  anOperation({
    key: keyOf(number),
    method: 'PATCH',
    path: `/roads/${number}`,
    operationId: `changeRoad${number}`,
    summary: `Ändert "Straße" ${number}`,
    tags: ['a"b', 'größer'],
    excerpt: 'A road is changed.',
    ...fields,
  });

const addCollection = async ({ collections }: Stores, operations: readonly Operation[]): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aDocumentContent(undefined, operations), noEffects);
  return collection;
};

const replaceDocument = ({ collections }: Stores, id: CollectionId, operations: readonly Operation[]) =>
  collections.update(id, (current) => ({
    collection: { ...current, documentDigest: newDigest },
    document: aDocumentContent('{}', operations),
    ...noEffects,
  }));

const listPositions = async (
  { operations }: Stores,
  id: CollectionId,
  filter: Partial<OperationFilter>,
  page: OperationPage | null = null,
): Promise<readonly number[]> =>
  (await operations.list(id, { ...noFilter, ...filter }, page)).map(({ position }) => position);
