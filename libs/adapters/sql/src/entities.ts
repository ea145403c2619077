import type { EntitySchema } from '@mikro-orm/core';
import {
  GrantEntity,
  GroupEntity,
  GroupMemberEntity,
  ClaimedGroupEntity,
  GroupGrantEntity,
  AccessRequestEntity,
  PendingCallEntity,
} from './entities/access-entities.ts';
import { AuditEntryEntity, AuditDayEntity, AuditTotalEntity } from './entities/audit-entities.ts';
import { CollectionEntity, DocumentEntity, OperationEntity } from './entities/collection-entities.ts';
import { CredentialEntity } from './entities/credential-entity.ts';
import { JobEntity } from './entities/job-entity.ts';
import { TierEntity, OverrideEntity } from './entities/limit-entities.ts';
import { OneTimeCodeEntity } from './entities/one-time-code-entity.ts';
import { ProfileEntity } from './entities/profile-entity.ts';
import { ServiceAccountEntity } from './entities/service-account-entity.ts';
import { RevisionEntity } from './entities/revision-entity.ts';
import { EpochsEntity, SettingEntity } from './entities/installation-entities.ts';
import { OperationUsageDayEntity, UsageDayEntity } from './entities/usage-entity.ts';
import { WebhookDeliveryEntity, WebhookEntity } from './entities/webhook-entities.ts';
import {
  OperationBlockEntity,
  EmbeddingEntity,
  PreviousEmbeddingEntity,
  SearchModelEntity,
  ReindexRunEntity,
} from './entities/vector-entities.ts';

/**
 * The tables, for both dialects. Each entity names its indexes explicitly, because the dialects would generate
 * different names. Their inferred type is too long for the compiler.
 */
export const entities: EntitySchema[] = [
  ProfileEntity,
  CollectionEntity,
  DocumentEntity,
  OperationEntity,
  RevisionEntity,
  OperationBlockEntity,
  EmbeddingEntity,
  PreviousEmbeddingEntity,
  SearchModelEntity,
  GrantEntity,
  GroupEntity,
  GroupMemberEntity,
  ClaimedGroupEntity,
  GroupGrantEntity,
  AccessRequestEntity,
  PendingCallEntity,
  CredentialEntity,
  TierEntity,
  OverrideEntity,
  AuditEntryEntity,

  AuditDayEntity,
  AuditTotalEntity,
  JobEntity,
  ReindexRunEntity,
  EpochsEntity,
  UsageDayEntity,
  OperationUsageDayEntity,
  ServiceAccountEntity,
  OneTimeCodeEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
  SettingEntity,
];
