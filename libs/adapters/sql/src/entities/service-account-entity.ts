import { defineEntity } from '@mikro-orm/core';
import type { ProfileId, ServiceAccountId } from '@portico/domain';
import { int64, text } from './columns.ts';

/**
 * A service account. The key is stored like a profile's: after a reset of the secrets key, `keyHash` and `keyTag` are
 * both null.
 */
export const ServiceAccountEntity = defineEntity({
  name: 'ServiceAccount',
  tableName: 'service_accounts',
  properties: {
    id: text().$type<ServiceAccountId>().primary(),
    name: text(),
    /** `nameKey(name)` */
    nameKey: text().unique('service_accounts_name_key_unique'),
    /** The scopes, separated by spaces (RFC 6749, section 3.3). */
    scopes: text(),
    expiresAt: int64().nullable(),
    /** No foreign key: an account remains when its creator is removed. */
    createdBy: text().$type<ProfileId>().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
    keyHash: text().nullable(),
    keyTag: int64().nullable(),
    previousHash: text().nullable(),
    previousTag: int64().nullable(),
    previousUntil: int64().nullable(),
  },
});
