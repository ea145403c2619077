import type { Ports } from '../../ports/index.ts';
import { testWebhook } from './deliver-event.ts';
import type { WithDeliveryCounter } from './delivery-counter.ts';
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  removeWebhook,
  rotateWebhook,
  updateWebhook,
} from './edit-webhook.ts';

/** Webhooks, and the tests of their receivers; `workJob` delivers events. */
export const createWebhookUseCases = (ports: Ports & WithDeliveryCounter) => ({
  createWebhook: createWebhook(ports),
  listWebhooks: listWebhooks(ports),
  readWebhook: readWebhook(ports),
  updateWebhook: updateWebhook(ports),
  rotateWebhook: rotateWebhook(ports),
  removeWebhook: removeWebhook(ports),
  testWebhook: testWebhook(ports),
  listDeliveries: listDeliveries(ports),
  /** Returns the deliveries of this process. */
  getDeliveryTotals: ports.deliveryCounter.getTotals,
});
