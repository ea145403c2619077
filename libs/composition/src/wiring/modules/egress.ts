import { createEgress } from '@portico/egress';
import { Closable, type Module } from '../parts.ts';

/** Sends calls to APIs. */
export const egressModule: Module = (provide) => {
  provide('egress', ['config'], ({ callNetworks }) => {
    const egress = createEgress({ networks: callNetworks });
    return new Closable(egress, () => egress.close());
  });
};
