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
import { aCollection, aContent, anOperation, noEffects } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OperationStore`. */
export const operationStoreContract = {
  'operations are listed in the order of their document, unchanged': async (stores) => {
    const operations = [numbered(3), numbered(1), { ...numbered(2), ...bare }];
    const { id } = await addCollection(stores, operations);
    deepStrictEqual(
      await stores.operations.list(id, noFilter, null),
      operations.map((operation, position) => ({ ...operation, position })),
    );
  },

  'a collection that does not exist, or has no operations, has an empty list': async (stores) => {
    const { id } = await addCollection(stores, []);
    await addCollection(stores, [numbered(1)]);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), []);
    deepStrictEqual(await stores.operations.list(aCollection().id, noFilter, null), []);
  },

  'a tag is compared exactly, with each tag of an operation': async (stores) => {
    const tags = [['roads'], ['Roads', 'ro"ads'], ['broads'], ['else', 'roads'], []];
    const { id } = await addCollection(
      stores,
      tags.map((each, i) => numbered(i, { tags: each })),
    );
    deepStrictEqual(await positions(stores, id, { tag: 'roads' }), [0, 3]);
    deepStrictEqual(await positions(stores, id, { tag: 'ro"ads' }), [1]);
    deepStrictEqual(await positions(stores, id, { tag: 'road' }), []);
    deepStrictEqual(await positions(stores, id, { tag: '' }), []);
  },

  'a text is searched for in path, operation id and summary, ignoring the case of ASCII letters': async (stores) => {
    const { id } = await addCollection(stores, [
      numbered(0, { path: '/Tolls/{id}' }),
      numbered(1, { operationId: 'payTOLL' }),
      numbered(2, { summary: 'A toll, and its Maß' }),
      numbered(3, { excerpt: 'toll', tags: ['toll'] }),
      numbered(4, bare),
    ]);
    deepStrictEqual(await positions(stores, id, { containing: 'tOLl' }), [0, 1, 2]);
    deepStrictEqual(await positions(stores, id, { containing: 'its maß' }), [2]);
    deepStrictEqual(await positions(stores, id, { containing: 'its MASS' }), []);
  },

  'a search text is taken literally': async (stores) => {
    const paths = ['/100%', '/100x', '/a_b', '/aXb', '/a!b', "/a'b", '/a\\b'];
    const { id } = await addCollection(
      stores,
      paths.map((path, i) => numbered(i, { path })),
    );
    for (const [i, part] of ['0%', '00x', 'a_b', 'aXb', 'a!b', "a'b", 'a\\b'].entries()) {
      deepStrictEqual(await positions(stores, id, { containing: part }), [i]);
    }
  },

  'an operation is listed if it has both the tag and the search text': async (stores) => {
    const { id } = await addCollection(stores, [
      numbered(0, { path: '/a', tags: ['t'] }),
      numbered(1, { path: '/b', tags: ['t'] }),
      numbered(2, { path: '/a', tags: [] }),
    ]);
    deepStrictEqual(await positions(stores, id, { tag: 't', containing: '/a' }), [0]);
  },

  'a page begins at a position in the document, regardless of the filter, and ends at its limit': async (stores) => {
    const { id } = await addCollection(
      stores,
      Array.from({ length: 12 }, (_, i) => numbered(i, { tags: i % 2 ? ['odd'] : [] })),
    );
    deepStrictEqual(await positions(stores, id, {}, { limit: 3, from: 0 }), [0, 1, 2]);
    deepStrictEqual(await positions(stores, id, {}, { limit: 3, from: 10 }), [10, 11]);
    deepStrictEqual(await positions(stores, id, { tag: 'odd' }, { limit: 2, from: 4 }), [5, 7]);
    deepStrictEqual(await positions(stores, id, {}, { limit: 3, from: 12 }), []);
  },

  'an operation is found by its collection and key': async (stores) => {
    const [one, other] = [
      await addCollection(stores, [numbered(1), numbered(2, bare)]),
      await addCollection(stores, [numbered(3)]),
    ];
    deepStrictEqual(await stores.operations.find(one.id, keyOf(2)), numbered(2, bare));
    strictEqual(await stores.operations.find(other.id, keyOf(2)), null);
    strictEqual(await stores.operations.find(aCollection().id, keyOf(1)), null);
  },

  'of many requested operations, the existing ones are found, with the current names of their collections': async (
    stores,
  ) => {
    const [one, other] = [
      await addCollection(stores, [numbered(1), numbered(2)]),
      await addCollection(stores, [numbered(1, bare)]),
    ];
    await stores.collections.update(other.id, (current) => ({
      collection: { ...current, name: 'Renamed' },
      ...noEffects,
    }));
    const removed = await addCollection(stores, [numbered(1)]);
    await stores.collections.remove(removed.id, () => noEffects);
    const matches = await stores.operations.findMany([
      { collectionId: other.id, key: keyOf(1) },
      { collectionId: removed.id, key: keyOf(1) },
      { collectionId: one.id, key: keyOf(2) },
      { collectionId: one.id, key: keyOf(7) },
    ]);
    deepStrictEqual(
      [...matches].sort((a, b) => (a.key < b.key ? -1 : 1)),
      [
        { ...numbered(1, bare), collectionId: other.id, collectionName: 'Renamed' },
        { ...numbered(2), collectionId: one.id, collectionName: one.name },
      ],
    );
    deepStrictEqual(await stores.operations.findMany([]), []);
  },

  'a changed document replaces the operations of the earlier one': async (stores) => {
    const { id } = await addCollection(stores, [numbered(1), numbered(2)]);
    await replaceDocument(stores, id, [numbered(2, { summary: 'New' }), numbered(3)]);
    deepStrictEqual(
      (await stores.operations.list(id, noFilter, null)).map(({ key, summary }) => [key, summary]),
      [
        [keyOf(2), 'New'],
        [keyOf(3), numbered(3).summary],
      ],
    );
    strictEqual(await stores.operations.digest(id), newDigest);
  },

  'operations that stay, change, move, appear and disappear match the changed document': async (stores) => {
    const before = Array.from({ length: 4_100 }, (_, number) => numbered(number));
    const { id } = await addCollection(stores, before);
    const [first, second, ...others] = before;
    const after = [second, first, ...others.slice(1, 4_000)].flatMap((operation) => operation ?? []);
    const operations = [...after, numbered(5_000), numbered(4_050, { summary: 'Another', deprecated: true, tags: [] })];
    for (const expected of [operations, operations.slice(1), []]) {
      await replaceDocument(stores, id, expected);
      deepStrictEqual(
        await stores.operations.list(id, noFilter, null),
        expected.map((operation, position) => ({ ...operation, position })),
      );
    }
  },

  'a change that does not affect the document keeps its operations': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [numbered(1)]);
    await stores.collections.update(id, (current) => ({ collection: { ...current, name: 'New' }, ...noEffects }));
    deepStrictEqual(await positions(stores, id, {}), [0]);
    strictEqual(await stores.operations.digest(id), documentDigest);
  },

  'all operations of a collection are deprecated if there are any and each is': async (stores) => {
    const [old, other] = [numbered(1, { deprecated: true }), numbered(2)];
    const expected = [
      [[], false],
      [[old], true],
      [[old, other], false],
      [[other], false],
    ] as const;
    for (const [operations, areAll] of expected) {
      const { id } = await addCollection(stores, operations);
      strictEqual(await stores.operations.areAllDeprecated(id), areAll);
    }
    strictEqual(await stores.operations.areAllDeprecated(aCollection().id), false);
  },

  'the digest belongs to the document whose operations are stored': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, []);
    strictEqual(await stores.operations.digest(id), documentDigest);
    strictEqual(await stores.operations.digest(aCollection().id), null);
  },

  'operations are replaced for the current document of the collection': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [numbered(1), numbered(2)]);
    strictEqual(await stores.operations.replace(id, documentDigest, [numbered(3)]), true);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), [{ ...numbered(3), position: 0 }]);
    strictEqual(await stores.operations.digest(id), documentDigest);
  },

  'operations of another document, or of a missing collection, are not stored': async (stores) => {
    const { id, documentDigest } = await addCollection(stores, [numbered(1)]);
    strictEqual(await stores.operations.replace(id, newDigest, [numbered(3)]), false);
    strictEqual(await stores.operations.replace(aCollection().id, documentDigest, [numbered(3)]), false);
    deepStrictEqual(await stores.operations.list(id, noFilter, null), [{ ...numbered(1), position: 0 }]);
    strictEqual(await stores.operations.digest(id), documentDigest);
  },
} satisfies Contract<Stores>;

const noFilter: OperationFilter = { tag: null, containing: null };
const newDigest = 'ab'.repeat(32);
const bare = { operationId: null, summary: null, tags: [], deprecated: true } satisfies Partial<Operation>;

const keyOf = (number: number): OperationKey => `operation${number}`.padEnd(16, 'a') as OperationKey;

const numbered = (number: number, facts: Partial<Operation> = {}): Operation =>
  anOperation({
    key: keyOf(number),
    method: 'PATCH',
    path: `/roads/${number}`,
    operationId: `changeRoad${number}`,
    summary: `Ändert "Straße" ${number}`,
    tags: ['a"b', 'größer'],
    excerpt: 'A road is changed.',
    ...facts,
  });

const addCollection = async ({ collections }: Stores, operations: readonly Operation[]): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aContent(undefined, operations), noEffects);
  return collection;
};

const replaceDocument = ({ collections }: Stores, id: CollectionId, operations: readonly Operation[]) =>
  collections.update(id, (current) => ({
    collection: { ...current, documentDigest: newDigest },
    document: aContent('{}', operations),
    ...noEffects,
  }));

const positions = async (
  { operations }: Stores,
  id: CollectionId,
  filter: Partial<OperationFilter>,
  page: OperationPage | null = null,
): Promise<readonly number[]> =>
  (await operations.list(id, { ...noFilter, ...filter }, page)).map(({ position }) => position);
