import type { Egress, WebhookEgress } from '@portico/domain';
import { allowsPlainHost } from '@portico/egress';

/** The networks that the service in a test may reach without TLS. */
export const testNetworks = ['127.0.0.0/8'];

/** Returns the way out of events that sends them as calls are sent. */
export const createTestWebhookEgress = (egress: Egress): WebhookEgress => ({
  send: (...args) => egress.send(...args),
  allowsPlain: async (hostname) => allowsPlainHost(testNetworks, hostname),
});
