import { join } from 'node:path';
import { createLocalIssuer } from '@portico/identity';
import { readIfPresent, systemClock } from '@portico/system';
import type { Config } from '../../config.ts';
import { pass, warn, fail, type Check, type Finding } from '../check.ts';
import { checkClock } from '../check-clock.ts';
import { reasonOf, toSentence } from '../run-checks.ts';

const skipWithoutIssuer = ({ identity }: Config) => (identity.issuer === null ? 'IDENTITY_ISSUER is not set.' : null);
const signsInByPassword = ({ signInWays }: Config) => signInWays.some(({ kind }) => kind === 'firebase');

export const identityChecks: readonly Check[] = [
  {
    id: 'identity.issuer',
    needs: ['configuration'],
    findSkipReason: skipWithoutIssuer,
    execute: async ({ getProvider }) => {
      const { keySetUrl } = await getProvider();
      if ('value' in keySetUrl) return pass(`The keys of the issuer are at ${keySetUrl.value}.`);
      return fail(
        toSentence(`The issuer cannot be discovered: ${reasonOf(keySetUrl.problem)}`),
        'Set IDENTITY_ISSUER to exactly the name that the provider uses, and make sure that this machine can reach it, or set IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_ISSUER.',
  },
  {
    id: 'identity.keys',
    needs: ['identity.issuer'],
    findSkipReason: skipWithoutIssuer,
    execute: async ({ getProvider }) => {
      const { keys } = await getProvider();
      if (keys && 'value' in keys) return pass('The issuer publishes keys that can be used.');
      return fail(
        toSentence(`The keys of the issuer cannot be used: ${reasonOf(keys?.problem)}`),
        'Configure the provider to sign with RS256, PS256, ES256 or EdDSA and to publish that key, or correct IDENTITY_JWKS_URL.',
      );
    },
    advice: 'Correct IDENTITY_JWKS_URL.',
  },
  {
    id: 'identity.console',
    needs: ['identity.issuer'],
    findSkipReason: (config) =>
      skipWithoutIssuer(config) ??
      (signsInByPassword(config)
        ? 'People sign in to the console with email address and password, through Firebase.'
        : null),
    execute: async ({ getConfig, getProvider }) => {
      const { metadata } = await getProvider();
      if (!('value' in metadata)) {
        return warn(
          toSentence(`No one can sign in to the console: ${reasonOf(metadata.problem)}`),
          'Configure the issuer to publish a discovery document; IDENTITY_JWKS_URL provides only the keys.',
        );
      }
      const findings = [...checkClient(getConfig()), ...checkMetadata(metadata.value)];
      return findings.length > 0 ? findings : pass('People can sign in to the console with the issuer.');
    },
    advice: 'Correct IDENTITY_ISSUER.',
  },
  {
    id: 'clock.issuer',
    needs: ['configuration'],
    findSkipReason: skipWithoutIssuer,
    execute: async ({ getProvider }) => checkClock('the issuer', (await getProvider()).clockSkewMs),
    advice: 'Run NTP on this machine.',
  },
  {
    id: 'identity.local-key',
    needs: ['data.folder'],
    findSkipReason: ({ identity }) => (identity.local ? null : 'The local issuer is off.'),
    execute: async ({ getConfig }) => {
      const path = join(getConfig().dataDir, 'local-issuer.key');
      const key = await readIfPresent(path);
      if (key === null) return pass('The local issuer has no key yet; the first start creates it.');
      try {
        await createLocalIssuer({ key, clock: systemClock });
        return pass('The local issuer has its key.');
      } catch {
        return fail(`${path} contains no key of the local issuer.`, 'Remove it: the next start creates a new one.');
      }
    },
    advice: 'Check local-issuer.key in DATA_DIR.',
  },
];

const checkClient = ({ identity, signInWays }: Config): readonly Finding[] => {
  const signInWay = signInWays.find(({ kind }) => kind === 'oidc');
  if (signInWay?.kind !== 'oidc' || !identity.issuer) return [];
  const { audiences, authorizedParties } = identity.issuer;
  const isAccepted = authorizedParties.length === 0 || authorizedParties.includes(signInWay.clientId);
  const missingVariables = [
    ...(audiences.includes(signInWay.clientId) ? [] : ['IDENTITY_AUDIENCE']),
    ...(isAccepted ? [] : ['IDENTITY_AUTHORIZED_PARTIES']),
  ];
  if (missingVariables.length === 0) return [];
  return [
    warn(
      `No one can sign in to the console: the ID tokens of its client ${signInWay.clientId} would be rejected.`,
      `Add IDENTITY_CONSOLE_CLIENT_ID to ${missingVariables.join(' and ')}, which can contain several values, separated by commas.`,
    ),
  ];
};

/** A missing list is not a problem: few providers published one before RFC 8414. */
const checkMetadata = ({
  authorization_endpoint: authorizationEndpoint,
  code_challenge_methods_supported: methods,
}: Readonly<Record<string, unknown>>): readonly Finding[] => {
  if (typeof authorizationEndpoint !== 'string') {
    return [
      warn(
        'No one can sign in to the console: the issuer has no authorization_endpoint.',
        'With Firebase, set IDENTITY_FIREBASE_API_KEY; otherwise, put an issuer that has one in front, such as Keycloak or Dex.',
      ),
    ];
  }
  if (!Array.isArray(methods) || methods.includes('S256')) return [];
  return [
    warn(
      'No one can sign in to the console: the issuer does not support S256, with which the console proves its identity.',
      'Turn on PKCE with S256 at the issuer (RFC 7636).',
    ),
  ];
};
