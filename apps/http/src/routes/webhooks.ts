import {
  toIso,
  webhookDescriptionMax,
  webhookEvents,
  type DeliveryId,
  type IssuedWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookId,
} from '@portico/domain';
import { z } from 'zod';
import { clearable, optional, text } from '../requests/fields.ts';
import { webhookEventList, webhookUrl } from '../requests/webhook-fields.ts';
import { createEmptyResponse, toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { ageCursorOf, createAgeCursor, createPageHeaders, includeTotal, pageFrom, pageLimit } from './paging.ts';
import { timestamp, toIsoOrNull, uuid, webhookIdOf, webhookParameter } from './wire.ts';

const description = text({ max: webhookDescriptionMax }).meta({ examples: ['The chat room of the API team'] });
const active = z.boolean().meta({ description: 'Whether events are sent. Events while it is inactive are lost.' });

const newWebhook = z
  .object({
    url: webhookUrl,
    description: optional(description),
    events: optional(webhookEventList).meta({ description: 'The events that are sent; by default, all of them.' }),
    active: optional(active).meta({ default: true }),
  })
  .meta({ id: 'NewWebhook' });
const webhookChange = z
  .object({
    url: optional(webhookUrl),
    description: clearable(description).meta({ description: 'null or `""` removes it.' }),
    events: optional(webhookEventList),
    active: optional(active),
  })
  .meta({ id: 'WebhookChange' });

const webhookShape = {
  id: uuid,
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(webhookEvents)),
  active: z.boolean().meta({ description: 'A response 410 of the receiver also deactivates the webhook.' }),
  has_secret: z.boolean().meta({ description: 'false only after a reset of the secrets key: rotate the secret.' }),
  previous_secret_until: timestamp
    .nullable()
    .meta({ description: 'Until when the previous secret also signs; null if there is none.' }),
  failing_since: timestamp
    .nullable()
    .meta({ description: 'The first failed delivery since the last one that succeeded; null if there is none.' }),
  created_by: uuid.nullable().meta({
    description: 'The id of the administrator who created the webhook; null if it was created on the command line.',
  }),
  created_at: timestamp,
  updated_at: timestamp,
};
const webhook = z.object(webhookShape).meta({ id: 'Webhook' });
const issuedWebhook = z
  .object({
    ...webhookShape,
    secret: z.string().meta({
      description: 'The secret that signs events, as Standard Webhooks defines it. It is returned only once.',
      examples: ['whsec_…'],
    }),
  })
  .meta({ id: 'IssuedWebhook' });

const delivery = z
  .object({
    id: uuid,
    message_id: uuid.meta({ description: 'The `webhook-id` of the event, the same for each attempt.' }),
    event: z.enum([...webhookEvents, 'webhook.test']),
    attempted_at: timestamp,
    attempt: z.int().meta({ description: '1 for the first attempt.' }),
    status: z.int().nullable().meta({ description: 'The status of the response; null if there was none.' }),
    error: z.string().nullable().meta({ description: 'Why the attempt failed; null if it succeeded.' }),
    duration_ms: z.int(),
    next_attempt_at: timestamp.nullable().meta({ description: 'null if there is no further attempt.' }),
  })
  .meta({ id: 'WebhookDelivery' });

const createListQuery = <Id extends string>() =>
  z.object({ limit: pageLimit, cursor: createAgeCursor<Id>(), include_total: includeTotal });

const secretHeaders = { 'Cache-Control': 'no-store' };

/** The routes of webhooks, which are only for administrators in person: they send data about people elsewhere. */
export const webhookRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/webhooks',
    operation: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Sends events to an address, signed as Standard Webhooks defines it. Returns the secret, which cannot be retrieved later.',
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: newWebhook,
    status: 201,
    linkParameters: { webhook_id: '$response.body#/id' },
    response: issuedWebhook,
    errors: ['too_many_webhooks'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const issued = await useCases.createWebhook(caller.authority, {
        url: fields.url,
        description: fields.description ?? '',
        events: fields.events ?? webhookEvents,
        isActive: fields.active ?? true,
      });
      const headers = { ...secretHeaders, Location: `/api/webhooks/${issued.webhook.id}` };
      return toJsonResponse(toIssuedWebhookView(issued), headers);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/webhooks',
    operation: 'listWebhooks',
    summary: 'List the webhooks',
    description: 'Oldest first, at most 50. Secrets are omitted.',
    auth: 'admin',
    scope: null,
    query: createListQuery<WebhookId>(),
    status: 200,
    linkParameters: { webhook_id: '$response.body#/0/id' },
    response: z.array(webhook),
    handler: async ({ useCases, caller, query, request }) => {
      const { page, last, total } = pageFrom(await useCases.listWebhooks(caller.authority), filterAfter, query);
      return toJsonResponse(page.map(toWebhookView), createPageHeaders(request, last && ageCursorOf(last), total));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/webhooks/:webhook_id',
    operation: 'readWebhook',
    summary: 'Read a webhook',
    description: 'The secret is omitted.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: webhook,
    errors: ['webhook_not_found'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toWebhookView(await useCases.readWebhook(caller.authority, webhookIdOf(params.webhook_id)))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/webhooks/:webhook_id',
    operation: 'updateWebhook',
    summary: 'Change a webhook',
    description: 'Absent fields keep their value, and the secret does not change. Also applies to events that wait.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: webhookChange,
    status: 200,
    response: webhook,
    errors: ['webhook_not_found', 'webhook_without_secret'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const change = {
        url: fields.url ?? undefined,
        description: fields.description === null ? '' : fields.description,
        events: fields.events ?? undefined,
        isActive: fields.active ?? undefined,
      };
      const id = webhookIdOf(params.webhook_id);
      return toJsonResponse(toWebhookView(await useCases.updateWebhook(caller.authority, id, change)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/webhooks/:webhook_id',
    operation: 'removeWebhook',
    summary: 'Delete a webhook',
    description: 'With its deliveries, and the events that wait for it.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    status: 204,
    response: null,
    errors: ['webhook_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeWebhook(caller.authority, webhookIdOf(params.webhook_id));
      return createEmptyResponse();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/webhooks/:webhook_id/rotate',
    operation: 'rotateWebhook',
    summary: "Replace a webhook's secret",
    description:
      'Returns the new secret, which cannot be retrieved later. For 24 hours, events are also signed with the previous one.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: issuedWebhook,
    errors: ['webhook_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const issued = await useCases.rotateWebhook(caller.authority, webhookIdOf(params.webhook_id));
      return toJsonResponse(toIssuedWebhookView(issued), secretHeaders);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/webhooks/:webhook_id/test',
    operation: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Sends the event `webhook.test` now, from the process that responds, and returns the delivery, which is not ' +
      'repeated. The status is 200 whether the delivery succeeded or not.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: delivery,
    errors: ['webhook_not_found', 'webhook_without_secret'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toDeliveryView(await useCases.testWebhook(caller.authority, webhookIdOf(params.webhook_id)))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/webhooks/:webhook_id/deliveries',
    operation: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'The last 50 attempts, newest first.',
    params: webhookParameter,
    auth: 'admin',
    scope: null,
    query: createListQuery<DeliveryId>(),
    status: 200,
    response: z.array(delivery),
    errors: ['webhook_not_found'],
    handler: async ({ useCases, caller, params, query, request }) => {
      const deliveries = await useCases.listDeliveries(caller.authority, webhookIdOf(params.webhook_id));
      const { page, last, total } = pageFrom(deliveries, filterBefore, query);
      const cursor = last && ageCursorOf({ createdAt: last.attemptedAt, id: last.id });
      return toJsonResponse(page.map(toDeliveryView), createPageHeaders(request, cursor, total));
    },
  }),
] as const;

interface Position {
  readonly createdAt: number;
  readonly id: string;
}

const filterAfter = (webhooks: readonly Webhook[], after: Position | null): readonly Webhook[] =>
  webhooks.filter(
    ({ createdAt, id }) => !after || createdAt > after.createdAt || (createdAt === after.createdAt && id > after.id),
  );

const filterBefore = (deliveries: readonly WebhookDelivery[], before: Position | null): readonly WebhookDelivery[] =>
  deliveries.filter(
    ({ attemptedAt, id }) =>
      !before || attemptedAt < before.createdAt || (attemptedAt === before.createdAt && id < before.id),
  );

const toWebhookView = (row: Webhook): z.input<typeof webhook> => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: [...row.events],
  active: row.isActive,
  has_secret: row.sealed !== null,
  previous_secret_until: toIsoOrNull(row.previousUntil),
  failing_since: toIsoOrNull(row.failingSince),
  created_by: row.createdBy,
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

const toIssuedWebhookView = ({ webhook: row, secret }: IssuedWebhook): z.input<typeof issuedWebhook> => ({
  ...toWebhookView(row),
  secret,
});

const toDeliveryView = (row: WebhookDelivery): z.input<typeof delivery> => ({
  id: row.id,
  message_id: row.messageId,
  event: row.event,
  attempted_at: toIso(row.attemptedAt),
  attempt: row.attempt,
  status: row.status,
  error: row.error,
  duration_ms: row.durationMs,
  next_attempt_at: toIsoOrNull(row.nextAttemptAt),
});
