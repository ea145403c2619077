import { defineEntity } from '@mikro-orm/core';
import type { CredentialId, CredentialKind } from '@portico/domain';
import { createGroupReference } from './access-entities.ts';
import { createCollectionReference } from './collection-entities.ts';
import { int64, text } from './columns.ts';
import { createProfileReference } from './profile-entity.ts';

/** A credential for everyone has neither a group nor a profile; every other one has exactly one of them. */
export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'collection_credentials',
  properties: {
    id: text().$type<CredentialId>().primary(),
    collectionId: () => createCollectionReference().index(false),
    scheme: text(),
    groupId: () => createGroupReference().nullable().index(false),
    profileId: () => createProfileReference().nullable().index(false),
    kind: text().$type<CredentialKind>(),
    sealed: text(),
    /** A JSON array of strings. */
    origins: text().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
  },
  indexes: [{ name: 'collection_credentials_collection_index', properties: ['collectionId', 'scheme'] }],
  uniques: [
    {
      name: 'collection_credentials_everyone_unique',
      properties: ['collectionId', 'scheme'],
      where: 'group_id is null and profile_id is null',
    },
    { name: 'collection_credentials_group_unique', properties: ['groupId', 'collectionId', 'scheme'] },
    { name: 'collection_credentials_profile_unique', properties: ['profileId', 'collectionId', 'scheme'] },
  ],
});
