import { operationStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { PlacedOperation } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Lists with other contents. */
const listing = (alter: (listed: readonly PlacedOperation[]) => readonly PlacedOperation[]) =>
  breaking('operations', (right) => ({ list: async (...asked) => alter(await right.list(...asked)) }));

/** Filters by another criterion than the right one. */
const filtering = (
  isListed: (operation: PlacedOperation, wanted: { readonly tag: string; readonly containing: string }) => boolean,
) =>
  breaking('operations', (right) => ({
    list: async (id, { tag, containing }, page) =>
      (await right.list(id, { tag: null, containing: null }, page)).filter((operation) =>
        isListed(operation, { tag: tag ?? '', containing: containing ?? '' }),
      ),
  }));

const sabotages: Sabotages<typeof operationStoreContract, Stores> = {
  'operations are listed in the order of their document, each as it was given': listing((listed) =>
    [...listed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  ),
  'a collection that does not exist, or has no operations, has an empty list': breaking(
    'operations',
    (right, _stores, { operations }) => ({
      list: (id, ...asked) =>
        right.list(operations.get(id)?.operations.length ? id : ([...operations.keys()][1] ?? id), ...asked),
    }),
  ),
  'a tag is compared exactly, and with each of an operation': filtering(({ tags }, { tag }) =>
    tags.some((each) => each.includes(tag)),
  ),
  'a part is looked for in path, operation id and summary, whatever the case of ASCII letters': filtering(
    ({ path, operationId, summary }, { containing }) =>
      [path, operationId, summary].some((text) => text?.includes(containing)),
  ),
  'a part is taken as it is written': filtering(({ path }, { containing }) =>
    new RegExp(
      containing
        .replace(/[\\!']/g, '\\$&')
        .replace(/%/g, '.*')
        .replace(/_/g, '.'),
      'i',
    ).test(path),
  ),
  'an operation is listed if it has both the tag and the part': filtering(
    ({ tags, path }, { tag, containing }) => tags.includes(tag) || path.includes(containing),
  ),
  'a page begins at a place in the document, whatever is filtered, and ends at its limit': breaking(
    'operations',
    (right) => ({
      list: async (id, filter, page) => (await right.list(id, filter, null)).slice(page?.from).slice(0, page?.limit),
    }),
  ),
  'an operation is found by its collection and key': breaking('operations', (_right, _stores, { operations }) => ({
    find: async (_id, key) =>
      [...operations.values()].flatMap((stored) => stored.operations).find((operation) => operation.key === key) ??
      null,
  })),
  'those of many names that exist are found, with the present names of their collections': breaking(
    'operations',
    (right) => ({
      found: async (names) => (await right.found(names)).map((one) => ({ ...one, collectionName: 'Roads' })),
    }),
  ),
  'a changed document brings its operations, and the earlier ones are gone': breaking(
    'collections',
    (right, _stores, { operations }) => ({
      update: async (id, decide) => {
        const before = operations.get(id);
        const updated = await right.update(id, decide);
        const after = operations.get(id);
        if (before && after) {
          const kept = [...after.operations, ...before.operations.filter(({ key }) => !keysOf(after).has(key))];
          operations.set(id, { ...after, operations: kept });
        }
        return updated;
      },
    }),
  ),
  'of a changed document, operations that stayed, changed, moved, came and went are as it has them': breaking(
    'collections',
    (right, _stores, { operations }) => ({
      update: async (id, decide) => {
        const before = new Map(operations.get(id)?.operations.map((operation) => [operation.key, operation]));
        const updated = await right.update(id, decide);
        const after = operations.get(id);
        if (after) {
          const stale = after.operations.map((operation) => before.get(operation.key) ?? operation);
          operations.set(id, { ...after, operations: stale });
        }
        return updated;
      },
    }),
  ),
  'a change that leaves the document alone leaves its operations': breaking(
    'collections',
    (right, _stores, { operations }) => ({
      update: async (id, decide) => {
        operations.delete(id);
        return right.update(id, decide);
      },
    }),
  ),
  'all of a collection are deprecated if there are some, and each is': breaking(
    'operations',
    (_right, _stores, { operations }) => ({
      areAllDeprecated: async (id) => operations.get(id)?.operations.every(({ deprecated }) => deprecated) ?? false,
    }),
  ),
  'the digest is that of the document whose operations are stored': breaking('operations', () => ({
    digest: async () => null,
  })),
  'operations are replaced for the document that the collection has': breaking(
    'operations',
    (right, _stores, { operations }) => ({
      replace: async (id, digest, read) =>
        right.replace(id, digest, [...(operations.get(id)?.operations ?? []), ...read]),
    }),
  ),
  'operations of another document, or of no collection, are not stored': breaking(
    'operations',
    (right, _stores, { collections }) => ({
      replace: (id, digest, read) => right.replace(id, collections.get(id)?.documentDigest ?? digest, read),
    }),
  ),
};

const keysOf = ({ operations }: { readonly operations: readonly { readonly key: string }[] }) =>
  new Set(operations.map(({ key }) => key));

describe('the memory operation store', () => {
  proveContract(operationStoreContract, sabotages, createMemoryStores);
});
