import { nameKey } from '@portico/domain';
import type { AuthenticationScheme, Collection, CollectionHead, StoredAuthentication } from '@portico/domain';
import type { CollectionRow } from './entities.ts';

/** What answers show of a collection: small, however much is stored. */
export const headColumns = [
  'id',
  'name',
  'description',
  'createdBy',
  'createdAt',
  'updatedAt',
  'revision',
  'documentDigest',
] as const satisfies readonly (keyof CollectionRow)[];

export const collectionColumns = [
  ...headColumns,
  'contentRevision',
  'baseUrl',
  'derivedType',
  'derivedName',
  'derivedIn',
  'storedType',
  'storedName',
  'storedIn',
  'storedSealedValue',
  'importKey',
] as const satisfies readonly (keyof CollectionRow)[];

export type CollectionColumns = Pick<CollectionRow, (typeof collectionColumns)[number]>;

export const headOf = (row: Pick<CollectionRow, (typeof headColumns)[number]>): CollectionHead => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  revision: row.revision,
  documentDigest: row.documentDigest,
});

export const collectionOf = (row: CollectionColumns): Collection => ({
  ...headOf(row),
  contentRevision: row.contentRevision,
  baseUrl: row.baseUrl,
  derivedAuthentication: { type: row.derivedType, name: row.derivedName ?? null, in: row.derivedIn ?? null },
  storedAuthentication: storedAuthenticationOf(row),
  importKey: row.importKey ?? null,
});

export const collectionData = ({
  derivedAuthentication: derived,
  storedAuthentication: stored,
  ...head
}: Collection) => ({
  ...head,
  nameKey: nameKey(head.name),
  ...derivedData(derived),
  ...storedData(stored),
});

const storedAuthenticationOf = (row: CollectionColumns): StoredAuthentication | null =>
  row.storedType == null
    ? null
    : {
        type: row.storedType,
        name: row.storedName ?? null,
        in: row.storedIn ?? null,
        sealedValue: row.storedSealedValue ?? null,
      };

const derivedData = (derived: AuthenticationScheme) => ({
  derivedType: derived.type,
  derivedName: derived.name,
  derivedIn: derived.in,
});

const storedData = (stored: StoredAuthentication | null) => ({
  storedType: stored?.type ?? null,
  storedName: stored?.name ?? null,
  storedIn: stored?.in ?? null,
  storedSealedValue: stored?.sealedValue ?? null,
});
