import { defineEntity, p } from '@mikro-orm/core';
import type { ClientId } from '@portico/domain';
import { int64, text } from './columns.ts';
import { createProfileReference } from './profile-entity.ts';

export const TierEntity = defineEntity({
  name: 'Tier',
  tableName: 'tiers',
  properties: {
    tier: text().primary(),
    allowed: int64(),
    windowSeconds: int64(),
    description: text().nullable(),
    isActive: p.boolean(),
    createdAt: int64(),
    updatedAt: int64(),
  },
});

export const OverrideEntity = defineEntity({
  name: 'Override',
  tableName: 'overrides',
  properties: {
    /** Autoincrement: the id of a removed override is never reused. */
    id: p.integer().primary(),
    profileId: () => createProfileReference().index('overrides_profile_index'),
    clientId: text().$type<ClientId>(),
    allowed: int64(),
    windowSeconds: int64(),
    isActive: p.boolean(),
    createdAt: int64(),
    updatedAt: int64(),
  },
  uniques: [{ name: 'overrides_active_unique', properties: ['profileId'], where: 'is_active = true' }],
});
