import { defineEntity, p } from '@mikro-orm/core';
import type {
  ApiKeyLocation,
  AuthenticationType,
  CollectionId,
  Delivery,
  GroupId,
  LifecycleState,
  OperationKey,
  ProfileId,
} from '@portico/domain';
import { int64, text } from './columns.ts';

export const CollectionEntity = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  properties: {
    id: text().$type<CollectionId>().primary(),
    name: text(),
    /** `nameKey(name)`: the sort key of lists, in code-point order. */
    nameKey: text(),
    description: text(),
    /** No foreign key: a collection remains when its creator is removed. */
    createdBy: text().$type<ProfileId>(),
    createdAt: int64(),
    updatedAt: int64(),
    revision: int64(),
    contentRevision: int64(),
    /**
     * Has a default, because release 0.1.0, which may run at the same time as this version, writes rows without this
     * column.
     */
    descriptionDerived: p.boolean().default(false),
    baseUrl: text(),
    derivedType: text().$type<AuthenticationType>(),
    derivedName: text().nullable(),
    derivedIn: text().$type<ApiKeyLocation>().nullable(),
    /** Set by an admin; `storedType` is null if nothing was set. */
    storedType: text().$type<AuthenticationType>().nullable(),
    storedName: text().nullable(),
    storedIn: text().$type<ApiKeyLocation>().nullable(),
    storedSealedValue: text().nullable(),
    /** A JSON array of the origins that `storedSealedValue` is bound to. */
    storedOrigins: text().nullable(),
    documentDigest: text(),
    /** The digest of the document whose operations are stored; 0.1.0 changes documents without updating it. */
    operationsDigest: text().nullable(),
    discoverable: p.boolean().default(false),
    /** Set by an admin. */
    baseUrlSetting: text().nullable(),
    /** A JSON object of strings. */
    serverVariables: text().default('{}'),
    /** A JSON array of the schemes of `CredentialEntity` for everyone, so that reading a collection does not need a join. */
    credentialSchemes: text().default('[]'),
    delivery: text().$type<Delivery>().default('reveal'),
    ownCredentials: p.boolean().default(false),
    importKey: text().nullable().unique('collections_import_key_unique'),
    /** As in `OriginalDocument`, for the document with the digest `originalFor`; 0.1.0 changes documents without these. */
    originalVersion: text().nullable(),
    originalDigest: text().nullable(),
    originalFor: text().nullable(),
    lifecycle: text().$type<LifecycleState>().default('active'),
    lifecycleSince: int64().nullable(),
    lifecycleSunset: int64().nullable(),
    /** No foreign key, because "portico migrate" copies rows in any order; cleared when the successor is removed. */
    lifecycleSuccessor: text().$type<CollectionId>().nullable(),
    lifecycleText: text().nullable(),
    /** No foreign key, as for the successor; cleared when the group is removed. */
    ownerGroup: text().$type<GroupId>().nullable(),
    /** A JSON array of strings. */
    tags: text().default('[]'),
    /** See `toTagKeys`. */
    tagKeys: text().default(''),
    /** As JSON; null if it is empty. */
    changePolicy: text().nullable(),
  },
  indexes: [
    { name: 'collections_name_key_index', properties: ['nameKey', 'id'] },
    { name: 'collections_lifecycle_index', properties: ['lifecycle', 'id'], where: "lifecycle <> 'active'" },
    { name: 'collections_owner_index', properties: ['ownerGroup', 'id'], where: 'owner_group is not null' },
    {
      name: 'collections_successor_index',
      properties: ['lifecycleSuccessor'],
      where: 'lifecycle_successor is not null',
    },
  ],
});

/** Returns a foreign key to a collection: the row is deleted together with the collection. */
export const createCollectionReference = () =>
  p.manyToOne(CollectionEntity).mapToPk().joinColumn('collection_id').deleteRule('cascade');

/** A separate table, so that listing and renaming collections never touches the document. */
export const DocumentEntity = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    /** As in `PackedText`: `crc32` and `bytes` describe the text, not its packed form. */
    deflated: p.blob(),
    crc32: int64(),
    bytes: int64(),
    /** The text that the document was converted from, if the collection has an original. */
    originalDeflated: p.blob().nullable(),
    originalCrc32: int64().nullable(),
    originalBytes: int64().nullable(),
  },
});

export const OperationEntity = defineEntity({
  name: 'Operation',
  tableName: 'operations',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    key: text().$type<OperationKey>().primary(),
    position: int64(),
    method: text(),
    path: text(),
    operationId: text().nullable(),
    summary: text().nullable(),
    /** A JSON array of strings. */
    tags: text(),
    deprecated: p.boolean(),
    excerpt: text(),
  },
  indexes: [{ name: 'operations_position_index', properties: ['collectionId', 'position'] }],
});
