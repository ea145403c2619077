import type { WebhookId } from '../ids.ts';
import type { WebhookDelivery, Webhook } from '../webhooks/webhook.ts';
import type { Effects } from './effects.ts';

/** Webhooks with their last deliveries. Every `decide` is synchronous and pure, and may run more than once. */
export interface WebhookStore {
  /**
   * Adds the webhook that `decide` returns, given the number of stored webhooks, in one transaction, serialised against
   * every other addition. If `decide` throws, nothing changes.
   */
  add(decide: (count: number) => Effects & { readonly webhook: Webhook }): Promise<void>;

  /** Returns the webhook with that id, or null. */
  find(id: WebhookId): Promise<Webhook | null>;

  /** Returns all webhooks, sorted by creation time, then by id. */
  list(): Promise<readonly Webhook[]>;

  /**
   * Loads, decides and stores in one transaction, serialised against every other change to the same webhook. Throws
   * `webhook_not_found`. If `decide` returns null or throws, nothing changes. Returns the stored webhook.
   */
  update(
    id: WebhookId,
    decide: (webhook: Webhook) => (Effects & { readonly webhook: Webhook }) | null,
  ): Promise<Webhook>;

  /**
   * Removes the webhook with its deliveries and its jobs, in one transaction. Throws `webhook_not_found`; if `decide`
   * throws, nothing changes.
   */
  remove(id: WebhookId, decide: (webhook: Webhook) => Effects): Promise<void>;

  /**
   * Adds a delivery, and removes all but the newest `deliveriesMax` of the webhook. After a failure, `failingSince` is
   * its time unless the delivery before also failed; after a success, it is null. Does nothing if the webhook no longer
   * exists.
   */
  addDelivery(delivery: WebhookDelivery): Promise<void>;

  /** Returns the deliveries of the webhook, newest first, then by id, highest first; none if there is no such webhook. */
  listDeliveries(id: WebhookId): Promise<readonly WebhookDelivery[]>;
}
