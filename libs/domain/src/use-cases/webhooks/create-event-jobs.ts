import type { JobId, WebhookId } from '../../ids.ts';
import { toIso } from '../../instant.ts';
import type { Json } from '../../json.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import { isSubscribed, type SubscribedEvent, type WebhookEvent } from '../../webhooks/webhook.ts';

/** The data of an event: never a secret, and no more about people than emails to administrators contain. */
export interface EventData {
  readonly [name: string]: Json;
}

export type EventPorts = Pick<Ports, 'webhooks' | 'clock' | 'random'>;

/** Returns the jobs that deliver an event: one for each webhook that receives it, to be written with the change. */
export type CreateEventJobs = (data: EventData) => readonly NewJob[];

/** Finds the webhooks that receive an event now. Call it before the change, whose decision cannot wait. */
export const prepareEvent = async (ports: EventPorts, event: SubscribedEvent): Promise<CreateEventJobs> => {
  const webhooks = (await ports.webhooks.list()).filter((webhook) => isSubscribed(webhook, event));
  return (data) => webhooks.map(({ id }) => createEventJob(ports, id, event, data));
};

/** Returns the body of an event, exactly as it is signed and sent. */
export const toEventContent = (ports: Pick<Ports, 'clock'>, event: WebhookEvent, data: EventData): string =>
  JSON.stringify({ type: event, timestamp: toIso(ports.clock.now()), data });

const createEventJob = (
  ports: Pick<Ports, 'clock' | 'random'>,
  webhookId: WebhookId,
  event: WebhookEvent,
  data: EventData,
): NewJob => ({
  id: ports.random.uuid() as JobId,
  task: { kind: 'webhook', webhookId, event, content: toEventContent(ports, event, data) },
  group: null,
  dueAt: ports.clock.now(),
});
