import { join } from 'node:path';
import { createLocalIssuer } from '@portico/identity';
import { readIfPresent, systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { ok, wrong, type Check } from '../check.ts';
import { judgeClock } from '../judge-clock.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const withoutIssuer = ({ identity }: Config) => (identity.issuer === null ? 'IDENTITY_ISSUER is not set.' : null);

export const identityChecks: readonly Check[] = [
  {
    id: 'identity.issuer',
    needs: ['configuration'],
    isIdle: withoutIssuer,
    ask: async ({ provider }) => {
      const { keysAddress } = await provider();
      if ('found' in keysAddress) return ok(`The keys of the issuer are at ${keysAddress.found}.`);
      return wrong(
        sentence(`The issuer cannot be discovered: ${reasonOf(keysAddress.problem)}`),
        'Set IDENTITY_ISSUER exactly as the provider spells its name, and let this machine reach it, or set IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_ISSUER.',
  },
  {
    id: 'identity.keys',
    needs: ['identity.issuer'],
    isIdle: withoutIssuer,
    ask: async ({ provider }) => {
      const { keys } = await provider();
      if (keys && 'found' in keys) return ok('The issuer publishes keys that can be used.');
      return wrong(
        sentence(`The keys of the issuer cannot be used: ${reasonOf(keys?.problem)}`),
        'Have the provider sign with RS256, PS256, ES256 or EdDSA and publish that key, or correct IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_JWKS_URL.',
  },
  {
    id: 'clock.issuer',
    needs: ['configuration'],
    isIdle: withoutIssuer,
    ask: async ({ provider }) => judgeClock('the issuer', (await provider()).aheadMs),
    advice: 'Run NTP on this machine.',
  },
  {
    id: 'identity.local-key',
    needs: ['data.folder'],
    isIdle: ({ identity }) => (identity.local ? null : 'The local issuer is off.'),
    ask: async ({ config }) => {
      const path = join(config().dataDir, 'local-issuer.key');
      const key = await readIfPresent(path);
      if (key === null) return ok('The local issuer has no key yet; the first start makes it.');
      try {
        await createLocalIssuer({ key, clock: systemClock });
        return ok('The local issuer has its key.');
      } catch {
        return wrong(`${path} holds no key of the local issuer.`, 'Remove it: the next start makes a new one.');
      }
    },
    advice: 'Look at local-issuer.key in DATA_DIR.',
  },
];
