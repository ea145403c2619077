import { operationStoreContract } from '@portico/contracts';
import type { PositionedOperation } from '@portico/domain';
import { breachesOf, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { areAllDeprecated, findDigest, find, findMany, list, replace } = breachesOf('operations');
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
  'operations are listed unchanged, in the order of their document': list.mapResult((listedOperations) =>
    [...listedOperations].sort((a, b) => (a.key < b.key ? -1 : 1)),
  ),
  'a collection that does not exist or has no operations has an empty list': list.mapArguments(
    ([id, ...args], { operations }) => [
      operations.get(id)?.operations.length ? id : ([...operations.keys()][1] ?? id),
      ...args,
    ],
  ),
  'a tag is compared exactly with each tag of an operation': filterBy(({ tags }, { tag }) =>
    tags.some((operationTag) => operationTag.includes(tag)),
  ),
  'the path, operation id and summary are searched for a text, ignoring the case of ASCII letters': filterBy(
    ({ path, operationId, summary }, { containing }) =>
      [path, operationId, summary].some((text) => text?.includes(containing)),
  ),
  'the excerpt is searched for a text only if there is no summary': filterBy(({ summary, excerpt }, { containing }) =>
    [summary, excerpt].some((text) => text?.toLowerCase().includes(containing.toLowerCase())),
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
  'an operation is listed only if it has both the tag and the search text': filterBy(
    ({ tags, path }, { tag, containing }) => tags.includes(tag) || path.includes(containing),
  ),
  'a page begins at a position in the document, regardless of the filter, and ends at its limit': list.replaceWith(
    async ([id, filter, page], original) =>
      (await original.list(id, filter, null)).slice(page?.from).slice(0, page?.limit),
  ),
  'an operation is found by its collection and key': find.replaceWith(
    async ([, key], _original, { operations }) =>
      [...operations.values()]
        .flatMap((storedOperations) => storedOperations.operations)
        .find((operation) => operation.key === key) ?? null,
  ),
  'the requested operations that exist are found with the current names of their collections': findMany.mapResult(
    (operations) => operations.map((operation) => ({ ...operation, collectionName: 'Roads' })),
  ),
  'a changed document replaces the operations of the earlier document': update.restoreAfter(({ operations }, [id]) =>
    saveEntry(operations, id, (after, before) => {
      const removedOperations = before.operations.filter(({ key }) => !keysOf(after).has(key));
      return { ...after, operations: [...after.operations, ...removedOperations] };
    }),
  ),
  'after a document changes, the kept, changed, moved, added and removed operations match it': update.restoreAfter(
    ({ operations }, [id]) =>
      saveEntry(operations, id, (after, before) => {
        const previousOperations = new Map(before.operations.map((operation) => [operation.key, operation]));
        return {
          ...after,
          operations: after.operations.map((operation) => previousOperations.get(operation.key) ?? operation),
        };
      }),
  ),
  'a change that does not affect the document keeps its operations': update.runBefore(({ operations }, [id]) =>
    operations.delete(id),
  ),
  'all operations of a collection are deprecated if it has any and each of them is deprecated':
    areAllDeprecated.replaceWith(
      async ([id], _original, { operations }) =>
        operations.get(id)?.operations.every(({ deprecated }) => deprecated) ?? false,
    ),
  'the digest is that of the document whose operations are stored': findDigest.replaceWith(async () => null),
  'operations are replaced for the current document of the collection': replace.mapArguments(
    ([id, digest, newOperations], { operations }) => [
      id,
      digest,
      [...(operations.get(id)?.operations ?? []), ...newOperations],
    ],
  ),
  'operations of a different document or of a missing collection are not stored': replace.mapArguments(
    ([id, digest, newOperations], { collections }) => [
      id,
      collections.get(id)?.documentDigest ?? digest,
      newOperations,
    ],
  ),
});

const keysOf = ({ operations }: { readonly operations: readonly { readonly key: string }[] }) =>
  new Set(operations.map(({ key }) => key));
