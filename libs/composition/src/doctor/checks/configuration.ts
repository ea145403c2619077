import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopback } from '@portico/dependencies';
import type { Config } from '../../config.ts';
import { configurationWarnings, type ConfigurationWarning } from '../../configuration-warnings.ts';
import { ConfigurationError } from '../../environment.ts';
import { pass, warn, fail, type Findings, type Check } from '../check.ts';
import { toSentence } from '../run-checks.ts';

const variablesHint = 'docs/reference/configuration.md lists every variable.';

/** The warnings that the service also logs at startup. */
const warningChecks = configurationWarnings.flatMap(
  ({ id, applies: holds, formatText, advice }: ConfigurationWarning): Check[] =>
    advice === null
      ? []
      : [
          {
            id: `configuration.${id}`,
            needs: ['configuration'],
            execute: ({ getConfig }) =>
              holds(getConfig()) ? warn(formatText(getConfig()), advice) : pass('No warnings.'),
            advice: variablesHint,
          },
        ],
);

export const configurationChecks: readonly Check[] = [
  {
    id: 'configuration',
    needs: [],
    execute: ({ getConfig }): Findings => {
      try {
        getConfig();
        return pass('Every variable is valid.');
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        return error.problems.map((problem) => fail(toSentence(problem), `Correct it. ${variablesHint}`));
      }
    },
    advice: variablesHint,
  },
  ...warningChecks,
  {
    id: 'configuration.environment',
    needs: ['configuration'],
    execute: ({ getConfig }) => checkEnvironment(getConfig()),
    advice: variablesHint,
  },
  {
    id: 'configuration.proxy',
    needs: ['configuration'],
    execute: ({ getConfig }) => checkProxy(getConfig()),
    advice: variablesHint,
  },
  {
    id: 'configuration.host',
    needs: ['configuration'],
    execute: ({ getConfig }) => checkHost(getConfig()),
    advice: variablesHint,
  },
];

const checkEnvironment = ({ production, host }: Config) =>
  production || isLoopback(host)
    ? pass(production ? 'NODE_ENV is production.' : 'Development, reachable from this machine only.')
    : warn(
        `HOST=${host} opens the service to the network, but NODE_ENV is not production: requests without valid credentials are not limited, and the local issuer may be on.`,
        'Set NODE_ENV=production, or HOST=127.0.0.1.',
      );

const allNetworks = ['0.0.0.0/0', '::/0'];

const checkProxy = ({ trustProxy, accessTokens }: Config) => {
  if (Array.isArray(trustProxy) && trustProxy.some((network) => allNetworks.includes(String(network)))) {
    return warn(
      'TRUST_PROXY trusts every address: callers can claim any address, and so bypass the limits per address.',
      'Set TRUST_PROXY to the number of your proxies, or to their addresses.',
    );
  }
  if (trustProxy === null && accessTokens?.resource.startsWith('https:')) {
    return warn(
      'PUBLIC_URL is https, which a proxy in front must provide, but TRUST_PROXY is off: the limits per address count all callers as one.',
      'Set TRUST_PROXY to the number of your proxies, or to their addresses.',
    );
  }
  return pass(trustProxy === null ? 'No proxy is trusted.' : 'Only the proxies of TRUST_PROXY are trusted.');
};

const checkHost = ({ host, port }: Config) => {
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const isOwnAddress =
    isIP(host) === 0 || ['0.0.0.0', '::'].includes(host) || addresses.some(({ address }) => address === host);
  return isOwnAddress
    ? pass(`The service listens on ${host}:${port}.`)
    : fail(
        `HOST=${host} is not an address of this machine.`,
        'Set HOST to one of its addresses, or to 0.0.0.0 for all.',
      );
};
