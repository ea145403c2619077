import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopback } from '@portico/dependencies';
import type { Config } from '../../config.ts';
import { configurationWarnings, type ConfigurationWarning } from '../../configuration-warnings.ts';
import { ConfigurationError } from '../../environment.ts';
import { ok, warning, wrong, type Findings, type Check } from '../check.ts';
import { sentence } from '../run-checks.ts';

const variablesHint = 'docs/reference/configuration.md lists every variable.';

/** The warnings that the service also logs at startup. */
const warningChecks = configurationWarnings.flatMap(
  ({ id, applies: holds, text, advice }: ConfigurationWarning): Check[] =>
    advice === null
      ? []
      : [
          {
            id: `configuration.${id}`,
            needs: ['configuration'],
            execute: ({ config }) => (holds(config()) ? warning(text(config()), advice) : ok('Nothing to warn about.')),
            advice: variablesHint,
          },
        ],
);

export const configurationChecks: readonly Check[] = [
  {
    id: 'configuration',
    needs: [],
    execute: ({ config }): Findings => {
      try {
        config();
        return ok('Every variable is valid.');
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        return error.problems.map((problem) => wrong(sentence(problem), `Correct it. ${variablesHint}`));
      }
    },
    advice: variablesHint,
  },
  ...warningChecks,
  {
    id: 'configuration.environment',
    needs: ['configuration'],
    execute: ({ config }) => checkEnvironment(config()),
    advice: variablesHint,
  },
  {
    id: 'configuration.proxy',
    needs: ['configuration'],
    execute: ({ config }) => checkProxy(config()),
    advice: variablesHint,
  },
  {
    id: 'configuration.host',
    needs: ['configuration'],
    execute: ({ config }) => checkHost(config()),
    advice: variablesHint,
  },
];

const checkEnvironment = ({ production, host }: Config) =>
  production || isLoopback(host)
    ? ok(production ? 'NODE_ENV is production.' : 'Development, reachable from this machine only.')
    : warning(
        `HOST=${host} opens the service to the network, but NODE_ENV is not production: requests without valid credentials are not limited, and the local issuer may be on.`,
        'Set NODE_ENV=production, or HOST=127.0.0.1.',
      );

const everyone = ['0.0.0.0/0', '::/0'];

const checkProxy = ({ trustProxy, accessTokens }: Config) => {
  if (Array.isArray(trustProxy) && trustProxy.some((network) => everyone.includes(String(network)))) {
    return warning(
      'TRUST_PROXY trusts every address: any caller may claim any address, and so escape limits per address.',
      'Set TRUST_PROXY to the number of your proxies, or to their addresses.',
    );
  }
  if (trustProxy === null && accessTokens?.resource.startsWith('https:')) {
    return warning(
      'PUBLIC_URL is https, which a proxy in front must provide, but TRUST_PROXY is off: limits per address count all callers as one.',
      'Set TRUST_PROXY to the number of your proxies, or to their addresses.',
    );
  }
  return ok(trustProxy === null ? 'No proxy is trusted.' : 'Only the proxies of TRUST_PROXY are trusted.');
};

const checkHost = ({ host, port }: Config) => {
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const isOwn =
    isIP(host) === 0 || ['0.0.0.0', '::'].includes(host) || addresses.some(({ address }) => address === host);
  return isOwn
    ? ok(`The service listens at ${host}:${port}.`)
    : wrong(
        `HOST=${host} is not an address of this machine.`,
        'Set HOST to one of its addresses, or to 0.0.0.0 for all.',
      );
};
