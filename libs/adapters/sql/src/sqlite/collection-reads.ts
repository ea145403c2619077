import type { Database as Connection } from 'better-sqlite3';
import type { CollectionId, ListedCollection, ListPage, ProfileId, Visibility } from '@portico/domain';
import type { CollectionReads } from '../collection-store.ts';
import { columns } from '../sql.ts';

/** Reads of the hot paths: one prepared statement each. */
export const createSqliteCollectionReads = (reader: Connection): CollectionReads => {
  const document = reader.prepare<[string], DocumentRow>(selectDocument);
  const names = reader.prepare<[string], { id: CollectionId; name: string }>(selectNames);
  const lists = prepareLists(reader);
  const allIds = reader.prepare<[], CollectionId>('select id from collections').pluck();
  const grantedIds = reader
    .prepare<[ProfileId], CollectionId>('select collection_id from grants where profile_id = ?')
    .pluck();

  return {
    async document(id) {
      const row = document.get(id);
      if (!row) return null;
      const { digest, deflated, crc32, bytes } = row;
      // A view, for what is sent is not copied.
      const view = new Uint8Array(deflated.buffer, deflated.byteOffset, deflated.byteLength);
      return { digest, packed: { deflated: view, crc32, bytes } };
    },

    async list(visibility, page) {
      return lists(visibility, page);
    },

    async visibleIds(visibility) {
      switch (visibility.of) {
        case 'all':
          return allIds.all();
        case 'granted':
          return grantedIds.all(visibility.to);
        case 'nothing':
          return [];
      }
    },

    async names(ids) {
      return new Map(names.all(JSON.stringify(ids)).map(({ id, name }) => [id, name]));
    },
  };
};

interface DocumentRow {
  readonly digest: string;
  readonly deflated: Buffer<ArrayBuffer>;
  readonly crc32: number;
  readonly bytes: number;
}

const prepareLists = (reader: Connection) => {
  const all = reader.prepare<[], ListedCollection>(selectAll);
  const allAfter = reader.prepare<[string, string, number], ListedCollection>(selectAllAfter);
  const granted = reader.prepare<[string], ListedCollection>(selectGranted);
  const grantedAfter = reader.prepare<[string, string, string, number], ListedCollection>(selectGrantedAfter);

  return (visibility: Visibility, page: ListPage | null): ListedCollection[] => {
    if (visibility.of === 'nothing') return [];
    if (!page) return visibility.of === 'all' ? all.all() : granted.all(visibility.to);
    // Nothing comes before the empty text.
    const { nameKey, id } = page.after ?? { nameKey: '', id: '' };
    return visibility.of === 'all'
      ? allAfter.all(nameKey, id, page.limit)
      : grantedAfter.all(visibility.to, nameKey, id, page.limit);
  };
};

const listed = columns('c', ['id', 'name', 'description', 'createdAt', 'updatedAt']);
const fromGranted = 'from grants g join collections c on c.id = g.collection_id where g.profile_id = ?';
const inListOrder = 'order by c.name_key, c.id';
const selectAll = `select ${listed} from collections c ${inListOrder}`;
const selectAllAfter = `select ${listed} from collections c where (c.name_key, c.id) > (?, ?) ${inListOrder} limit ?`;
const selectGranted = `select ${listed} ${fromGranted} ${inListOrder}`;
const selectGrantedAfter = `select ${listed} ${fromGranted} and (c.name_key, c.id) > (?, ?) ${inListOrder} limit ?`;
const selectNames = 'select id, name from collections where id in (select value from json_each(?))';
const selectDocument = `select c.document_digest as "digest", d.deflated, d.crc32, d.bytes
  from documents d join collections c on c.id = d.collection_id where d.collection_id = ?`;
