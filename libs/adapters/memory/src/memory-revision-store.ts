import {
  type RecentRevision,
  type RevisionReference,
  type RevisionRetention,
  type RevisionStore,
} from '@portico/domain';
import { compareCodePoints, type MemoryDatabase, type StoredRevision } from './memory-database.ts';
import { copyOf, listVisibleCollections } from './memory-collection-store.ts';

export const createMemoryRevisionStore = (database: MemoryDatabase): RevisionStore => {
  const { revisions } = database;
  const findStored = (...[id, number]: Parameters<RevisionStore['find']>): StoredRevision | undefined =>
    revisions.get(id)?.find(({ revision }) => revision.number === number);

  return {
    find: async (id, number) => findStored(id, number)?.revision ?? null,

    async list(id, { limit, before }) {
      return (revisions.get(id) ?? [])
        .map(({ revision }) => revision)
        .filter(({ number }) => before === null || number < before)
        .toReversed()
        .slice(0, limit);
    },

    count: async (id) => revisions.get(id)?.length ?? 0,

    async findText(id, number) {
      const stored = findStored(id, number);
      return stored ? { digest: stored.revision.digest, packed: copyOf(stored.packed) } : null;
    },

    findChanges: async (id, number) => findStored(id, number)?.changes ?? null,

    async listRecent(visibility, { limit, since, after }) {
      return listVisibleCollections(database, visibility)
        .flatMap(({ id, name }): readonly RecentRevision[] =>
          (revisions.get(id) ?? []).map(({ revision }) => ({ ...revision, collectionId: id, collectionName: name })),
        )
        .filter((revision) => revision.createdAt >= (since ?? 0) && (!after || compareNewestFirst(revision, after) > 0))
        .sort(compareNewestFirst)
        .slice(0, limit);
    },

    async prune(retention, limit) {
      const removable = [...revisions]
        .flatMap(([collectionId, list]) =>
          selectRemovable(list, retention).map(({ createdAt, number }) => ({ createdAt, number, collectionId })),
        )
        .sort((a, b) => compareNewestFirst(b, a))
        .slice(0, limit);
      for (const { collectionId, number } of removable) {
        const list = revisions.get(collectionId) ?? [];
        revisions.set(
          collectionId,
          list.filter(({ revision }) => revision.number !== number),
        );
      }
      return removable.length;
    },

    async measure() {
      const lists = [...revisions.values()];
      const earlier = lists.flatMap((list) => list.slice(0, -1));
      return {
        revisions: lists.reduce((sum, list) => sum + list.length, 0),
        packedBytes: earlier.reduce((sum, { packed }) => sum + packed.deflated.length, 0),
      };
    },
  };
};

const selectRemovable = (list: readonly StoredRevision[], { newest, since }: RevisionRetention) => {
  const newestNumber = list.at(-1)?.revision.number ?? 0;
  return list
    .map(({ revision }) => revision)
    .filter(({ number, createdAt }) => number <= newestNumber - newest && createdAt < since);
};

type Position = RevisionReference & { readonly createdAt: number };

const compareNewestFirst = (a: Position, b: Position): number =>
  b.createdAt - a.createdAt || compareCodePoints(b.collectionId, a.collectionId) || b.number - a.number;
