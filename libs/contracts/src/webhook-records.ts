import type { DeliveryId, JobId, NewJob, ProfileId, Webhook, WebhookDelivery, WebhookId } from '@portico/domain';
import { aJob, nextId, start } from './records.ts';

/** Returns an active webhook whose secrets no cipher can open. */
export const aWebhook = (fields: Partial<Webhook> = {}): Webhook => ({
  id: nextId<WebhookId>(),
  url: 'https://hooks.example.com/größe?a=b',
  description: 'Straßen 愛',
  events: ['collection.changed', 'key.rotated'],
  isActive: true,
  sealed: 'c2VhbGVk',
  previousUntil: start + 86_400_000,
  failingSince: null,
  createdBy: nextId<ProfileId>(),
  createdAt: start,
  updatedAt: start + 1,
  ...fields,
});

/** Returns a first delivery that succeeded. */
export const aDelivery = ({ id }: Webhook, fields: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id: nextId<DeliveryId>(),
  webhookId: id,
  messageId: nextId<JobId>(),
  event: 'key.rotated',
  attemptedAt: start,
  attempt: 1,
  status: 204,
  error: null,
  durationMs: 12,
  nextAttemptAt: null,
  ...fields,
});

/** Returns a job that delivers an event to this webhook. */
export const aWebhookJob = ({ id: webhookId }: Webhook, fields: Partial<NewJob> = {}) =>
  ({
    ...aJob(fields),
    task: { kind: 'webhook', webhookId, event: 'key.rotated', content: '{"größe": "愛"}' },
  }) as const satisfies NewJob;
