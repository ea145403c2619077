import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryId, JobId, ProfileId, WebhookEvent, WebhookId } from '@portico/domain';
import { int64, text } from './columns.ts';

export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: text().$type<WebhookId>().primary(),
    url: text(),
    description: text(),
    /** The events, separated by spaces. */
    events: text(),
    isActive: p.boolean(),
    sealed: text().nullable(),
    previousUntil: int64().nullable(),
    failingSince: int64().nullable(),
    /** No foreign key: a webhook remains when its creator is removed. */
    createdBy: text().$type<ProfileId>().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
  },
});

export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: text().$type<DeliveryId>().primary(),
    webhookId: () => createWebhookReference().index(false),
    messageId: text().$type<JobId>(),
    event: text().$type<WebhookEvent>(),
    attemptedAt: int64(),
    attempt: int64(),
    status: int64().nullable(),
    error: text().nullable(),
    durationMs: int64(),
    nextAttemptAt: int64().nullable(),
  },
  indexes: [{ name: 'webhook_deliveries_webhook_index', properties: ['webhookId', 'attemptedAt', 'id'] }],
});

const createWebhookReference = () =>
  p.manyToOne(WebhookEntity).mapToPk().joinColumn('webhook_id').deleteRule('cascade');
