import { aDocumentContent, aPackedDocument, collectionStoreContract, noEffects } from '@portico/contracts';
import { toNameKey, type CollectionId, type CollectionStore, type ListedCollection } from '@portico/domain';
import { breachesOf, breakPort, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKeyOf, copyFrozen } from './memory-database.ts';

const {
  add,
  count,
  findDocument,
  find,
  findByImportKey,
  findByNames,
  list,
  findNames,
  remove,
  update,
  listVisibleIds,
} = breachesOf('collections');

/** Lists collections in a different order. */
const sortList = (compare: (a: ListedCollection, b: ListedCollection) => number) =>
  list.replaceWith(async ([visibility], original) => [...(await original.list(visibility, null))].sort(compare));

const compareIds = (a: ListedCollection, b: ListedCollection): number => (a.id < b.id ? -1 : 1);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Returns the id of a different collection if the requested one is missing. */
const fallBackToFirst = async (original: CollectionStore, id: CollectionId): Promise<CollectionId> => {
  const [firstId] = await original.listVisibleIds({ scope: 'all' });
  return (await original.find(id)) ? id : (firstId ?? id);
};

proveStores('the memory collection store', collectionStoreContract, {
  'a collection is returned exactly as it was added': find.mapResult((collection) => {
    const authentication = collection?.storedAuthentication;
    return (
      collection && {
        ...collection,
        storedAuthentication: authentication?.type === 'none' ? null : (authentication ?? null),
      }
    );
  }),
  'adding and updating a collection store whether its description is derived': update.mapDecision(
    (change, [current]) => {
      const { descriptionDerived } = current;
      return change && { ...change, collection: { ...change.collection, descriptionDerived } };
    },
  ),
  'adding a collection writes its effects': add.dropEffects(),
  'names do not have to be unique': list.replaceWith(async ([visibility, page], original) => [
    ...new Map((await original.list(visibility, page)).map((line) => [line.name, line])).values(),
  ]),
  'looking up an unknown id returns no collection': find.replaceWith(async ([id], original) =>
    original.find(await fallBackToFirst(original, id)),
  ),
  'a collection is found by its import key': findByImportKey.replaceWith(
    async (_args, _original, { collections }) => collections.values().next().value ?? null,
  ),
  'looking up an unknown import key returns nothing': findByImportKey.replaceWith(
    async ([importKey], original, { collections }) =>
      (await original.findByImportKey(importKey)) ??
      [...collections.values()].find((c) => c.importKey === null) ??
      null,
  ),
  'two collections cannot share an import key, and a rejected change writes nothing': update.writeEntryOnFailure(),
  'an update bases its decision on the current collection, stores the change and returns it': update.replaceWith(
    async ([id, decide], original) => {
      const before = await original.find(id);
      const after = await original.update(id, decide);
      return before ?? after;
    },
  ),
  'an update writes its effects': update.dropEffects(),
  'an update without a document keeps the stored document': update.mapDecision(
    (change) => change && { document: aDocumentContent('{}'), ...change },
  ),
  'an update with a document replaces the stored document and its digest': update.mapDecision((change) => {
    if (!change) return null;
    const { collection, entries, jobs, deadline } = change;
    return { collection, entries, jobs, deadline };
  }),
  'an update whose decision returns null writes nothing and returns the current collection': update.mapArguments(
    ([id, decide]) => [id, (c) => decide(c) ?? { collection: c, ...noEffects }],
  ),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'updating a missing collection throws before the decision is called': update.replaceWith(
    async ([id, decide], original) => original.update(await fallBackToFirst(original, id), decide),
  ),
  'concurrent updates of the same collection each see the previous update': update.applyStaleDecision(),
  'no read returns a removed collection': remove.restoreAfter(({ collections }, [id]) =>
    saveEntries(collections, (key) => key === id),
  ),
  'removing a collection removes its document': breakPort('collections', (original, _stores, { documents }) => ({
    add: async (collection, document, effects) => {
      await original.add(collection, document, effects);
      documents.set(collection.id, copyFrozen(document.packed));
    },
    findDocument: async (id) => {
      const packed = documents.get(id) ?? aPackedDocument();
      return { digest: (await original.find(id))?.documentDigest ?? '', packed };
    },
  })),
  'removing a collection removes its embeddings for every model': remove.restoreAfter(({ embeddings }, [id]) =>
    saveEntries(embeddings, (key) => key === embeddingKeyOf(id, 'm2')),
  ),
  'removing a collection removes only the grants for that collection': remove.restoreAfter(({ grants }, [id]) => {
    const grantsForCollection = [...grants.values()].filter((collections) => collections.has(id)).slice(1);
    return () =>
      grantsForCollection.forEach((collections) => collections.set(id, { grantedAt: 0, expiresAt: null, rule: null }));
  }),
  'a removal bases its decision on the current collection and writes its effects': remove.dropEffects(),
  'a removal rethrows an error from the decision and changes nothing': remove.runBefore(({ documents }, [id]) =>
    documents.delete(id),
  ),
  'removing a missing collection throws before the decision is called': remove.replaceWith(
    async ([id, decide], original) => original.remove(await fallBackToFirst(original, id), decide),
  ),
  'a document is returned exactly as it was stored, with its digest': findDocument.mapResult(
    (content) =>
      content && { ...content, packed: { ...content.packed, deflated: content.packed.deflated.subarray(0, -4) } },
  ),
  'a missing collection has no document': findDocument.replaceWith(
    async ([id], original) => (await original.findDocument(id)) ?? { digest: '', packed: aPackedDocument('') },
  ),
  'changing the bytes that were passed or returned does not change the stored document': findDocument.replaceWith(
    async ([id], _original, { collections, documents }) => {
      const [collection, packed] = [collections.get(id), documents.get(id)];
      return collection && packed ? { digest: collection.documentDigest, packed } : null;
    },
  ),
  'a list is ordered by name, ignoring case': sortList((a, b) => compare(a.name, b.name)),
  'lists are ordered by code point': sortList((a, b) => compare(toNameKey(a.name), toNameKey(b.name))),
  'composed and decomposed letters are sorted alike, and names are returned unchanged': sortList((a, b) =>
    compare(a.name.toLowerCase(), b.name.toLowerCase()),
  ),
  'names that differ only in case are ordered by id': sortList(
    (a, b) => compare(toNameKey(a.name), toNameKey(b.name)) || compare(a.name, b.name) || compareIds(a, b),
  ),
  'lists are ordered by the current names': sortList(compareIds),
  'the pages contain each collection of the list exactly once': list.replaceWith(
    async ([visibility, page], original) => {
      const allCollections = await original.list(visibility, null);
      if (!page) return allCollections;
      const { after, limit } = page;
      return allCollections.filter(({ name }) => after === null || toNameKey(name) > after.nameKey).slice(0, limit);
    },
  ),
  'a page does not exceed its limit, and is empty after the last collection': list.mapArguments(
    ([visibility, page]) => [visibility, page && { ...page, limit: page.limit + 1 }],
  ),
  'a page starts after its cursor even if the collection at the cursor was removed': list.replaceWith(
    async ([visibility, page], original) => {
      const allCollections = await original.list(visibility, null);
      const index = allCollections.findIndex(({ id }) => id === page?.after?.id);
      return page ? allCollections.slice(index + 1, index + 1 + page.limit) : allCollections;
    },
  ),
  'a list with a search text contains the names that contain the text, ignoring case in every script': list.replaceWith(
    async ([visibility, page, containing = null], original) =>
      (await original.list(visibility, page)).filter(
        ({ name }) => containing === null || name.toLowerCase().includes(containing.toLowerCase()),
      ),
  ),
  'the count equals the length of the list, with any visibility and search text': count.mapArguments(
    ([, containing]) => [{ scope: 'all' }, containing],
  ),
  'with the visibility "granted", lists, pages and ids contain only collections granted to the profile':
    list.mapArguments(([visibility, page]) => [page ? { scope: 'all' } : visibility, page]),
  'the visibility "granted" shows nothing to a profile without a grant': listVisibleIds.mapArguments(() => [
    { scope: 'all' },
  ]),
  'the visibility "all" shows every collection': listVisibleIds.mapResult((ids) => ids.slice(0, 2)),
  'the visibility "nothing" shows nothing': listVisibleIds.mapArguments(([visibility]) => [
    visibility.scope === 'none' ? { scope: 'all' } : visibility,
  ]),
  'collections are found by their exact names, including duplicates, in list order': findByNames.replaceWith(
    async ([visibility, names], original) => {
      const keys = names.map(toNameKey);
      return (await original.list(visibility, null)).filter(({ name }) => keys.includes(toNameKey(name)));
    },
  ),
  'looking up unknown names returns nothing': findByNames.replaceWith(async ([visibility, names], original) =>
    (await original.list(visibility, null)).filter(({ name }) =>
      names.some((requestedName) => name.includes(requestedName)),
    ),
  ),
  'many collections can be found by name in one call': findByNames.mapArguments(([visibility, names]) => [
    visibility,
    names.slice(0, 50),
  ]),
  'a client finds only granted collections by name, and none without a grant': findByNames.mapArguments(([, names]) => [
    { scope: 'all' },
    names,
  ]),
  'looking up names omits collections that do not exist': findNames.replaceWith(
    async ([ids], original) => new Map([...ids.map((id) => [id, ''] as const), ...(await original.findNames(ids))]),
  ),
});
