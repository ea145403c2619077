import { defineEntity, p } from '@mikro-orm/core';
import type { CollectionId } from '@portico/domain';
import { int64, text } from './columns.ts';

/** A chunk of a large value. No foreign key: chunks are written before the row that is to refer to them. */
export const ChunkEntity = defineEntity({
  name: 'Chunk',
  tableName: 'chunks',
  properties: {
    /** Of the row that refers to the value by its `contentId`. */
    collectionId: text().$type<CollectionId>().primary(),
    contentId: text().primary(),
    /** Where it begins in the value, in bytes. */
    start: int64().primary(),
    writtenAt: int64(),
    bytes: p.blob(),
  },
});
