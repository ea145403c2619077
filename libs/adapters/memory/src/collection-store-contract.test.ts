import { aContent, aDocument, collectionStoreContract, noEffects } from '@portico/contracts';
import { nameKey, type CollectionId, type CollectionStore, type ListedCollection } from '@portico/domain';
import { breachesOf, breaking, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, kept } from './memory-database.ts';

const { add, count, document, find, findByImportKey, findByNames, list, names, remove, update, visibleIds } =
  breachesOf('collections');

/** Lists in a different order. */
const ordering = (compare: (a: ListedCollection, b: ListedCollection) => number) =>
  list.instead(async ([visibility], right) => [...(await right.list(visibility, null))].sort(compare));

const byIdOnly = (a: ListedCollection, b: ListedCollection): number => (a.id < b.id ? -1 : 1);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Acts on another collection if the requested one is missing. */
const another = async (right: CollectionStore, id: CollectionId): Promise<CollectionId> => {
  const [first] = await right.visibleIds({ of: 'all' });
  return (await right.find(id)) ? id : (first ?? id);
};

proveStores('the memory collection store', collectionStoreContract, {
  'an added collection is found as it was given': find.returning((collection) => {
    const stored = collection?.storedAuthentication;
    return collection && { ...collection, storedAuthentication: stored?.type === 'none' ? null : (stored ?? null) };
  }),
  'whether a description is derived is kept, by an addition and by an update': update.deciding((change, [current]) => {
    const { descriptionDerived } = current;
    return change && { ...change, collection: { ...change.collection, descriptionDerived } };
  }),
  'an addition writes its effects': add.withoutEffects(),
  'names need not be unique': list.instead(async ([visibility, page], right) => [
    ...new Map((await right.list(visibility, page)).map((line) => [line.name, line])).values(),
  ]),
  'an unknown id finds no collection': find.instead(async ([id], right) => right.find(await another(right, id))),
  'a collection is found by its import key': findByImportKey.instead(
    async (_asked, _right, { collections }) => collections.values().next().value ?? null,
  ),
  'an unknown import key finds nothing': findByImportKey.instead(
    async ([importKey], right, { collections }) =>
      (await right.findByImportKey(importKey)) ?? [...collections.values()].find((c) => c.importKey === null) ?? null,
  ),
  'two collections cannot share an import key, and a refused change writes nothing': update.leaking(),
  'an update decides on the current collection, stores the change and returns it': update.instead(
    async ([id, decide], right) => {
      const before = await right.find(id);
      const after = await right.update(id, decide);
      return before ?? after;
    },
  ),
  'an update writes its effects': update.withoutEffects(),
  'an update without a document keeps the stored one': update.deciding(
    (change) => change && { document: aContent('{}'), ...change },
  ),
  'an update with a document replaces the stored one and its digest': update.deciding((change) => {
    if (!change) return null;
    const { collection, entries, jobs, deadline } = change;
    return { collection, entries, jobs, deadline };
  }),
  'an update whose decision is null writes nothing and returns the current collection': update.asking(
    ([id, decide]) => [id, (c) => decide(c) ?? { collection: c, ...noEffects }],
  ),
  'an update rethrows what its decision throws, and leaves everything as it was': update.leaking(),
  'an update of a missing collection is refused before the decision': update.instead(async ([id, decide], right) =>
    right.update(await another(right, id), decide),
  ),
  'concurrent updates of one collection each see the one before': update.stale(),
  'a removed collection is not found in any way': remove.leaving(({ collections }, [id]) =>
    restoring(collections, (key) => key === id),
  ),
  'a removal removes the document': breaking('collections', (right, _stores, { documents }) => ({
    add: async (collection, document, effects) => {
      await right.add(collection, document, effects);
      documents.set(collection.id, kept(document.packed));
    },
    document: async (id) => {
      const packed = documents.get(id) ?? aDocument();
      return { digest: (await right.find(id))?.documentDigest ?? '', packed };
    },
  })),
  'a removal removes the embeddings of every model': remove.leaving(({ embeddings }, [id]) =>
    restoring(embeddings, (key) => key === embeddingKey(id, 'm2')),
  ),
  'a removal removes all grants for the collection, and for no other': remove.leaving(({ grants }, [id]) => {
    const granted = [...grants.values()].filter((collections) => collections.has(id)).slice(1);
    return () => granted.forEach((collections) => collections.set(id, { grantedAt: 0, expiresAt: null }));
  }),
  'a removal decides on the current collection and writes its effects': remove.withoutEffects(),
  'a removal rethrows what its decision throws, and keeps everything': remove.preceded(({ documents }, [id]) =>
    documents.delete(id),
  ),
  'a removal of a missing collection is refused before the decision': remove.instead(async ([id, decide], right) =>
    right.remove(await another(right, id), decide),
  ),
  'a document is returned as it was stored, with its digest': document.returning(
    (found) => found && { ...found, packed: { ...found.packed, deflated: found.packed.deflated.subarray(0, -4) } },
  ),
  'a missing collection has no document': document.instead(
    async ([id], right) => (await right.document(id)) ?? { digest: '', packed: aDocument('') },
  ),
  'changing the bytes given or returned does not change a stored document': document.instead(
    async ([id], _right, { collections, documents }) => {
      const [collection, packed] = [collections.get(id), documents.get(id)];
      return collection && packed ? { digest: collection.documentDigest, packed } : null;
    },
  ),
  'a line of a list holds id, name, description and times': list.instead(async (_asked, _right, { collections }) => [
    ...collections.values(),
  ]),
  'a list is ordered by name, ignoring case': ordering((a, b) => compare(a.name, b.name)),
  'a list is ordered by code points': ordering((a, b) => compare(nameKey(a.name), nameKey(b.name))),
  'composed and decomposed letters sort alike, and names keep them as given': ordering((a, b) =>
    compare(a.name.toLowerCase(), b.name.toLowerCase()),
  ),
  'names that differ only in case are ordered by id': ordering(
    (a, b) => compare(nameKey(a.name), nameKey(b.name)) || compare(a.name, b.name) || byIdOnly(a, b),
  ),
  'a list is ordered by current names': ordering(byIdOnly),
  'pages cover a whole list, with no collection repeated or left out': list.instead(
    async ([visibility, page], right) => {
      const whole = await right.list(visibility, null);
      if (!page) return whole;
      const { after, limit } = page;
      return whole.filter(({ name }) => after === null || nameKey(name) > after.nameKey).slice(0, limit);
    },
  ),
  'a page holds at most its limit, and is empty after the last collection': list.asking(([visibility, page]) => [
    visibility,
    page && { ...page, limit: page.limit + 1 },
  ]),
  'a page starts after its place even if that collection is gone': list.instead(async ([visibility, page], right) => {
    const whole = await right.list(visibility, null);
    const place = whole.findIndex(({ id }) => id === page?.after?.id);
    return page ? whole.slice(place + 1, place + 1 + page.limit) : whole;
  }),
  'with a text, a list has the names that contain it, whatever the case and the script': list.instead(
    async ([visibility, page, containing = null], right) =>
      (await right.list(visibility, page)).filter(
        ({ name }) => containing === null || name.toLowerCase().includes(containing.toLowerCase()),
      ),
  ),
  'a count is that of the list, also of the visible and of those with a text': count.asking(([, containing]) => [
    { of: 'all' },
    containing,
  ]),
  'the visibility "granted" shows only what the profile is granted, in lists, pages and ids': list.asking(
    ([visibility, page]) => [page ? { of: 'all' } : visibility, page],
  ),
  'the visibility "granted" shows nothing to a profile without a grant': visibleIds.asking(() => [{ of: 'all' }]),
  'the visibility "all" shows every collection': visibleIds.returning((ids) => ids.slice(0, 2)),
  'the visibility "nothing" shows nothing': visibleIds.asking(([visibility]) => [
    visibility.of === 'nothing' ? { of: 'all' } : visibility,
  ]),
  'collections are found by exactly their names, all that share one, in the order of a list': findByNames.instead(
    async ([visibility, names], right) => {
      const keys = names.map(nameKey);
      return (await right.list(visibility, null)).filter(({ name }) => keys.includes(nameKey(name)));
    },
  ),
  'names that no collection has find nothing': findByNames.instead(async ([visibility, names], right) =>
    (await right.list(visibility, null)).filter(({ name }) => names.some((asked) => name.includes(asked))),
  ),
  'many collections are found by their names at once': findByNames.asking(([visibility, names]) => [
    visibility,
    names.slice(0, 50),
  ]),
  'a client finds by name what it is granted, and nobody else finds anything': findByNames.asking(([, names]) => [
    { of: 'all' },
    names,
  ]),
  'names leave out collections that do not exist': names.instead(
    async ([ids], right) => new Map([...ids.map((id) => [id, ''] as const), ...(await right.names(ids))]),
  ),
});
