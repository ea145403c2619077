import { isLive, nameKey, PorticoError } from '@portico/domain';
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
import { byCodePoints, commit, frozenCopy, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

export const createMemoryCollectionStore = (database: MemoryDatabase): CollectionStore => {
  const { collections, documents } = database;

  return {
    async add(collection, document, effects) {
      if (collections.has(collection.id)) throw new Error(`Collection ${collection.id} already exists.`);
      rejectDuplicateImportKey(database, collection);
      commit(database, effects, () => {
        collections.set(collection.id, frozenCopy(collection));
        storeDocument(database, collection, document);
        database.catalogEpoch += 1;
      });
    },

    async find(id) {
      return collections.get(id) ?? null;
    },

    async findByImportKey(importKey) {
      return [...collections.values()].find((collection) => collection.importKey === importKey) ?? null;
    },

    async update(id, decide) {
      const current = existing(database, id);
      const change = decide(current);
      if (!change) return current;
      rejectDuplicateImportKey(database, change.collection);
      const collection = frozenCopy(change.collection);
      commit(database, change, () => {
        collections.set(id, collection);
        if (change.document) storeDocument(database, collection, change.document);
        database.catalogEpoch += 1;
      });
      return collection;
    },

    async remove(id, decide) {
      const effects = decide(existing(database, id));
      commit(database, effects, () => removeCascading(database, id));
    },

    async document(id) {
      const collection = collections.get(id);
      const packed = documents.get(id);
      return collection && packed ? { digest: collection.documentDigest, packed: copyOf(packed) } : null;
    },

    async list(visibility, page, containing = null) {
      const entries = inListOrder(filterByName(containing, visible(database, visibility))).map(toListedCollection);
      if (!page) return entries;
      return entries.filter((entry) => isAfter(entry, page.after)).slice(0, page.limit);
    },

    findByNames: async (visibility, names) =>
      inListOrder(visible(database, visibility).filter(({ name }) => names.includes(name))).map(idAndNameOf),

    async count(visibility, containing) {
      return filterByName(containing, visible(database, visibility)).length;
    },

    async visibleIds(visibility) {
      return visible(database, visibility).map(({ id }) => id);
    },

    async names(ids) {
      const existingCollections = ids.map((id) => collections.get(id)).filter((collection) => collection !== undefined);
      return new Map(existingCollections.map(({ id, name }) => [id, name]));
    },
  };
};

const storeDocument = (
  { documents, operations }: MemoryDatabase,
  { id, documentDigest }: Collection,
  document: DocumentContent,
): void => {
  documents.set(id, frozenCopy(document.packed));
  operations.set(id, frozenCopy({ digest: documentDigest, operations: document.operations }));
};

/** Sorts by name, ignoring case, then by id. */
export const inListOrder = <T extends Sortable>(collections: readonly T[]): T[] =>
  [...collections].sort((a, b) => byCodePoints(nameKey(a.name), nameKey(b.name)) || byCodePoints(a.id, b.id));

interface Sortable {
  readonly id: CollectionId;
  readonly name: string;
}

/** Returns whether the collection comes after the cursor; always true if the cursor is null. */
export const isAfter = ({ id, name }: Sortable, after: ListPage['after']): boolean =>
  after === null || (byCodePoints(nameKey(name), after.nameKey) || byCodePoints(id, after.id)) > 0;

const existing = (database: MemoryDatabase, id: CollectionId): Collection => {
  const collection = database.collections.get(id);
  if (!collection) throw new PorticoError('collection_not_found');
  return collection;
};

const visible = (database: MemoryDatabase, visibility: Visibility): Collection[] => {
  switch (visibility.of) {
    case 'all':
      return [...database.collections.values()];
    case 'granted': {
      const ways = waysOf(database, visibility.to);
      return [...database.collections.values()].filter(({ id }) =>
        ways.get(id)?.some((way) => isLive(way, visibility.at)),
      );
    }
    case 'nothing':
      return [];
  }
};

const idAndNameOf = ({ id, name }: Collection) => ({ id, name });

const filterByName = (containing: string | null, collections: readonly Collection[]): readonly Collection[] =>
  containing === null ? collections : collections.filter(({ name }) => nameKey(name).includes(nameKey(containing)));

const toListedCollection = ({ id, name, description, createdAt, updatedAt }: Collection): ListedCollection => ({
  id,
  name,
  description,
  createdAt,
  updatedAt,
});

const copyOf = (packed: PackedText): PackedText => ({ ...packed, deflated: packed.deflated.slice() });

const rejectDuplicateImportKey = (database: MemoryDatabase, { id, importKey }: Collection): void => {
  const isTaken = [...database.collections.values()].some(
    (other) => other.id !== id && other.importKey !== null && other.importKey === importKey,
  );
  if (isTaken) throw new Error(`A collection with the import key ${importKey} already exists.`);
};

const removeCascading = (database: MemoryDatabase, id: CollectionId): void => {
  database.collections.delete(id);
  database.documents.delete(id);
  database.operations.delete(id);
  for (const [key, { block }] of database.operationBlocks)
    if (block.collectionId === id) database.operationBlocks.delete(key);
  for (const [key, { embedding }] of database.embeddings)
    if (embedding.collectionId === id) database.embeddings.delete(key);
  for (const [key, { collectionId }] of database.uses) if (collectionId === id) database.uses.delete(key);
  database.catalogEpoch += 1;
  for (const request of database.requests.values())
    if (request.collectionId === id) database.requests.delete(request.id);
  for (const [grantee, granted] of database.grants) {
    if (granted.delete(id)) touchGrants(database, grantee);
  }
  database.groupsEpoch += 1;
};
