import { nameKey } from '@portico/domain';
import type { AuthenticationScheme, CollectionHead, StoredAuthentication } from '@portico/domain';
import type { CollectionRow } from './entities.ts';

export const collectionColumns = [
  'id',
  'name',
  'description',
  'createdBy',
  'createdAt',
  'updatedAt',
  'revision',
  'contentRevision',
  'baseUrl',
  'derivedType',
  'derivedName',
  'derivedIn',
  'storedType',
  'storedName',
  'storedIn',
  'storedSealedValue',
  'documentDigest',
  'importKey',
] as const satisfies readonly (keyof CollectionRow)[];

export type CollectionColumns = Pick<CollectionRow, (typeof collectionColumns)[number]>;

export const collectionOf = (row: CollectionColumns): CollectionHead => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  revision: row.revision,
  contentRevision: row.contentRevision,
  baseUrl: row.baseUrl,
  derivedAuthentication: { type: row.derivedType, name: row.derivedName ?? null, in: row.derivedIn ?? null },
  storedAuthentication: storedAuthenticationOf(row),
  documentDigest: row.documentDigest,
  importKey: row.importKey ?? null,
});

export const collectionData = ({
  derivedAuthentication: derived,
  storedAuthentication: stored,
  ...head
}: CollectionHead) => ({
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
