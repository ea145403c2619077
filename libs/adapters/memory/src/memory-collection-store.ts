import { isLive, toNameKey, PorticoError } from '@portico/domain';
import type {
  Collection,
  CollectionId,
  CollectionStore,
  DocumentContent,
  ListedCollection,
  ListPage,
  PackedText,
  Visibility,
} from '@portico/domain';
import { addRevision } from './add-revision.ts';
import {
  compareCodePoints,
  commit,
  copyFrozen,
  type MemoryDatabase,
  removeCredentialsOf,
  touchGrants,
} from './memory-database.ts';
import { accessGrantsOf, ownsCollection } from './memory-memberships.ts';

export const createMemoryCollectionStore = (database: MemoryDatabase): CollectionStore => {
  const { collections } = database;

  return {
    async add(collection, document, effects) {
      if (collections.has(collection.id)) throw new Error(`Collection ${collection.id} already exists.`);
      rejectDuplicateImportKey(database, collection);
      commit(database, effects, () => {
        collections.set(collection.id, copyFrozen(collection));
        storeDocument(database, collection, document, null);
        database.catalogEpoch += 1;
      });
    },

    find: async (id) => collections.get(id) ?? null,

    async findByImportKey(importKey) {
      return [...collections.values()].find((collection) => collection.importKey === importKey) ?? null;
    },

    async update(id, decide) {
      const current = requireCollection(database, id);
      const change = decide(current);
      if (!change) return current;
      rejectDuplicateImportKey(database, change.collection);
      const collection = copyFrozen(change.collection);
      commit(database, change, () => {
        collections.set(id, collection);
        if (change.document) storeDocument(database, collection, change.document, current);
        database.catalogEpoch += 1;
      });
      return collection;
    },

    async remove(id, decide) {
      const effects = decide(requireCollection(database, id));
      commit(database, effects, () => removeCascading(database, id));
    },

    ...createTextReads(database),

    async list(visibility, page, containing = null, tag = null) {
      const matches = filterByTag(tag, filterByName(containing, listVisibleCollections(database, visibility)));
      const entries = sortInListOrder(matches).map(toListedCollection);
      if (!page) return entries;
      return entries.filter((entry) => isAfter(entry, page.after)).slice(0, page.limit);
    },

    ...createReadsByName(database),

    async count(visibility, containing, tag = null) {
      return filterByTag(tag, filterByName(containing, listVisibleCollections(database, visibility))).length;
    },

    listVisibleIds: async (visibility) => listVisibleCollections(database, visibility).map(({ id }) => id),

    ...createLifecycleReads(database),

    async findNames(ids) {
      const existingCollections = ids.map((id) => collections.get(id)).filter((collection) => collection !== undefined);
      return new Map(existingCollections.map(({ id, name }) => [id, name]));
    },
  };
};

const createLifecycleReads = (database: MemoryDatabase): Pick<CollectionStore, 'listInactive' | 'listOwnedIds'> => ({
  async listInactive() {
    return new Map(
      [...database.collections.values()].flatMap(({ id, lifecycle: { state } }) =>
        state === 'active' ? [] : [[id, state] as const],
      ),
    );
  },

  listOwnedIds: async (profile) =>
    [...database.collections.keys()].filter((id) => ownsCollection(database, profile, id)),
});

const createReadsByName = (database: MemoryDatabase): Pick<CollectionStore, 'findByNames' | 'listNamesakes'> => ({
  findByNames: async (visibility, names) =>
    sortInListOrder(listVisibleCollections(database, visibility).filter(({ name }) => names.includes(name))).map(
      idAndNameOf,
    ),

  async listNamesakes(visibility, names) {
    const keys = new Set(names.map(toNameKey));
    return sortInListOrder(listVisibleCollections(database, visibility))
      .filter(({ name }) => keys.has(toNameKey(name)))
      .map(({ id, name, baseUrl }) => ({ id, name, baseUrl }));
  },
});

const createTextReads = ({
  collections,
  documents,
  originals,
}: MemoryDatabase): Pick<CollectionStore, 'findDocument' | 'findOriginal'> => ({
  async findDocument(id) {
    const collection = collections.get(id);
    const packed = documents.get(id);
    return collection && packed ? { digest: collection.documentDigest, packed: copyOf(packed) } : null;
  },

  async findOriginal(id) {
    const original = collections.get(id)?.original;
    const packed = originals.get(id);
    return original && packed ? { digest: original.digest, packed: copyOf(packed) } : null;
  },
});

const storeDocument = (
  database: MemoryDatabase,
  collection: Collection,
  document: DocumentContent,
  previous: Collection | null,
): void => {
  const { documents, originals, operations } = database;
  const { id, documentDigest } = collection;
  if (previous?.documentDigest !== documentDigest) addRevision(database, collection, document);
  documents.set(id, copyFrozen(document.packed));
  if (document.original?.packed) originals.set(id, copyFrozen(document.original.packed));
  else originals.delete(id);
  operations.set(id, copyFrozen({ digest: documentDigest, operations: document.operations }));
};

/** Sorts by name, ignoring case, then by id. */
export const sortInListOrder = <T extends Sortable>(collections: readonly T[]): T[] =>
  [...collections].sort(
    (a, b) => compareCodePoints(toNameKey(a.name), toNameKey(b.name)) || compareCodePoints(a.id, b.id),
  );

interface Sortable {
  readonly id: CollectionId;
  readonly name: string;
}

/** Returns whether the collection comes after the cursor; always true if the cursor is null. */
export const isAfter = ({ id, name }: Sortable, after: ListPage['after']): boolean =>
  after === null || (compareCodePoints(toNameKey(name), after.nameKey) || compareCodePoints(id, after.id)) > 0;

export const requireCollection = (database: MemoryDatabase, id: CollectionId): Collection => {
  const collection = database.collections.get(id);
  if (!collection) throw new PorticoError('collection_not_found');
  return collection;
};

export const listVisibleCollections = (database: MemoryDatabase, visibility: Visibility): Collection[] => {
  switch (visibility.scope) {
    case 'all':
      return [...database.collections.values()];
    case 'granted': {
      const accessGrants = accessGrantsOf(database, visibility.profileId);
      return [...database.collections.values()].filter(({ id }) =>
        accessGrants.get(id)?.some((grant) => isLive(grant, visibility.now)),
      );
    }
    case 'none':
      return [];
  }
};

const idAndNameOf = ({ id, name }: Collection) => ({ id, name });

const filterByName = (containing: string | null, collections: readonly Collection[]): readonly Collection[] =>
  containing === null ? collections : collections.filter(({ name }) => toNameKey(name).includes(toNameKey(containing)));

const toListedCollection = ({
  id,
  name,
  description,
  createdAt,
  updatedAt,
  lifecycle,
  tags,
}: Collection): ListedCollection => ({
  id,
  name,
  description,
  createdAt,
  updatedAt,
  lifecycle,
  tags,
});

const filterByTag = (tag: string | null, collections: readonly Collection[]): readonly Collection[] =>
  tag === null ? collections : collections.filter(({ tags }) => tags.some((own) => toNameKey(own) === toNameKey(tag)));

export const copyOf = (packed: PackedText): PackedText => ({ ...packed, deflated: packed.deflated.slice() });

const rejectDuplicateImportKey = (database: MemoryDatabase, { id, importKey }: Collection): void => {
  const isTaken = [...database.collections.values()].some(
    (otherCollection) =>
      otherCollection.id !== id && otherCollection.importKey !== null && otherCollection.importKey === importKey,
  );
  if (isTaken) throw new Error(`A collection with the import key ${importKey} already exists.`);
};

/** Changes collections, because something that they refer to is removed. */
export const updateCollections = (
  { collections }: MemoryDatabase,
  changeOf: (collection: Collection) => Partial<Collection> | null,
): void => {
  for (const [id, collection] of collections) {
    const change = changeOf(collection);
    if (change) collections.set(id, copyFrozen({ ...collection, ...change, revision: collection.revision + 1 }));
  }
};

const removeCascading = (database: MemoryDatabase, id: CollectionId): void => {
  database.collections.delete(id);
  updateCollections(database, ({ lifecycle }) =>
    lifecycle.successor === id ? { lifecycle: { ...lifecycle, successor: null } } : null,
  );
  removeCredentialsOf(database, id);
  database.documents.delete(id);
  database.originals.delete(id);
  database.revisions.delete(id);
  database.operations.delete(id);
  for (const [key, { block }] of database.operationBlocks)
    if (block.collectionId === id) database.operationBlocks.delete(key);
  for (const [key, { embedding }] of database.embeddings)
    if (embedding.collectionId === id) database.embeddings.delete(key);
  for (const uses of [database.uses, database.operationUses])
    for (const [key, { collectionId }] of uses) if (collectionId === id) uses.delete(key);
  database.catalogEpoch += 1;
  for (const request of database.requests.values())
    if (request.collectionId === id) database.requests.delete(request.id);
  for (const call of database.calls.values()) if (call.collectionId === id) database.calls.delete(call.id);
  for (const [grantee, collectionGrants] of database.grants) {
    if (collectionGrants.delete(id)) touchGrants(database, grantee);
  }
  database.groupsEpoch += 1;
};
