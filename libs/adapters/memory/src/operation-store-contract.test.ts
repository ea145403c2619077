import { operationStoreContract } from '@portico/contracts';
import type { PlacedOperation } from '@portico/domain';
import { breachesOf, restoringPart } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { areAllDeprecated, digest, find, found, list, replace } = breachesOf('operations');
const { update } = breachesOf('collections');

/** Filters by another criterion than the right one. */
const filtering = (
  isListed: (operation: PlacedOperation, wanted: { readonly tag: string; readonly containing: string }) => boolean,
) =>
  list.instead(async ([id, { tag, containing }, page], right) =>
    (await right.list(id, { tag: null, containing: null }, page)).filter((operation) =>
      isListed(operation, { tag: tag ?? '', containing: containing ?? '' }),
    ),
  );

proveStores('the memory operation store', operationStoreContract, {
  'operations are listed in the order of their document, each as it was given': list.returning((listed) =>
    [...listed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  ),
  'a collection that does not exist, or has no operations, has an empty list': list.asking(
    ([id, ...asked], { operations }) => [
      operations.get(id)?.operations.length ? id : ([...operations.keys()][1] ?? id),
      ...asked,
    ],
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
  'a page begins at a place in the document, whatever is filtered, and ends at its limit': list.instead(
    async ([id, filter, page], right) => (await right.list(id, filter, null)).slice(page?.from).slice(0, page?.limit),
  ),
  'an operation is found by its collection and key': find.instead(
    async ([, key], _right, { operations }) =>
      [...operations.values()].flatMap((stored) => stored.operations).find((operation) => operation.key === key) ??
      null,
  ),
  'those of many names that exist are found, with the present names of their collections': found.returning(
    (operations) => operations.map((one) => ({ ...one, collectionName: 'Roads' })),
  ),
  'a changed document brings its operations, and the earlier ones are gone': update.leaving(({ operations }, [id]) =>
    restoringPart(operations, id, (after, before) => {
      const gone = before.operations.filter(({ key }) => !keysOf(after).has(key));
      return { ...after, operations: [...after.operations, ...gone] };
    }),
  ),
  'of a changed document, operations that stayed, changed, moved, came and went are as it has them': update.leaving(
    ({ operations }, [id]) =>
      restoringPart(operations, id, (after, before) => {
        const known = new Map(before.operations.map((operation) => [operation.key, operation]));
        return { ...after, operations: after.operations.map((operation) => known.get(operation.key) ?? operation) };
      }),
  ),
  'a change that leaves the document alone leaves its operations': update.preceded(({ operations }, [id]) =>
    operations.delete(id),
  ),
  'all of a collection are deprecated if there are some, and each is': areAllDeprecated.instead(
    async ([id], _right, { operations }) =>
      operations.get(id)?.operations.every(({ deprecated }) => deprecated) ?? false,
  ),
  'the digest is that of the document whose operations are stored': digest.instead(async () => null),
  'operations are replaced for the document that the collection has': replace.asking(
    ([id, digest, read], { operations }) => [id, digest, [...(operations.get(id)?.operations ?? []), ...read]],
  ),
  'operations of another document, or of no collection, are not stored': replace.asking(
    ([id, digest, read], { collections }) => [id, collections.get(id)?.documentDigest ?? digest, read],
  ),
});

const keysOf = ({ operations }: { readonly operations: readonly { readonly key: string }[] }) =>
  new Set(operations.map(({ key }) => key));
