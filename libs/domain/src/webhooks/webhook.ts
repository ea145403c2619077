import type { DeliveryId, JobId, ProfileId, WebhookId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** The events that a webhook can receive. */
export const webhookEvents = [
  'collection.changed',
  'collection.breaking',
  'collection.deprecated',
  'access.requested',
  'grant.expiring',
  'key.rotated',
] as const;

/** `webhook.test` is sent only when an administrator requests it. */
export type WebhookEvent = (typeof webhookEvents)[number] | 'webhook.test';

/** An address that receives events (extensions, section 8). */
export interface Webhook {
  readonly id: WebhookId;
  /** Absolute. Some receivers put a secret into the path, so it is shown only to administrators in person. */
  readonly url: string;
  readonly description: string;
  /** At least one event, without duplicates, in the order of `webhookEvents`. */
  readonly events: readonly SubscribedEvent[];
  /** Whether events are sent; events that occur while it is inactive are never sent. */
  readonly isActive: boolean;
  /** The `WebhookSecrets`, sealed by the `Cipher` for this webhook alone; null after a reset of the secrets key. */
  readonly sealed: string | null;
  /** Until when the previous secret also signs; null if there is none. */
  readonly previousUntil: Instant | null;
  /** The first of the failures since the last success; null if the last delivery succeeded, or there was none. */
  readonly failingSince: Instant | null;
  /** The administrator who created the webhook; null for the operator's command line. */
  readonly createdBy: ProfileId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type SubscribedEvent = (typeof webhookEvents)[number];

/** One attempt to deliver an event. No part of the response is stored but its status. */
export interface WebhookDelivery {
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  /** The `webhook-id` of the event. */
  readonly messageId: JobId;
  readonly event: WebhookEvent;
  readonly attemptedAt: Instant;
  /** 1 for the first attempt to deliver the event. */
  readonly attempt: number;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null;
  readonly durationMs: number;
  /** Null if there is no further attempt. */
  readonly nextAttemptAt: Instant | null;
}

/** The maximum number of webhooks. */
export const webhooksMax = 50;

/** The number of deliveries that are kept for each webhook. */
export const deliveriesMax = 50;

/** In characters (Unicode code points), after trimming. */
export const webhookDescriptionMax = 1_000;

/** In characters. */
export const webhookUrlMax = 2_000;

/** How long the previous secret also signs after a rotation. */
export const previousSecretMs = 86_400_000;

/** How long a receiver may take for its response. */
export const deliveryTimeoutMs = 10_000;

/** The same for `webhook.test`, whose sender waits for the result. */
export const testTimeoutMs = 5_000;

/** The time after which a webhook that only fails is reported to the operator. */
export const failingTooLongMs = 3_600_000;

/** Returns the events without duplicates, in the order of `webhookEvents`. */
export const eventsOf = (requested: readonly string[]): readonly SubscribedEvent[] =>
  webhookEvents.filter((event) => requested.includes(event));

/** Returns whether the webhook receives this event. */
export const isSubscribed = ({ isActive, events }: Webhook, event: SubscribedEvent): boolean =>
  isActive && events.includes(event);
