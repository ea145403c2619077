import {
  toNameKey,
  type CollectionId,
  type InactiveState,
  type ListedCollection,
  type ListPage,
  type NamedCollection,
  type NamesakeCollection,
  type Visibility,
} from '@portico/domain';
import { lifecycleColumns, lifecycleOf, type LifecycleColumns, tagsOf, toTagKeys } from './collection-record.ts';
import type { CollectionReads } from './collection-store.ts';
import { grantedIds, ownedIds, toGrantedIdsParameters, isGranted, toIsGrantedParameters } from './memberships.ts';
import type { PreparedRead, PreparedReads, Value } from './sql.ts';
import { buildColumns } from './table.ts';

/** The parts that differ between the dialects. */
export interface CollectionDialect {
  /** SQL that selects the strings of the JSON array passed as its `?`. */
  readonly idsInJson: string;
}

/** Creates the reads of the hot paths, as prepared statements. */
export const createSqlCollectionReads = (reads: PreparedReads, { idsInJson }: CollectionDialect): CollectionReads => {
  const readDocument = prepareDocument(reads);
  const readOriginal = reads.prepareLarge<DocumentRow>(selectOriginal);
  const readNames = reads.prepareAll<{ id: CollectionId; name: string }>(`${selectNames} (${idsInJson})`);
  const readNamed = prepareNamedReads<NamedCollection>(reads, 'c.id, c.name', idsInJson);
  const readNamesakes = prepareNamedReads<NamesakeCollection>(
    reads,
    'c.id, c.name, c.base_url as "baseUrl"',
    idsInJson,
  );
  const lists = prepareListReads(reads);
  const readAllIds = reads.prepareColumn<CollectionId>('select id from collections');
  const readOwnedIds = reads.prepareColumn<CollectionId>(ownedIds('?'));
  const readInactive = reads.prepareAll<{ id: CollectionId; lifecycle: InactiveState }>(selectInactive);
  const readGrantedIds = reads.prepareColumn<CollectionId>(grantedIds);

  return {
    ...lists,

    async findDocument(id) {
      const row = await readDocument(id);
      return row ? toStoredText(row) : null;
    },

    async findOriginal(id) {
      const row = await readOriginal(id);
      return row ? toStoredText(row) : null;
    },

    async findByNames(visibility, requestedNames) {
      const exactNames = new Set(requestedNames);
      return (await readNamed(visibility, requestedNames)).filter(({ name }) => exactNames.has(name));
    },

    listNamesakes: readNamesakes,

    async listVisibleIds(visibility) {
      switch (visibility.scope) {
        case 'all':
          return readAllIds();
        case 'granted':
          return readGrantedIds(...toGrantedIdsParameters(visibility.profileId, visibility.now));
        case 'none':
          return [];
      }
    },

    listOwnedIds: (profile) => readOwnedIds(profile, profile),

    async listInactive() {
      return new Map((await readInactive()).map(({ id, lifecycle }) => [id, lifecycle]));
    },

    async findNames(ids) {
      return new Map((await readNames(JSON.stringify(ids))).map(({ id, name }) => [id, name]));
    },
  };
};

/** Prepares the reads of the visible collections that have one of the given names, ignoring case. */
const prepareNamedReads = <Result extends NamedCollection>(
  reads: PreparedReads,
  columns: string,
  idsInJson: string,
) => {
  const select = `select ${columns} from collections c where c.name_key in (${idsInJson})`;
  const readAll = reads.prepareAll<Result>(`${select} ${orderByName}`);
  const readGranted = reads.prepareAll<Result>(`${select} and ${isGranted('c.id')} ${orderByName}`);
  return async (visibility: Visibility, names: readonly string[]): Promise<readonly Result[]> => {
    // Stored names are well-formed and contain no NUL; PostgreSQL rejects all other strings.
    const storableNames = names.filter((name) => name.isWellFormed() && !name.includes('\0'));
    if (storableNames.length === 0 || visibility.scope === 'none') return [];
    const keys = JSON.stringify([...new Set(storableNames.map(toNameKey))]);
    return visibility.scope === 'all'
      ? readAll(keys)
      : readGranted(keys, ...toIsGrantedParameters(visibility.profileId, visibility.now));
  };
};
/** Returns the packed text as a view, so that the bytes are sent without being copied. */
const toStoredText = ({ digest, packed, crc32, bytes }: DocumentRow) => ({
  digest,
  packed: { deflated: new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength), crc32, bytes },
});

/** Prepares the read of a document. Both databases can determine the length of a value without reading it. */
const prepareDocument = (reads: PreparedReads): PreparedRead<DocumentRow | undefined> => {
  const readSmall = reads.prepareFirst<DocumentRow | PartialDocumentRow>(
    selectDocument(`case when length(d.deflated) <= ${smallBytesMax} then d.deflated end`),
  );
  const readLarge = reads.prepareLarge<DocumentRow>(selectDocument('d.deflated'));
  return async (id) => {
    const row = await readSmall(id);
    return row?.packed === null ? readLarge(id) : row;
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
  const allStatements = prepareListStatements(reads, 'from collections c');
  const grantedStatements = prepareListStatements(reads, fromGranted);
  const selectStatements = (
    visibility: Exclude<Visibility, { readonly scope: 'none' }>,
  ): readonly [ListStatements, Value[]] =>
    visibility.scope === 'all'
      ? [allStatements, []]
      : [grantedStatements, [...toGrantedIdsParameters(visibility.profileId, visibility.now)]];

  return {
    async list(
      visibility: Visibility,
      page: ListPage | null,
      containing: string | null = null,
      tag: string | null = null,
    ) {
      if (visibility.scope === 'none') return [];
      const [statements, parameters] = selectStatements(visibility);
      if (!page && containing === null && tag === null) return (await statements.all(...parameters)).map(listedOf);
      // Nothing sorts before the empty string.
      const { nameKey: key, id } = page?.after ?? { nameKey: '', id: '' };
      const limit = page?.limit ?? limitMax;
      const rows = await (containing === null && tag === null
        ? statements.page(...parameters, key, id, limit)
        : statements.search(...parameters, patternOf(containing ?? ''), tagPatternOf(tag), key, id, limit));
      return rows.map(listedOf);
    },

    async count(visibility: Visibility, containing: string | null, tag: string | null = null) {
      if (visibility.scope === 'none') return 0;
      const [{ total, totalContaining }, parameters] = selectStatements(visibility);
      const row = await (containing === null && tag === null
        ? total(...parameters)
        : totalContaining(...parameters, patternOf(containing ?? ''), tagPatternOf(tag)));
      return row?.total ?? 0;
    },
  };
};

type ListStatements = ReturnType<typeof prepareListStatements>;

const prepareListStatements = (reads: PreparedReads, fromClause: string) => {
  const select = `select ${listColumns} ${fromClause}`;
  const [afterCondition, containsCondition] = [
    '(c.name_key, c.id) > (?, ?)',
    `c.name_key like ? escape '!' and c.tag_keys like ? escape '!'`,
  ];
  return {
    all: reads.prepareAll<ListedRow>(`${select} ${orderByName}`),
    page: reads.prepareAll<ListedRow>(`${select} where ${afterCondition} ${orderByName} limit ?`),
    search: reads.prepareAll<ListedRow>(
      `${select} where ${containsCondition} and ${afterCondition} ${orderByName} limit ?`,
    ),
    total: reads.prepareFirst<{ readonly total: number }>(`select count(*) as total ${fromClause}`),
    totalContaining: reads.prepareFirst<{ readonly total: number }>(
      `select count(*) as total ${fromClause} where ${containsCondition}`,
    ),
  };
};

/** The largest 32-bit integer. */
const limitMax = 2_147_483_647;

/**
 * Returns a pattern that matches the sort keys that contain a text. The text is folded in the same way as the sort
 * keys.
 */
const patternOf = (containing: string): string => `%${toNameKey(containing).replace(/[!%_]/g, '!$&')}%`;

/** Returns a pattern that matches `toTagKeys` of tags among which is this one; any tags match null. */
const tagPatternOf = (tag: string | null): string =>
  tag === null ? '%' : `%${toTagKeys([tag]).replace(/[!%_]/g, '!$&')}%`;

type ListedRow = Omit<ListedCollection, 'lifecycle' | 'tags'> & LifecycleColumns & { readonly tags: string };

const listedOf = (row: ListedRow): ListedCollection => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  lifecycle: lifecycleOf(row),
  tags: tagsOf(row),
});

const listColumns = buildColumns('c', [
  'id',
  'name',
  'description',
  'createdAt',
  'updatedAt',
  'tags',
  ...lifecycleColumns,
]);
const selectInactive = `select c.id, c.lifecycle from collections c where c.lifecycle <> 'active'`;
const fromGranted = `from (${grantedIds}) visible join collections c on c.id = visible.collection_id`;
const orderByName = 'order by c.name_key, c.id';
const selectNames = 'select id, name from collections where id in';
const selectDocument = (packed: string): string =>
  `select c.document_digest as "digest", ${packed} as "packed", d.crc32, d.bytes
  from documents d join collections c on c.id = d.collection_id where d.collection_id = ?`;
const selectOriginal = `select c.original_digest as "digest", d.original_deflated as "packed",
    d.original_crc32 as "crc32", d.original_bytes as "bytes"
  from documents d join collections c on c.id = d.collection_id
  where d.collection_id = ? and c.original_for = c.document_digest and d.original_deflated is not null`;
