import { defineEntity, p } from '@mikro-orm/core';
import type {
  CallId,
  CollectionId,
  JobId,
  JobKind,
  ProfileId,
  RequestId,
  WebhookEvent,
  WebhookId,
} from '@portico/domain';
import { int64, text } from './columns.ts';

export const JobEntity = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  properties: {
    id: text().$type<JobId>().primary(),
    kind: text().$type<JobKind>(),
    profileId: text().$type<ProfileId>().nullable().index('jobs_profile_index'),
    collectionId: text().$type<CollectionId>().nullable(),
    sealed: text().nullable(),
    reason: text().nullable(),
    requestId: text().$type<RequestId>().nullable(),
    callId: text().$type<CallId>().nullable(),
    webhookId: text().$type<WebhookId>().nullable(),
    event: text().$type<WebhookEvent>().nullable(),
    content: text().nullable(),
    asked: p.integer().default(1),
    jobGroup: text().nullable().index('jobs_group_index'),
    dueAt: int64(),
    attempts: p.integer().default(0),
    leasedUntil: int64().nullable(),
    givenUp: p.boolean().default(false),
    error: text().nullable(),
  },
  indexes: [
    { name: 'jobs_due_index', properties: ['dueAt', 'id'], where: 'given_up = false' },
    { name: 'jobs_kind_index', properties: ['kind', 'dueAt', 'id'], where: 'given_up = false' },
  ],
  uniques: [{ name: 'jobs_notice_unique', properties: ['profileId'], where: "kind = 'mail.notice'" }],
});
