import {
  deliveriesMax,
  PorticoError,
  type SealedWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookId,
  type WebhookStore,
} from '@portico/domain';
import { commit, compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryWebhookStore = (database: MemoryDatabase): WebhookStore => {
  const { webhooks, deliveries, jobs } = database;

  return {
    async add(decide) {
      const { webhook, ...effects } = decide(webhooks.size);
      commit(database, effects, () => webhooks.set(webhook.id, copyFrozen(webhook)));
    },

    async find(id) {
      return webhooks.get(id) ?? null;
    },

    async list() {
      return [...webhooks.values()].sort((a, b) => a.createdAt - b.createdAt || compareCodePoints(a.id, b.id));
    },

    async update(id, decide) {
      const current = requireWebhook(database, id);
      const change = decide(current);
      if (!change) return current;
      const { webhook, ...effects } = change;
      const changedWebhook = copyFrozen({ ...webhook, id });
      commit(database, effects, () => webhooks.set(id, changedWebhook));
      return changedWebhook;
    },

    async remove(id, decide) {
      const effects = decide(requireWebhook(database, id));
      commit(database, effects, () => {
        webhooks.delete(id);
        deliveries.delete(id);
        for (const { job } of jobs.values())
          if (job.task.kind === 'webhook' && job.task.webhookId === id) jobs.delete(job.id);
      });
    },

    async addDelivery(delivery) {
      const { webhookId, error, attemptedAt } = delivery;
      const webhook = webhooks.get(webhookId);
      if (!webhook) return;
      const failingSince = error === null ? null : (webhook.failingSince ?? attemptedAt);
      webhooks.set(webhookId, copyFrozen({ ...webhook, failingSince }));
      const sorted = [...(deliveries.get(webhookId) ?? []), copyFrozen(delivery)].sort(compareNewestFirst);
      deliveries.set(webhookId, sorted.slice(0, deliveriesMax));
    },

    async listDeliveries(id) {
      return deliveries.get(id) ?? [];
    },
  };
};

/** Returns the webhooks that have a secret. */
export const listSealedWebhooks = ({ webhooks }: MemoryDatabase): readonly SealedWebhook[] =>
  [...webhooks.values()].flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }]));

/** Removes the secrets of a webhook and deactivates it, as part of another change. */
export const removeWebhookSecrets = ({ webhooks }: MemoryDatabase, id: WebhookId): void => {
  const webhook = webhooks.get(id);
  if (webhook) webhooks.set(id, copyFrozen({ ...webhook, sealed: null, previousUntil: null, isActive: false }));
};

const requireWebhook = ({ webhooks }: MemoryDatabase, id: WebhookId): Webhook => {
  const webhook = webhooks.get(id);
  if (!webhook) throw new PorticoError('webhook_not_found');
  return webhook;
};

const compareNewestFirst = (a: WebhookDelivery, b: WebhookDelivery): number =>
  b.attemptedAt - a.attemptedAt || compareCodePoints(b.id, a.id);
