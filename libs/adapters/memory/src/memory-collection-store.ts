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
import { byCodePoints, commit, kept, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

export const createMemoryCollectionStore = (database: MemoryDatabase): CollectionStore => {
  const { collections, documents } = database;

  return {
    async add(collection, document, effects) {
      if (collections.has(collection.id)) throw new Error(`Collection ${collection.id} already exists.`);
      refuseTakenImportKey(database, collection);
      commit(database, effects, () => {
        collections.set(collection.id, kept(collection));
        keepDocument(database, collection, document);
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
      refuseTakenImportKey(database, change.collection);
      const collection = kept(change.collection);
      commit(database, change, () => {
        collections.set(id, collection);
        if (change.document) keepDocument(database, collection, change.document);
        database.catalogEpoch += 1;
      });
      return collection;
    },

    async remove(id, decide) {
      const effects = decide(existing(database, id));
      commit(database, effects, () => removeWithAllOfIt(database, id));
    },

    async document(id) {
      const collection = collections.get(id);
      const packed = documents.get(id);
      return collection && packed ? { digest: collection.documentDigest, packed: copyOf(packed) } : null;
    },

    async list(visibility, page, containing = null) {
      const lines = inListOrder(containingOf(containing, visible(database, visibility))).map(lineOf);
      if (!page) return lines;
      return lines.filter((line) => isAfter(line, page.after)).slice(0, page.limit);
    },

    findByNames: async (visibility, names) =>
      inListOrder(visible(database, visibility).filter(({ name }) => names.includes(name))).map(named),

    async count(visibility, containing) {
      return containingOf(containing, visible(database, visibility)).length;
    },

    async visibleIds(visibility) {
      return visible(database, visibility).map(({ id }) => id);
    },

    async names(ids) {
      const found = ids.map((id) => collections.get(id)).filter((collection) => collection !== undefined);
      return new Map(found.map(({ id, name }) => [id, name]));
    },
  };
};

const keepDocument = (
  { documents, operations }: MemoryDatabase,
  { id, documentDigest }: Collection,
  document: DocumentContent,
): void => {
  documents.set(id, kept(document.packed));
  operations.set(id, kept({ digest: documentDigest, operations: document.operations }));
};

/** By name without regard to case, then by id. */
export const inListOrder = <T extends Place>(collections: readonly T[]): T[] =>
  [...collections].sort((a, b) => byCodePoints(nameKey(a.name), nameKey(b.name)) || byCodePoints(a.id, b.id));

interface Place {
  readonly id: CollectionId;
  readonly name: string;
}

/** Whether it comes after that place of the list; everything does if it is null. */
export const isAfter = ({ id, name }: Place, after: ListPage['after']): boolean =>
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

const named = ({ id, name }: Collection) => ({ id, name });

const containingOf = (containing: string | null, collections: readonly Collection[]): readonly Collection[] =>
  containing === null ? collections : collections.filter(({ name }) => nameKey(name).includes(nameKey(containing)));

const lineOf = ({ id, name, description, createdAt, updatedAt }: Collection): ListedCollection => ({
  id,
  name,
  description,
  createdAt,
  updatedAt,
});

const copyOf = (packed: PackedText): PackedText => ({ ...packed, deflated: packed.deflated.slice() });

const refuseTakenImportKey = (database: MemoryDatabase, { id, importKey }: Collection): void => {
  const taken = [...database.collections.values()].some(
    (other) => other.id !== id && other.importKey !== null && other.importKey === importKey,
  );
  if (taken) throw new Error(`A collection with the import key ${importKey} already exists.`);
};

const removeWithAllOfIt = (database: MemoryDatabase, id: CollectionId): void => {
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
