import type { Egress } from './egress.ts';

/** The way out of events: the same rules as for calls, also in a process that makes no calls. */
export interface WebhookEgress extends Egress {
  /**
   * Returns whether a URL without TLS may name this host: an address in a network that the operator's configuration
   * allows, or any name if it allows a network at all, because a name is looked up and checked for each delivery.
   */
  allowsPlain(hostname: string): Promise<boolean>;
}
