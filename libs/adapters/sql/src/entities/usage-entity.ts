import { defineEntity, p } from '@mikro-orm/core';
import type { OperationKey } from '@portico/domain';
import { int64, text } from './columns.ts';
import { createCollectionReference } from './collection-entities.ts';
import { createProfileReference } from './profile-entity.ts';

/** A profile's usage of one collection, or of no collection, on one day (in days since 1970-01-01, UTC). */
export const UsageDayEntity = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  properties: {
    day: p.integer().primary().autoincrement(false),
    profileId: () => createProfileReference().primary().index(false),
    /** The collection's id, or an empty string: null cannot be part of a key. */
    subject: text().primary(),
    collectionId: () => createCollectionReference().nullable().index(false),
    reads: int64(),
    searches: int64(),
    slices: int64(),
    calls: int64().defaultRaw('0'),
    credentialReads: int64(),
    refused: int64().defaultRaw('0'),
    lastUsedAt: int64(),
    keyUsedAt: int64().nullable(),
  },
  /** Each index ends with the time of the last use. */
  indexes: [
    { name: 'usage_days_profile_index', properties: ['profileId', 'lastUsedAt'] },
    { name: 'usage_days_key_index', properties: ['profileId', 'keyUsedAt'] },
    { name: 'usage_days_collection_index', properties: ['collectionId', 'lastUsedAt'] },
  ],
});

/** A profile's usage of one operation on one day. Survives the operation, and is removed with the collection. */
export const OperationUsageDayEntity = defineEntity({
  name: 'OperationUsageDay',
  tableName: 'operation_usage_days',
  properties: {
    day: p.integer().primary().autoincrement(false),
    profileId: () => createProfileReference().primary().index(false),
    collectionId: () => createCollectionReference().primary().index(false),
    operationKey: text().$type<OperationKey>().primary(),
    slices: int64(),
    calls: int64(),
    lastUsedAt: int64(),
  },
  indexes: [
    { name: 'operation_usage_days_profile_index', properties: ['profileId', 'day'] },
    { name: 'operation_usage_days_operation_index', properties: ['collectionId', 'operationKey', 'lastUsedAt'] },
  ],
});
