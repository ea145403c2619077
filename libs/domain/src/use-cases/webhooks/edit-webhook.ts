import type { PersonAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { WebhookId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type WebhookDelivery,
  eventsOf,
  type SubscribedEvent,
  type Webhook,
  webhooksMax,
} from '../../webhooks/webhook.ts';
import { createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import { webhookFieldsOf } from './webhook-fields.ts';
import { makeWebhookSecret, rotateWebhookSecret, sealWebhookSecrets } from './webhook-secrets.ts';

type RequiredPorts = Pick<Ports, 'webhooks' | 'webhookEgress' | 'signer' | 'cipher' | 'clock' | 'random'>;

export interface NewWebhook {
  /** An absolute http or https URL without a user name, password and fragment. */
  readonly url: string;
  readonly description: string;
  /** At least one event. */
  readonly events: readonly SubscribedEvent[];
  readonly isActive: boolean;
}

/** Changes to a webhook; undefined members leave it unchanged. */
export type WebhookChange = { readonly [Name in keyof NewWebhook]?: NewWebhook[Name] | undefined };

/** A webhook with its new secret in plain text: returned once, and stored only sealed. */
export interface IssuedWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** Creates a webhook. Throws `invalid_body` for a URL without TLS that is not allowed, and `too_many_webhooks`. */
export const createWebhook =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, input: NewWebhook): Promise<IssuedWebhook> => {
    await rejectPlainUrl(ports, input.url);
    const now = ports.clock.now();
    const id = ports.random.uuid() as WebhookId;
    const secret = makeWebhookSecret(ports);
    const webhook: Webhook = {
      id,
      url: input.url,
      description: input.description,
      events: eventsOf(input.events),
      isActive: input.isActive,
      sealed: sealWebhookSecrets(ports.cipher, id, { current: secret, previous: null }),
      previousUntil: null,
      failingSince: null,
      createdBy: authority.actor?.id ?? null,
      createdAt: now,
      updatedAt: now,
    };
    const effects = createAuditEffects(ports, authority, { action: 'webhook.create', ...auditFieldsOf(webhook) });
    await ports.webhooks.add((count) => {
      if (count >= webhooksMax)
        throw new PorticoError('too_many_webhooks', { reason: `delete some of the ${webhooksMax} first` });
      return { webhook, ...effects };
    });
    return { webhook, secret };
  };

/** Returns all webhooks, oldest first. */
export const listWebhooks =
  ({ webhooks }: Pick<Ports, 'webhooks'>) =>
  (_authority: PersonAuthority): Promise<readonly Webhook[]> =>
    webhooks.list();

/** Returns one webhook; throws `webhook_not_found`. */
export const readWebhook =
  ({ webhooks }: Pick<Ports, 'webhooks'>) =>
  async (_authority: PersonAuthority, id: WebhookId): Promise<Webhook> => {
    const webhook = await webhooks.find(id);
    if (!webhook) throw new PorticoError('webhook_not_found');
    return webhook;
  };

/** Returns the last deliveries, newest first; throws `webhook_not_found`. */
export const listDeliveries =
  ({ webhooks }: Pick<Ports, 'webhooks'>) =>
  async (authority: PersonAuthority, id: WebhookId): Promise<readonly WebhookDelivery[]> => {
    await readWebhook({ webhooks })(authority, id);
    return webhooks.listDeliveries(id);
  };

/**
 * Changes a webhook; writes nothing if nothing changes. Throws `webhook_not_found`, `invalid_body` as `createWebhook`
 * does, and `webhook_without_secret` for the activation of a webhook that lost its secret.
 */
export const updateWebhook =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: WebhookId, change: WebhookChange): Promise<Webhook> => {
    if (change.url !== undefined) await rejectPlainUrl(ports, change.url);
    const now = ports.clock.now();
    return ports.webhooks.update(id, (current) => {
      const next: Webhook = {
        ...current,
        url: change.url ?? current.url,
        description: change.description ?? current.description,
        events: change.events ? eventsOf(change.events) : current.events,
        isActive: change.isActive ?? current.isActive,
      };
      if (next.isActive && next.sealed === null) throw new PorticoError('webhook_without_secret');
      const fields = listChangedFields(current, next);
      if (fields.length === 0) return null;
      const isRestarted = fields.includes('url') || (next.isActive && !current.isActive);
      const webhook = {
        ...next,
        failingSince: isRestarted ? null : current.failingSince,
        updatedAt: nextChangeAt(current.updatedAt, now),
      };
      const message = { action: 'webhook.update' as const, ...auditFieldsOf(webhook), fields };
      return { webhook, ...createAuditEffects(ports, authority, message) };
    });
  };

/** Replaces the secret; the previous one also signs for a day. Throws `webhook_not_found`. */
export const rotateWebhook =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: WebhookId): Promise<IssuedWebhook> => {
    const secret = makeWebhookSecret(ports);
    const now = ports.clock.now();
    const webhook = await ports.webhooks.update(id, (current) => ({
      webhook: {
        ...current,
        ...rotateWebhookSecret(ports.cipher, current, secret, now),
        updatedAt: nextChangeAt(current.updatedAt, now),
      },
      ...createAuditEffects(ports, authority, { action: 'webhook.rotate', ...webhookFieldsOf(current) }),
    }));
    return { webhook, secret };
  };

/** Removes the webhook with its deliveries and waiting events. Throws `webhook_not_found`. */
export const removeWebhook =
  (ports: RequiredPorts) =>
  (authority: PersonAuthority, id: WebhookId): Promise<void> =>
    ports.webhooks.remove(id, (webhook) =>
      createAuditEffects(ports, authority, { action: 'webhook.delete', ...webhookFieldsOf(webhook) }),
    );

const rejectPlainUrl = async ({ webhookEgress }: Pick<Ports, 'webhookEgress'>, url: string): Promise<void> => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (await webhookEgress.allowsPlain(hostname))) return;
  throw new PorticoError('invalid_body', {
    reason: 'url must use https: the operator can allow a network without TLS with CALL_NETWORKS',
  });
};

/** The names that audit entries use for the parts that can change. */
const auditNames = { url: 'url', description: 'description', events: 'events', isActive: 'active' } as const;

const listChangedFields = (before: Webhook, after: Webhook): readonly string[] =>
  (Object.keys(auditNames) as readonly (keyof typeof auditNames)[])
    .filter((field) => String(before[field]) !== String(after[field]))
    .map((field) => auditNames[field]);

const auditFieldsOf = (webhook: Webhook): Omit<SystemMessage, 'action'> => ({
  ...webhookFieldsOf(webhook),
  events: webhook.events,
  active: webhook.isActive,
});

/** The parser of the WHATWG, which every runtime has and the types of ECMAScript do not. */
declare const URL: new (text: string) => { readonly protocol: string; readonly hostname: string };
