import { errorDetails, isPorticoError, PorticoError } from '../../errors.ts';
import type { DeliveryId, JobId, WebhookId } from '../../ids.ts';
import type { Job, WebhookTask } from '../../jobs/job.ts';
import { retryDelayMs } from '../../jobs/retry-policy.ts';
import { DeliveryError } from '../../mails/mail.ts';
import type { PersonAuthority } from '../../access/principal.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import {
  deliveryTimeoutMs,
  testTimeoutMs,
  type WebhookDelivery,
  type Webhook,
  type WebhookEvent,
} from '../../webhooks/webhook.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import { toEventContent } from './create-event-jobs.ts';
import type { DeliveryOutcome, WithDeliveryCounter } from './delivery-counter.ts';
import { webhookFieldsOf } from './webhook-fields.ts';
import { signingKeysOf } from './webhook-secrets.ts';

type RequiredPorts = Pick<Ports, 'webhooks' | 'webhookEgress' | 'signer' | 'cipher' | 'clock' | 'random'> &
  WithDeliveryCounter;

interface Message {
  readonly id: JobId;
  readonly event: WebhookEvent;
  readonly content: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly isRetried: boolean;
}

/**
 * Delivers an event. Sends nothing if the webhook was removed or is inactive. Throws a `DeliveryError` if the attempt
 * failed, so that the job is repeated; not after a 410, which deactivates the webhook.
 */
export const deliverEvent = async (
  ports: RequiredPorts,
  { id, task: { webhookId, event, content }, attempts }: Pick<Job, 'id' | 'attempts'> & { readonly task: WebhookTask },
): Promise<void> => {
  const webhook = await ports.webhooks.find(webhookId);
  if (!webhook?.isActive) return;
  const message = { id, event, content, attempt: attempts + 1, isRetried: true };
  const { status, error } = await attemptDelivery(ports, webhook, message);
  if (error !== null && status !== goneStatus) throw new DeliveryError(`Webhook ${webhookId}: ${error}`, false);
};

/**
 * Sends `webhook.test` to the webhook, also if it is inactive, and returns the attempt, which is not repeated. Throws
 * `webhook_not_found`, and `webhook_without_secret` after a reset of the secrets key.
 */
export const testWebhook =
  (ports: RequiredPorts) =>
  async (_authority: PersonAuthority, id: WebhookId): Promise<WebhookDelivery> => {
    const webhook = await ports.webhooks.find(id);
    if (!webhook) throw new PorticoError('webhook_not_found');
    if (webhook.sealed === null) throw new PorticoError('webhook_without_secret');
    const content = toEventContent(ports, 'webhook.test', { webhook_id: id });
    const messageId = ports.random.uuid() as JobId;
    return attemptDelivery(ports, webhook, {
      id: messageId,
      event: 'webhook.test',
      content,
      attempt: 1,
      isRetried: false,
    });
  };

/** The receiver no longer wants any events (Standard Webhooks). */
const goneStatus = 410;

/** Sends a message, and records the attempt. */
const attemptDelivery = async (ports: RequiredPorts, webhook: Webhook, message: Message): Promise<WebhookDelivery> => {
  const attemptedAt = ports.clock.now();
  const result = await send(ports, webhook, message);
  const isGone = result.status === goneStatus;
  const outcome: DeliveryOutcome = isGone ? 'gone' : result.error === null ? 'delivered' : 'failed';
  ports.deliveryCounter.count(outcome);
  const now = ports.clock.now();
  const delayMs = outcome === 'failed' && message.isRetried ? retryDelayMs('webhook', message.attempt) : null;
  const delivery: WebhookDelivery = {
    id: ports.random.uuid() as DeliveryId,
    webhookId: webhook.id,
    messageId: message.id,
    event: message.event,
    attemptedAt,
    attempt: message.attempt,
    ...result,
    durationMs: Math.max(0, now - attemptedAt),
    nextAttemptAt: delayMs === null ? null : now + delayMs,
  };
  await ports.webhooks.addDelivery(delivery);
  if (isGone) await deactivate(ports, webhook.id);
  return delivery;
};

/** Returns the status of the response, and why the attempt failed; the body of the response is dropped unread. */
const send = async (
  { webhookEgress, signer, cipher, clock }: RequiredPorts,
  webhook: Webhook,
  { id, content, isRetried }: Message,
): Promise<Pick<WebhookDelivery, 'status' | 'error'>> => {
  const now = clock.now();
  if (webhook.sealed === null) return { status: null, error: errorDetails.webhook_without_secret };
  const timestamp = `${Math.floor(now / 1_000)}`;
  const signatures = signingKeysOf(cipher, webhook, webhook.sealed, now).map(
    (key) => `v1,${signer.sign(`${id}.${timestamp}.${content}`, key)}`,
  );
  const headers = [
    ['content-type', 'application/json'],
    ['user-agent', 'Portico'],
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', signatures.join(' ')],
  ] as const;
  const request = { method: 'POST', url: webhook.url, headers, body: new TextEncoder().encode(content) };
  const options = {
    caller: `webhook ${webhook.id}`,
    timeoutMs: isRetried ? deliveryTimeoutMs : testTimeoutMs,
    bodyBytesMax: responseBytesMax,
  };
  try {
    const { status } = await webhookEgress.send(request, options);
    return { status, error: toStatusError(status) };
  } catch (error) {
    if (!isPorticoError(error)) throw error;
    return { status: null, error: toWords(error) };
  }
};

/** No part of a response is used, but reading its end keeps the connection usable. */
const responseBytesMax = 4_096;

const toStatusError = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  if (status === goneStatus) return 'The receiver responded 410: the webhook was deactivated';
  if (status < 400) return `The receiver responded ${status}: redirects are not followed`;
  return `The receiver responded ${status}`;
};

/** Returns the error in words. Its own words are about an API, and suggest a timeout that callers choose. */
const toWords = ({ code, message }: PorticoError): string => {
  switch (code) {
    case 'upstream_unreachable':
      return `The receiver is unreachable${message.slice(errorDetails[code].length)}`;
    case 'upstream_timed_out':
      return 'The receiver did not respond in time';
    case 'rate_limited':
      return 'Too many deliveries are in flight';
    default:
      return message;
  }
};

/** Deactivates a webhook, unless that was done in the meantime. */
const deactivate = async (ports: RequiredPorts, id: WebhookId): Promise<void> => {
  try {
    await ports.webhooks.update(id, (webhook) => {
      if (!webhook.isActive) return null;
      const updatedAt = nextChangeAt(webhook.updatedAt, ports.clock.now());
      return {
        webhook: { ...webhook, isActive: false, updatedAt },
        ...createAuditEffects(
          ports,
          { actor: null, deadline: null },
          {
            action: 'webhook.deactivate',
            ...webhookFieldsOf(webhook),
            status: goneStatus,
          },
        ),
      };
    });
  } catch (error) {
    if (!isPorticoError(error, 'webhook_not_found')) throw error;
  }
};

/** Global in every runtime, but not part of ECMAScript's types. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
