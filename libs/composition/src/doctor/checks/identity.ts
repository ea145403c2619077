import { join } from 'node:path';
import { createLocalIssuer } from '@portico/identity';
import { readIfPresent, systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { ok, warning, wrong, type Check, type Finding } from '../check.ts';
import { checkClock } from '../check-clock.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const withoutIssuer = ({ identity }: Config) => (identity.issuer === null ? 'IDENTITY_ISSUER is not set.' : null);
const signsInByPassword = ({ signInWays }: Config) => signInWays.some(({ kind }) => kind === 'firebase');

export const identityChecks: readonly Check[] = [
  {
    id: 'identity.issuer',
    needs: ['configuration'],
    findSkipReason: withoutIssuer,
    execute: async ({ provider }) => {
      const { keysAddress } = await provider();
      if ('value' in keysAddress) return ok(`The keys of the issuer are at ${keysAddress.value}.`);
      return wrong(
        sentence(`The issuer cannot be discovered: ${reasonOf(keysAddress.problem)}`),
        'Set IDENTITY_ISSUER exactly as the provider writes its name, and let this machine reach it, or set IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_ISSUER.',
  },
  {
    id: 'identity.keys',
    needs: ['identity.issuer'],
    findSkipReason: withoutIssuer,
    execute: async ({ provider }) => {
      const { keys } = await provider();
      if (keys && 'value' in keys) return ok('The issuer publishes keys that can be used.');
      return wrong(
        sentence(`The keys of the issuer cannot be used: ${reasonOf(keys?.problem)}`),
        'Have the provider sign with RS256, PS256, ES256 or EdDSA and publish that key, or correct IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_JWKS_URL.',
  },
  {
    id: 'identity.console',
    needs: ['identity.issuer'],
    findSkipReason: (config) =>
      withoutIssuer(config) ??
      (signsInByPassword(config) ? 'People sign in at the console by e-mail and password, at Firebase.' : null),
    execute: async ({ config, provider }) => {
      const { metadata } = await provider();
      if (!('value' in metadata)) {
        return warning(
          sentence(`No one can sign in at the console: ${reasonOf(metadata.problem)}`),
          'Let the issuer publish a discovery document; IDENTITY_JWKS_URL names only the keys.',
        );
      }
      const findings = [...checkClient(config()), ...checkMetadata(metadata.value)];
      return findings.length > 0 ? findings : ok('The issuer lets people sign in at the console.');
    },
    advice: 'Correct IDENTITY_ISSUER.',
  },
  {
    id: 'clock.issuer',
    needs: ['configuration'],
    findSkipReason: withoutIssuer,
    execute: async ({ provider }) => checkClock('the issuer', (await provider()).aheadMs),
    advice: 'Run NTP on this machine.',
  },
  {
    id: 'identity.local-key',
    needs: ['data.folder'],
    findSkipReason: ({ identity }) => (identity.local ? null : 'The local issuer is off.'),
    execute: async ({ config }) => {
      const path = join(config().dataDir, 'local-issuer.key');
      const key = await readIfPresent(path);
      if (key === null) return ok('The local issuer has no key yet; the first start creates it.');
      try {
        await createLocalIssuer({ key, clock: systemClock });
        return ok('The local issuer has its key.');
      } catch {
        return wrong(`${path} contains no key of the local issuer.`, 'Remove it: the next start creates a new one.');
      }
    },
    advice: 'Check local-issuer.key in DATA_DIR.',
  },
];

const checkClient = ({ identity, signInWays }: Config): readonly Finding[] => {
  const way = signInWays.find(({ kind }) => kind === 'oidc');
  if (way?.kind !== 'oidc' || !identity.issuer) return [];
  const { audiences, authorizedParties } = identity.issuer;
  const isAccepted = authorizedParties.length === 0 || authorizedParties.includes(way.clientId);
  const missing = [
    ...(audiences.includes(way.clientId) ? [] : ['IDENTITY_AUDIENCE']),
    ...(isAccepted ? [] : ['IDENTITY_AUTHORIZED_PARTIES']),
  ];
  if (missing.length === 0) return [];
  return [
    warning(
      `No one can sign in at the console: the ID tokens of its client ${way.clientId} would be rejected.`,
      `Add IDENTITY_CONSOLE_CLIENT_ID to ${missing.join(' and ')}, which may be several, separated by commas.`,
    ),
  ];
};

/** A missing list is not a problem: few providers published one before RFC 8414. */
const checkMetadata = ({
  authorization_endpoint: authorize,
  code_challenge_methods_supported: methods,
}: Readonly<Record<string, unknown>>): readonly Finding[] => {
  if (typeof authorize !== 'string') {
    return [
      warning(
        'No one can sign in at the console: the issuer has no authorization_endpoint.',
        'At Firebase, set IDENTITY_FIREBASE_API_KEY; else put an issuer in front that has one, such as Keycloak or Dex.',
      ),
    ];
  }
  if (!Array.isArray(methods) || methods.includes('S256')) return [];
  return [
    warning(
      'No one can sign in at the console: the issuer does not support S256, with which the console proves its identity.',
      'Turn on PKCE with S256 at the issuer (RFC 7636).',
    ),
  ];
};
