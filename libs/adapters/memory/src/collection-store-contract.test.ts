import { aContent, aDocument, collectionStoreContract, noEffects } from '@portico/contracts';
import { nameKey, type CollectionId, type CollectionStore, type ListedCollection } from '@portico/domain';
import { breachesOf, breakPort, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, frozenCopy } from './memory-database.ts';

const { add, count, document, find, findByImportKey, findByNames, list, names, remove, update, visibleIds } =
  breachesOf('collections');

/** Lists collections in a different order. */
const sortList = (compare: (a: ListedCollection, b: ListedCollection) => number) =>
  list.replaceWith(async ([visibility], original) => [...(await original.list(visibility, null))].sort(compare));

const byId = (a: ListedCollection, b: ListedCollection): number => (a.id < b.id ? -1 : 1);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Returns the id of a different collection if the requested one is missing. */
const firstIfMissing = async (original: CollectionStore, id: CollectionId): Promise<CollectionId> => {
  const [first] = await original.visibleIds({ of: 'all' });
  return (await original.find(id)) ? id : (first ?? id);
};

proveStores('the memory collection store', collectionStoreContract, {
  'an added collection is returned unchanged': find.mapResult((collection) => {
    const stored = collection?.storedAuthentication;
    return collection && { ...collection, storedAuthentication: stored?.type === 'none' ? null : (stored ?? null) };
  }),
  'an addition and an update store whether a description is derived': update.mapDecision((change, [current]) => {
    const { descriptionDerived } = current;
    return change && { ...change, collection: { ...change.collection, descriptionDerived } };
  }),
  'an addition writes its effects': add.withoutEffects(),
  'names need not be unique': list.replaceWith(async ([visibility, page], original) => [
    ...new Map((await original.list(visibility, page)).map((line) => [line.name, line])).values(),
  ]),
  'an unknown id finds no collection': find.replaceWith(async ([id], original) =>
    original.find(await firstIfMissing(original, id)),
  ),
  'a collection is found by its import key': findByImportKey.replaceWith(
    async (_args, _original, { collections }) => collections.values().next().value ?? null,
  ),
  'an unknown import key finds nothing': findByImportKey.replaceWith(
    async ([importKey], original, { collections }) =>
      (await original.findByImportKey(importKey)) ??
      [...collections.values()].find((c) => c.importKey === null) ??
      null,
  ),
  'two collections cannot share an import key, and a rejected change writes nothing': update.writeEntryOnFailure(),
  'an update decides on the current collection, stores the change and returns it': update.replaceWith(
    async ([id, decide], original) => {
      const before = await original.find(id);
      const after = await original.update(id, decide);
      return before ?? after;
    },
  ),
  'an update writes its effects': update.withoutEffects(),
  'an update without a document keeps the stored one': update.mapDecision(
    (change) => change && { document: aContent('{}'), ...change },
  ),
  'an update with a document replaces the stored one and its digest': update.mapDecision((change) => {
    if (!change) return null;
    const { collection, entries, jobs, deadline } = change;
    return { collection, entries, jobs, deadline };
  }),
  'an update whose decision is null writes nothing and returns the current collection': update.mapArguments(
    ([id, decide]) => [id, (c) => decide(c) ?? { collection: c, ...noEffects }],
  ),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'an update of a missing collection throws before the decision': update.replaceWith(async ([id, decide], original) =>
    original.update(await firstIfMissing(original, id), decide),
  ),
  'concurrent updates of one collection each see the previous one': update.applyStaleDecision(),
  'no read finds a removed collection': remove.restoreAfter(({ collections }, [id]) =>
    saveEntries(collections, (key) => key === id),
  ),
  'a removal removes the document': breakPort('collections', (original, _stores, { documents }) => ({
    add: async (collection, document, effects) => {
      await original.add(collection, document, effects);
      documents.set(collection.id, frozenCopy(document.packed));
    },
    document: async (id) => {
      const packed = documents.get(id) ?? aDocument();
      return { digest: (await original.find(id))?.documentDigest ?? '', packed };
    },
  })),
  'a removal removes the embeddings of every model': remove.restoreAfter(({ embeddings }, [id]) =>
    saveEntries(embeddings, (key) => key === embeddingKey(id, 'm2')),
  ),
  'a removal removes all grants for the collection, and for no other': remove.restoreAfter(({ grants }, [id]) => {
    const granted = [...grants.values()].filter((collections) => collections.has(id)).slice(1);
    return () => granted.forEach((collections) => collections.set(id, { grantedAt: 0, expiresAt: null }));
  }),
  'a removal decides on the current collection and writes its effects': remove.withoutEffects(),
  'a removal rethrows an error from the decision and changes nothing': remove.runBefore(({ documents }, [id]) =>
    documents.delete(id),
  ),
  'a removal of a missing collection throws before the decision': remove.replaceWith(async ([id, decide], original) =>
    original.remove(await firstIfMissing(original, id), decide),
  ),
  'a document is returned as it was stored, with its digest': document.mapResult(
    (content) =>
      content && { ...content, packed: { ...content.packed, deflated: content.packed.deflated.subarray(0, -4) } },
  ),
  'a missing collection has no document': document.replaceWith(
    async ([id], original) => (await original.document(id)) ?? { digest: '', packed: aDocument('') },
  ),
  'changing the bytes passed or returned does not change a stored document': document.replaceWith(
    async ([id], _original, { collections, documents }) => {
      const [collection, packed] = [collections.get(id), documents.get(id)];
      return collection && packed ? { digest: collection.documentDigest, packed } : null;
    },
  ),
  'a list item has the id, name, description and times': list.replaceWith(async (_args, _original, { collections }) => [
    ...collections.values(),
  ]),
  'a list is ordered by name, ignoring case': sortList((a, b) => compare(a.name, b.name)),
  'a list is ordered by code points': sortList((a, b) => compare(nameKey(a.name), nameKey(b.name))),
  'composed and decomposed letters sort alike, and names are returned unchanged': sortList((a, b) =>
    compare(a.name.toLowerCase(), b.name.toLowerCase()),
  ),
  'names that differ only in case are ordered by id': sortList(
    (a, b) => compare(nameKey(a.name), nameKey(b.name)) || compare(a.name, b.name) || byId(a, b),
  ),
  'a list is ordered by current names': sortList(byId),
  'pages cover the whole list, with no collection repeated or left out': list.replaceWith(
    async ([visibility, page], original) => {
      const whole = await original.list(visibility, null);
      if (!page) return whole;
      const { after, limit } = page;
      return whole.filter(({ name }) => after === null || nameKey(name) > after.nameKey).slice(0, limit);
    },
  ),
  'a page does not exceed its limit, and is empty after the last collection': list.mapArguments(
    ([visibility, page]) => [visibility, page && { ...page, limit: page.limit + 1 }],
  ),
  'a page starts after its cursor even if that collection was removed': list.replaceWith(
    async ([visibility, page], original) => {
      const whole = await original.list(visibility, null);
      const index = whole.findIndex(({ id }) => id === page?.after?.id);
      return page ? whole.slice(index + 1, index + 1 + page.limit) : whole;
    },
  ),
  'with a search text, a list has the names that contain it, ignoring case in every script': list.replaceWith(
    async ([visibility, page, containing = null], original) =>
      (await original.list(visibility, page)).filter(
        ({ name }) => containing === null || name.toLowerCase().includes(containing.toLowerCase()),
      ),
  ),
  'a count is the length of the list, also with a visibility and a search text': count.mapArguments(
    ([, containing]) => [{ of: 'all' }, containing],
  ),
  'the visibility "granted" shows only collections granted to the profile, in lists, pages and ids': list.mapArguments(
    ([visibility, page]) => [page ? { of: 'all' } : visibility, page],
  ),
  'the visibility "granted" shows nothing to a profile without a grant': visibleIds.mapArguments(() => [{ of: 'all' }]),
  'the visibility "all" shows every collection': visibleIds.mapResult((ids) => ids.slice(0, 2)),
  'the visibility "nothing" shows nothing': visibleIds.mapArguments(([visibility]) => [
    visibility.of === 'nothing' ? { of: 'all' } : visibility,
  ]),
  'collections are found by their exact names, including duplicates, in the order of a list': findByNames.replaceWith(
    async ([visibility, names], original) => {
      const keys = names.map(nameKey);
      return (await original.list(visibility, null)).filter(({ name }) => keys.includes(nameKey(name)));
    },
  ),
  'unknown names find nothing': findByNames.replaceWith(async ([visibility, names], original) =>
    (await original.list(visibility, null)).filter(({ name }) => names.some((part) => name.includes(part))),
  ),
  'many collections are found by name in one call': findByNames.mapArguments(([visibility, names]) => [
    visibility,
    names.slice(0, 50),
  ]),
  'a client finds only granted collections by name, and nothing is found without a grant': findByNames.mapArguments(
    ([, names]) => [{ of: 'all' }, names],
  ),
  'names leave out collections that do not exist': names.replaceWith(
    async ([ids], original) => new Map([...ids.map((id) => [id, ''] as const), ...(await original.names(ids))]),
  ),
});
