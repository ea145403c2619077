import type { CollectionId, ListedCollection, ListPage, Visibility } from '@portico/domain';
import type { CollectionReads } from './collection-store.ts';
import { grantedIds, grantedIdsParameters } from './memberships.ts';
import type { PreparedRead, PreparedReads } from './sql.ts';
import { columns } from './table.ts';

/** What differs between the dialects. */
export interface CollectionDialect {
  /** Selects the strings of the JSON array passed as its `?`. */
  readonly idsInJson: string;
  /** Prepares the read of a document's row. `select` builds the query, given how to select the column of bytes. */
  readonly document: (select: (packed: string) => string) => PreparedRead<DocumentRow | undefined>;
}

/** The reads of the hot paths, one prepared statement each. */
export const createSqlCollectionReads = (
  reads: PreparedReads,
  { idsInJson, document: prepareDocument }: CollectionDialect,
): CollectionReads => {
  const document = prepareDocument(
    (packed) => `select c.document_digest as "digest", ${packed} as "packed", d.crc32, d.bytes ${fromDocument}`,
  );
  const names = reads.all<{ id: CollectionId; name: string }>(`${selectNames} (${idsInJson})`);
  const list = prepareLists(reads);
  const allIds = reads.column<CollectionId>('select id from collections');
  const idsOf = reads.column<CollectionId>(grantedIds);

  return {
    list,

    async document(id) {
      const row = await document(id);
      if (!row) return null;
      const { digest, packed, crc32, bytes } = row;
      // A view: the bytes are sent without a copy.
      const deflated = new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength);
      return { digest, packed: { deflated, crc32, bytes } };
    },

    async visibleIds(visibility) {
      switch (visibility.of) {
        case 'all':
          return allIds();
        case 'granted':
          return idsOf(...grantedIdsParameters(visibility.to, visibility.at));
        case 'nothing':
          return [];
      }
    },

    async names(ids) {
      return new Map((await names(JSON.stringify(ids))).map(({ id, name }) => [id, name]));
    },
  };
};

export interface DocumentRow {
  readonly digest: string;
  readonly packed: Buffer<ArrayBuffer>;
  readonly crc32: number;
  readonly bytes: number;
}

const prepareLists = (reads: PreparedReads) => {
  const all = reads.all<ListedCollection>(selectAll);
  const allAfter = reads.all<ListedCollection>(selectAllAfter);
  const granted = reads.all<ListedCollection>(selectGranted);
  const grantedAfter = reads.all<ListedCollection>(selectGrantedAfter);

  return async (visibility: Visibility, page: ListPage | null): Promise<ListedCollection[]> => {
    if (visibility.of === 'nothing') return [];
    const ofProfile = visibility.of === 'all' ? [] : grantedIdsParameters(visibility.to, visibility.at);
    if (!page) return visibility.of === 'all' ? all() : granted(...ofProfile);
    // Nothing sorts before the empty string.
    const { nameKey, id } = page.after ?? { nameKey: '', id: '' };
    return visibility.of === 'all'
      ? allAfter(nameKey, id, page.limit)
      : grantedAfter(...ofProfile, nameKey, id, page.limit);
  };
};

const listed = columns('c', ['id', 'name', 'description', 'createdAt', 'updatedAt']);
const fromGranted = `from (${grantedIds}) visible join collections c on c.id = visible.collection_id`;
const inListOrder = 'order by c.name_key, c.id';
const selectAll = `select ${listed} from collections c ${inListOrder}`;
const selectAllAfter = `select ${listed} from collections c where (c.name_key, c.id) > (?, ?) ${inListOrder} limit ?`;
const selectGranted = `select ${listed} ${fromGranted} ${inListOrder}`;
const selectGrantedAfter = `select ${listed} ${fromGranted} where (c.name_key, c.id) > (?, ?) ${inListOrder} limit ?`;
const selectNames = 'select id, name from collections where id in';
const fromDocument = 'from documents d join collections c on c.id = d.collection_id where d.collection_id = ?';
