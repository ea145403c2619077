import { defineEntity, p } from '@mikro-orm/core';
import type { ProfileId } from '@portico/domain';
import { createCollectionReference } from './collection-entities.ts';
import { int64, text } from './columns.ts';

export const RevisionEntity = defineEntity({
  name: 'Revision',
  tableName: 'collection_revisions',
  properties: {
    collectionId: () => createCollectionReference().primary().index(false),
    number: p.integer().primary().autoincrement(false),
    digest: text(),
    createdAt: int64(),
    /** No foreign key: a revision remains when its actor is removed. */
    actorId: text().$type<ProfileId>().nullable(),
    actorName: text().nullable(),
    origin: text().nullable(),
    /** A JSON object of `ChangeCounts`. */
    counts: text().nullable(),
    /** A JSON array of strings. */
    breakingTexts: text().default('[]'),
    /** The length of `deflated`, so that an index has it. */
    packedBytes: p.integer().default(0),
    /** A JSON array. */
    changes: text().default('[]'),
    /** The text, as in `DocumentEntity`; null for the current document, whose text is only there. */
    deflated: p.blob().nullable(),
    crc32: int64().nullable(),
    bytes: int64().nullable(),
  },
  indexes: [
    { name: 'collection_revisions_collection_index', properties: ['collectionId', 'createdAt', 'number'] },
    {
      name: 'collection_revisions_created_index',
      properties: ['createdAt', 'collectionId', 'number', 'packedBytes'],
    },
  ],
});
