import {
  nameKey,
  type CollectionId,
  type ListedCollection,
  type ListPage,
  type NamedCollection,
  type Visibility,
} from '@portico/domain';
import type { CollectionReads } from './collection-store.ts';
import { grantedIds, grantedIdsParameters, isGranted, isGrantedParameters } from './memberships.ts';
import type { PreparedRead, PreparedReads, Value } from './sql.ts';
import { columns } from './table.ts';

/** The parts that differ between the dialects. */
export interface CollectionDialect {
  /** SQL that selects the strings of the JSON array passed as its `?`. */
  readonly idsInJson: string;
}

/** Creates the reads of the hot paths, as prepared statements. */
export const createSqlCollectionReads = (reads: PreparedReads, { idsInJson }: CollectionDialect): CollectionReads => {
  const document = prepareDocument(reads);
  const names = reads.all<{ id: CollectionId; name: string }>(`${selectNames} (${idsInJson})`);
  const allNamed = reads.all<NamedCollection>(`${selectNamed} (${idsInJson}) ${orderByName}`);
  const grantedNamed = reads.all<NamedCollection>(
    `${selectNamed} (${idsInJson}) and ${isGranted('c.id')} ${orderByName}`,
  );
  const lists = prepareListReads(reads);
  const allIds = reads.column<CollectionId>('select id from collections');
  const idsOf = reads.column<CollectionId>(grantedIds);

  return {
    ...lists,

    async document(id) {
      const row = await document(id);
      if (!row) return null;
      const { digest, packed, crc32, bytes } = row;
      // A view, so that the bytes are sent without being copied.
      const deflated = new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength);
      return { digest, packed: { deflated, crc32, bytes } };
    },

    async findByNames(visibility, requestedNames) {
      // Stored names are well-formed and contain no NUL; PostgreSQL rejects all other strings.
      const storable = requestedNames.filter((name) => name.isWellFormed() && !name.includes('\0'));
      if (storable.length === 0 || visibility.of === 'nothing') return [];
      const keys = JSON.stringify([...new Set(storable.map(nameKey))]);
      const collections = await (visibility.of === 'all'
        ? allNamed(keys)
        : grantedNamed(keys, ...isGrantedParameters(visibility.to, visibility.at)));
      const exactNames = new Set(requestedNames);
      return collections.filter(({ name }) => exactNames.has(name));
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

/** Prepares the read of a document. Both databases can determine the length of a value without reading it. */
const prepareDocument = (reads: PreparedReads): PreparedRead<DocumentRow | undefined> => {
  const small = reads.first<DocumentRow | PartialDocumentRow>(
    selectDocument(`case when length(d.deflated) <= ${smallBytesMax} then d.deflated end`),
  );
  const large = reads.large<DocumentRow>(selectDocument('d.deflated'));
  return async (id) => {
    const row = await small(id);
    return row?.packed === null ? large(id) : row;
  };
};

const smallBytesMax = 2 ** 20;

interface DocumentRow {
  readonly digest: string;
  readonly packed: Buffer<ArrayBuffer>;
  readonly crc32: number;
  readonly bytes: number;
}
type PartialDocumentRow = Omit<DocumentRow, 'packed'> & { readonly packed: null };

const prepareListReads = (reads: PreparedReads) => {
  const all = prepareListStatements(reads, 'from collections c');
  const granted = prepareListStatements(reads, fromGranted);
  const selectStatements = (
    visibility: Exclude<Visibility, { readonly of: 'nothing' }>,
  ): readonly [ListStatements, Value[]] =>
    visibility.of === 'all' ? [all, []] : [granted, [...grantedIdsParameters(visibility.to, visibility.at)]];

  return {
    async list(visibility: Visibility, page: ListPage | null, containing: string | null = null) {
      if (visibility.of === 'nothing') return [];
      const [statements, parameters] = selectStatements(visibility);
      if (!page && containing === null) return statements.whole(...parameters);
      // Nothing sorts before the empty string.
      const { nameKey: key, id } = page?.after ?? { nameKey: '', id: '' };
      const limit = page?.limit ?? unlimited;
      return containing === null
        ? statements.after(...parameters, key, id, limit)
        : statements.containing(...parameters, patternOf(containing), key, id, limit);
    },

    async count(visibility: Visibility, containing: string | null) {
      if (visibility.of === 'nothing') return 0;
      const [{ total, totalContaining }, parameters] = selectStatements(visibility);
      const row = await (containing === null
        ? total(...parameters)
        : totalContaining(...parameters, patternOf(containing)));
      return row?.total ?? 0;
    },
  };
};

type ListStatements = ReturnType<typeof prepareListStatements>;

const prepareListStatements = (reads: PreparedReads, from: string) => {
  const select = `select ${listColumns} ${from}`;
  const [after, contains] = ['(c.name_key, c.id) > (?, ?)', `c.name_key like ? escape '!'`];
  return {
    whole: reads.all<ListedCollection>(`${select} ${orderByName}`),
    after: reads.all<ListedCollection>(`${select} where ${after} ${orderByName} limit ?`),
    containing: reads.all<ListedCollection>(`${select} where ${contains} and ${after} ${orderByName} limit ?`),
    total: reads.first<{ readonly total: number }>(`select count(*) as total ${from}`),
    totalContaining: reads.first<{ readonly total: number }>(`select count(*) as total ${from} where ${contains}`),
  };
};

/** The largest 32-bit integer. */
const unlimited = 2_147_483_647;

/**
 * Returns a pattern that matches the sort keys that contain a text. The text is folded in the same way as the sort
 * keys.
 */
const patternOf = (containing: string): string => `%${nameKey(containing).replace(/[!%_]/g, '!$&')}%`;

const listColumns = columns('c', ['id', 'name', 'description', 'createdAt', 'updatedAt']);
const fromGranted = `from (${grantedIds}) visible join collections c on c.id = visible.collection_id`;
const orderByName = 'order by c.name_key, c.id';
const selectNamed = 'select c.id, c.name from collections c where c.name_key in';
const selectNames = 'select id, name from collections where id in';
const selectDocument = (packed: string): string =>
  `select c.document_digest as "digest", ${packed} as "packed", d.crc32, d.bytes
  from documents d join collections c on c.id = d.collection_id where d.collection_id = ?`;
