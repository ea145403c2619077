import type { ClosableEgress } from '@portico/egress';
import { Closable, type Module } from '../parts.ts';

/**
 * Sends events to webhooks, also in a process that makes no calls. The adapter is loaded and opened for the first event:
 * most installations have no webhooks.
 */
export const webhookEgressModule: Module = (provide) => {
  provide('webhookEgress', ['config'], ({ callNetworks: networks }) => {
    let opening: Promise<ClosableEgress> | null = null;
    const open = () =>
      (opening ??= import('../webhook-way-out.ts').then(({ createEgress }) => createEgress({ networks })));
    const webhookEgress = {
      send: async (...args: Parameters<ClosableEgress['send']>) => (await open()).send(...args),
      allowsPlain: async (hostname: string) =>
        (await import('../webhook-way-out.ts')).allowsPlainHost(networks, hostname),
    };
    return new Closable(webhookEgress, async () => (await opening)?.close());
  });
};
