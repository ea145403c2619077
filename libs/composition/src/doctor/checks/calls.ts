import { metadataServicesIn } from '@portico/egress';
import type { Config } from '../../config.ts';
import { pass, warn, type Check, type Finding } from '../check.ts';

const advice = 'Check CALLS and CALL_NETWORKS.';

export const callChecks: readonly Check[] = [
  {
    id: 'calls',
    needs: ['configuration'],
    execute: ({ getConfig }) => pass(callsMessages[getConfig().calls]),
    advice,
  },
  {
    id: 'calls.networks',
    needs: ['configuration'],
    execute: ({ getConfig }) => checkNetworks(getConfig()),
    advice,
  },
];

const callsMessages: Readonly<Record<Config['calls'], string>> = {
  off: 'Calls are off: clients read the credential of an API, and call it themselves.',
  on: 'This process calls APIs for its clients.',
  only: 'CALLS=only: this process only calls APIs. It runs no jobs, even without JOBS=off: another process has to.',
};

const allNetworks = /\/0$/;

/** Checks the networks that calls and webhooks may reach. */
export const checkNetworks = ({ callNetworks }: Pick<Config, 'callNetworks'>): Finding => {
  if (callNetworks.length === 0) return pass('Calls and webhooks reach public addresses only, with TLS.');
  const everything = callNetworks.find((network) => allNetworks.test(network));
  if (everything !== undefined)
    return warn(
      `CALL_NETWORKS contains ${everything}: calls and webhooks reach every private address, also this machine, and without TLS.`,
      'Name only the networks of the APIs that are called, and of the receivers of webhooks.',
    );
  const metadata = callNetworks.flatMap((network) =>
    metadataServicesIn(network).map((address) => ({ network, address })),
  );
  const [first] = metadata;
  if (first)
    return warn(
      `CALL_NETWORKS contains ${first.network}, and so the metadata service ${first.address}, which stays refused.`,
      'Name only the networks of the APIs that are called, and of the receivers of webhooks.',
    );
  return pass(`Calls and webhooks also reach ${callNetworks.join(', ')}, with or without TLS.`);
};
