import { operationStoreContract } from '@portico/contracts';
import type { PositionedOperation } from '@portico/domain';
import { breachesOf, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { areAllDeprecated, digest, find, findMany, list, replace } = breachesOf('operations');
const { update } = breachesOf('collections');

/** Lists operations according to a wrong criterion. */
const filterBy = (
  isListed: (operation: PositionedOperation, filter: { readonly tag: string; readonly containing: string }) => boolean,
) =>
  list.replaceWith(async ([id, { tag, containing }, page], original) =>
    (await original.list(id, { tag: null, containing: null }, page)).filter((operation) =>
      isListed(operation, { tag: tag ?? '', containing: containing ?? '' }),
    ),
  );

proveStores('the memory operation store', operationStoreContract, {
  'operations are listed in the order of their document, unchanged': list.mapResult((listed) =>
    [...listed].sort((a, b) => (a.key < b.key ? -1 : 1)),
  ),
  'a collection that does not exist, or has no operations, has an empty list': list.mapArguments(
    ([id, ...args], { operations }) => [
      operations.get(id)?.operations.length ? id : ([...operations.keys()][1] ?? id),
      ...args,
    ],
  ),
  'a tag is compared exactly, with each tag of an operation': filterBy(({ tags }, { tag }) =>
    tags.some((each) => each.includes(tag)),
  ),
  'a text is searched for in path, operation id and summary, ignoring the case of ASCII letters': filterBy(
    ({ path, operationId, summary }, { containing }) =>
      [path, operationId, summary].some((text) => text?.includes(containing)),
  ),
  'a search text is taken literally': filterBy(({ path }, { containing }) =>
    new RegExp(
      containing
        .replace(/[\\!']/g, '\\$&')
        .replace(/%/g, '.*')
        .replace(/_/g, '.'),
      'i',
    ).test(path),
  ),
  'an operation is listed if it has both the tag and the search text': filterBy(
    ({ tags, path }, { tag, containing }) => tags.includes(tag) || path.includes(containing),
  ),
  'a page begins at a position in the document, regardless of the filter, and ends at its limit': list.replaceWith(
    async ([id, filter, page], original) =>
      (await original.list(id, filter, null)).slice(page?.from).slice(0, page?.limit),
  ),
  'an operation is found by its collection and key': find.replaceWith(
    async ([, key], _original, { operations }) =>
      [...operations.values()].flatMap((stored) => stored.operations).find((operation) => operation.key === key) ??
      null,
  ),
  'of many requested operations, the existing ones are found, with the current names of their collections':
    findMany.mapResult((operations) => operations.map((one) => ({ ...one, collectionName: 'Roads' }))),
  'a changed document replaces the operations of the earlier one': update.restoreAfter(({ operations }, [id]) =>
    saveEntry(operations, id, (after, before) => {
      const removed = before.operations.filter(({ key }) => !keysOf(after).has(key));
      return { ...after, operations: [...after.operations, ...removed] };
    }),
  ),
  'operations that stay, change, move, appear and disappear match the changed document': update.restoreAfter(
    ({ operations }, [id]) =>
      saveEntry(operations, id, (after, before) => {
        const known = new Map(before.operations.map((operation) => [operation.key, operation]));
        return { ...after, operations: after.operations.map((operation) => known.get(operation.key) ?? operation) };
      }),
  ),
  'a change that does not affect the document keeps its operations': update.runBefore(({ operations }, [id]) =>
    operations.delete(id),
  ),
  'all operations of a collection are deprecated if there are any and each is': areAllDeprecated.replaceWith(
    async ([id], _original, { operations }) =>
      operations.get(id)?.operations.every(({ deprecated }) => deprecated) ?? false,
  ),
  'the digest belongs to the document whose operations are stored': digest.replaceWith(async () => null),
  'operations are replaced for the current document of the collection': replace.mapArguments(
    ([id, digest, read], { operations }) => [id, digest, [...(operations.get(id)?.operations ?? []), ...read]],
  ),
  'operations of another document, or of a missing collection, are not stored': replace.mapArguments(
    ([id, digest, read], { collections }) => [id, collections.get(id)?.documentDigest ?? digest, read],
  ),
});

const keysOf = ({ operations }: { readonly operations: readonly { readonly key: string }[] }) =>
  new Set(operations.map(({ key }) => key));
