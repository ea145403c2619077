import {
  aContent,
  aDocument,
  collectionStoreContract,
  noEffects,
  type Sabotages,
  type Stores,
} from '@portico/contracts';
import {
  nameKey,
  PorticoError,
  type CollectionId,
  type CollectionStore,
  type ListedCollection,
  type ListPage,
  type Visibility,
} from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { embeddingKey, kept, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Lists in a different order. */
const ordering = (compare: (a: ListedCollection, b: ListedCollection) => number) =>
  breaking('collections', (right) => ({
    list: async (visibility) => [...(await right.list(visibility, null))].sort(compare),
  }));

const byIdOnly = (a: ListedCollection, b: ListedCollection): number => (a.id < b.id ? -1 : 1);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Pages with the wrong start or end. */
const paging = (change: (page: ListPage) => ListPage) =>
  breaking('collections', (right) => ({
    list: (visibility, page) => right.list(visibility, page && change(page)),
  }));

const seeing = (other: (visibility: Visibility) => Visibility) =>
  breaking('collections', (right) => ({ visibleIds: (visibility) => right.visibleIds(other(visibility)) }));

/** A removal that leaves something behind. */
const leaving = (leave: (database: MemoryDatabase, id: CollectionId) => () => void) =>
  breaking('collections', (right, _stores, database) => ({
    remove: async (id, decide) => {
      const restore = leave(database, id);
      await right.remove(id, decide);
      restore();
    },
  }));

/** Acts on another collection if the requested one is missing. */
const another = async (right: CollectionStore, id: CollectionId): Promise<CollectionId> => {
  const [first] = await right.visibleIds({ of: 'all' });
  return (await right.find(id)) ? id : (first ?? id);
};

const sabotages: Sabotages<typeof collectionStoreContract, Stores> = {
  'an added collection is found as it was given': breaking('collections', (right) => ({
    find: async (id) => {
      const collection = await right.find(id);
      const stored = collection?.storedAuthentication;
      return collection && { ...collection, storedAuthentication: stored?.type === 'none' ? null : (stored ?? null) };
    },
  })),
  'whether a description is derived is kept, by an addition and by an update': breaking('collections', (right) => ({
    update: (id, decide) =>
      right.update(id, (current) => {
        const change = decide(current);
        const { descriptionDerived } = current;
        return change && { ...change, collection: { ...change.collection, descriptionDerived } };
      }),
  })),
  'an addition writes its effects': breaking('collections', (right) => ({
    add: (collection, document) => right.add(collection, document, noEffects),
  })),
  'names need not be unique': breaking('collections', (right) => ({
    list: async (visibility, page) => [
      ...new Map((await right.list(visibility, page)).map((line) => [line.name, line])).values(),
    ],
  })),
  'an unknown id finds no collection': breaking('collections', (right) => ({
    find: async (id) => right.find(await another(right, id)),
  })),
  'a collection is found by its import key': breaking('collections', (_right, _stores, { collections }) => ({
    findByImportKey: async () => collections.values().next().value ?? null,
  })),
  'an unknown import key finds nothing': breaking('collections', (right, _stores, { collections }) => ({
    findByImportKey: async (importKey) =>
      (await right.findByImportKey(importKey)) ?? [...collections.values()].find((c) => c.importKey === null) ?? null,
  })),
  'two collections cannot share an import key, and a refused change writes nothing': breaking(
    'collections',
    (right, stores) => ({ update: (id, decide) => leaking(stores, right.update(id, decide)) }),
  ),
  'an update decides on the current collection, stores the change and returns it': breaking('collections', (right) => ({
    update: async (id, decide) => {
      const before = await right.find(id);
      const after = await right.update(id, decide);
      return before ?? after;
    },
  })),
  'an update writes its effects': breaking('collections', (right) => ({
    update: (id, decide) =>
      right.update(id, (current) => {
        const change = decide(current);
        return change && { ...change, ...noEffects };
      }),
  })),
  'an update without a document keeps the stored one': breaking('collections', (right) => ({
    update: (id, decide) =>
      right.update(id, (current) => {
        const change = decide(current);
        return change && { document: aContent('{}'), ...change };
      }),
  })),
  'an update with a document replaces the stored one and its digest': breaking('collections', (right) => ({
    update: (id, decide) =>
      right.update(id, (current) => {
        const change = decide(current);
        if (!change) return null;
        const { collection, entries, jobs, deadline } = change;
        return { collection, entries, jobs, deadline };
      }),
  })),
  'an update whose decision is null writes nothing and returns the current collection': breaking(
    'collections',
    (right) => ({ update: (id, decide) => right.update(id, (c) => decide(c) ?? { collection: c, ...noEffects }) }),
  ),
  'an update rethrows what its decision throws, and leaves everything as it was': breaking(
    'collections',
    (right, stores) => ({ update: (id, decide) => leaking(stores, right.update(id, decide)) }),
  ),
  'an update of a missing collection is refused before the decision': breaking('collections', (right) => ({
    update: async (id, decide) => right.update(await another(right, id), decide),
  })),
  'concurrent updates of one collection each see the one before': breaking('collections', (right) => ({
    update: async (id, decide) => {
      const current = await right.find(id);
      if (!current) throw new PorticoError('collection_not_found');
      const change = decide(current);
      await pause();
      return right.update(id, () => change);
    },
  })),
  'a removed collection is not found in any way': leaving(({ collections }, id) => {
    const collection = collections.get(id);
    return () => collection && collections.set(id, collection);
  }),
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
  'a removal removes the embeddings of every model': leaving(({ embeddings }, id) => {
    const key = embeddingKey(id, 'm2');
    const stored = embeddings.get(key);
    return () => stored && embeddings.set(key, stored);
  }),
  'a removal removes all grants for the collection, and for no other': leaving(({ grants }, id) => {
    const granted = [...grants.values()].filter((collections) => collections.has(id)).slice(1);
    return () => granted.forEach((collections) => collections.set(id, { grantedAt: 0, expiresAt: null }));
  }),
  'a removal decides on the current collection and writes its effects': breaking('collections', (right) => ({
    remove: (id, decide) => right.remove(id, silently(decide)),
  })),
  'a removal rethrows what its decision throws, and keeps everything': breaking(
    'collections',
    (right, _stores, database) => ({
      remove: (id, decide) => {
        database.documents.delete(id);
        return right.remove(id, decide);
      },
    }),
  ),
  'a removal of a missing collection is refused before the decision': breaking('collections', (right) => ({
    remove: async (id, decide) => right.remove(await another(right, id), decide),
  })),
  'a document is returned as it was stored, with its digest': breaking('collections', (right) => ({
    document: async (id) => {
      const found = await right.document(id);
      return found && { ...found, packed: { ...found.packed, deflated: found.packed.deflated.subarray(0, -4) } };
    },
  })),
  'a missing collection has no document': breaking('collections', (right) => ({
    document: async (id) => (await right.document(id)) ?? { digest: '', packed: aDocument('') },
  })),
  'changing the bytes given or returned does not change a stored document': breaking(
    'collections',
    (_right, _stores, { collections, documents }) => ({
      document: async (id) => {
        const [collection, packed] = [collections.get(id), documents.get(id)];
        return collection && packed ? { digest: collection.documentDigest, packed } : null;
      },
    }),
  ),
  'a line of a list holds id, name, description and times': breaking(
    'collections',
    (_right, _stores, { collections }) => ({
      list: async () => [...collections.values()],
    }),
  ),
  'a list is ordered by name, ignoring case': ordering((a, b) => compare(a.name, b.name)),
  'a list is ordered by code points': ordering((a, b) => compare(nameKey(a.name), nameKey(b.name))),
  'composed and decomposed letters sort alike, and names keep them as given': ordering((a, b) =>
    compare(a.name.toLowerCase(), b.name.toLowerCase()),
  ),
  'names that differ only in case are ordered by id': ordering(
    (a, b) => compare(nameKey(a.name), nameKey(b.name)) || compare(a.name, b.name) || byIdOnly(a, b),
  ),
  'a list is ordered by current names': ordering(byIdOnly),
  'pages cover a whole list, with no collection repeated or left out': breaking('collections', (right) => ({
    list: async (visibility, page) => {
      const whole = await right.list(visibility, null);
      if (!page) return whole;
      const { after, limit } = page;
      return whole.filter(({ name }) => after === null || nameKey(name) > after.nameKey).slice(0, limit);
    },
  })),
  'a page holds at most its limit, and is empty after the last collection': paging((page) => ({
    ...page,
    limit: page.limit + 1,
  })),
  'a page starts after its place even if that collection is gone': breaking('collections', (right) => ({
    list: async (visibility, page) => {
      const whole = await right.list(visibility, null);
      const place = whole.findIndex(({ id }) => id === page?.after?.id);
      return page ? whole.slice(place + 1, place + 1 + page.limit) : whole;
    },
  })),
  'with a text, a list has the names that contain it, whatever the case and the script': breaking(
    'collections',
    (right) => ({
      list: async (visibility, page, containing = null) =>
        (await right.list(visibility, page)).filter(
          ({ name }) => containing === null || name.toLowerCase().includes(containing.toLowerCase()),
        ),
    }),
  ),
  'a count is that of the list, also of the visible and of those with a text': breaking('collections', (right) => ({
    count: (_visibility, containing) => right.count({ of: 'all' }, containing),
  })),
  'the visibility "granted" shows only what the profile is granted, in lists, pages and ids': breaking(
    'collections',
    (right) => ({
      list: (visibility, page) => right.list(page ? { of: 'all' } : visibility, page),
    }),
  ),
  'the visibility "granted" shows nothing to a profile without a grant': seeing(() => ({ of: 'all' })),
  'the visibility "all" shows every collection': breaking('collections', (right) => ({
    visibleIds: async (visibility) => (await right.visibleIds(visibility)).slice(0, 2),
  })),
  'the visibility "nothing" shows nothing': seeing((visibility) =>
    visibility.of === 'nothing' ? { of: 'all' } : visibility,
  ),
  'collections are found by exactly their names, all that share one, in the order of a list': breaking(
    'collections',
    (right) => ({
      findByNames: async (visibility, names) => {
        const keys = names.map(nameKey);
        return (await right.list(visibility, null)).filter(({ name }) => keys.includes(nameKey(name)));
      },
    }),
  ),
  'names that no collection has find nothing': breaking('collections', (right) => ({
    findByNames: async (visibility, names) =>
      (await right.list(visibility, null)).filter(({ name }) => names.some((asked) => name.includes(asked))),
  })),
  'many collections are found by their names at once': breaking('collections', (right) => ({
    findByNames: async (visibility, names) => right.findByNames(visibility, names.slice(0, 50)),
  })),
  'a client finds by name what it is granted, and nobody else finds anything': breaking('collections', (right) => ({
    findByNames: async (_visibility, names) => right.findByNames({ of: 'all' }, names),
  })),
  'names leave out collections that do not exist': breaking('collections', (right) => ({
    names: async (ids) => new Map([...ids.map((id) => [id, ''] as const), ...(await right.names(ids))]),
  })),
};

describe('the memory collection store', () => {
  proveContract(collectionStoreContract, sabotages, createMemoryStores);
});
