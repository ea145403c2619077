import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { compose, createLogger, localAdmin, readConfig, version, type Environment } from '@portico/composition';
import { createUseCases } from '@portico/domain';
import { startIdentityProvider, type TestIdentityProvider } from '@portico/test-servers';
import { runDueJobs } from '@portico/testing';
import { bindProfileIn } from './bind-profile-in.ts';
import { expireAccountIn, expireGrantIn, expireKeyIn } from './expire-in.ts';
import { holdCallIn } from '../hold-call-in.ts';
import { addDeadLetterIn } from './add-dead-letter-in.ts';
import { listen, type StartOptions } from './listen.ts';
import type { MatrixService, StartMatrixService } from './matrix-service.ts';

/**
 * Starts the service as it is composed for these variables, in its own data folder. By default, the service uses
 * SQLite, argon2, AES-GCM, and both the local issuer and a provider.
 */
export const startComposed =
  (
    variablesOf: () => Promise<Environment> = () => Promise.resolve({}),
    { ports: replace = () => ({}), settings = {}, ...rest }: StartOptions = {},
  ): StartMatrixService =>
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'portico-matrix-'));
    const [otherProvider, disabledProvider] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
    const variables = {
      DATA_DIR: dataDir,
      IDENTITY_LOCAL: 'true',
      IDENTITY_ISSUER: otherProvider.issuer,
      IDENTITY_AUDIENCE: otherProvider.clientId,
      IDENTITY_GROUPS_CLAIM: 'groups',
      PUBLIC_URL: 'https://portico.example.com',
      ...(await variablesOf()),
      CALLS: 'on',
      CALL_NETWORKS: '127.0.0.0/8',
      // No client of the matrix reaches the limits.
      RATE_LIMIT_DEFAULT: '1000000/60',
      RATE_LIMIT_CALLS: 'off',
    };
    const config = readConfig(variables);
    const portico = await compose(config, createLogger('silent', 'portico'), 'http');
    const { documents, localIssuer } = portico;
    const ports = { ...portico.ports, ...replace(portico.ports) };
    const useCases = createUseCases(ports, { ...config.settings, ...settings });
    if (!localIssuer) throw new Error('There is no local issuer');
    const { address, close } = await listen({
      useCases,
      documents,
      settings: { ...config, version },
      localIssuer,
      ...rest,
    });
    const mintToken: MatrixService['mintToken'] = (claims, ttlSeconds) => localIssuer.mint({ ...claims, ttlSeconds });
    return {
      address,
      adminToken: await mintToken(localAdmin, 3_600),
      mintToken,
      waitForNextSecond: () => setTimeout(1_000),
      mintByOtherIssuer: tokensFrom(otherProvider),
      mintByDisabledIssuer: tokensFrom(disabledProvider),
      bindToDisabledIssuer: bindProfileIn(ports, disabledProvider.issuer),
      expireAccount: expireAccountIn(ports),
      expireGrant: expireGrantIn(ports),
      expireKey: expireKeyIn(ports),
      addDeadLetter: addDeadLetterIn(ports),
      holdCall: async (caller, collectionId) => (await holdCallIn(useCases)(caller, collectionId)).id,
      forgeToken: async (claims) => signWithOtherKey(await mintToken(claims, 3_600)),
      isIssuer: true,
      runJobs: () => runDueJobs(ports, useCases, () => ports.clock.now()),
      close: async () => {
        await close();
        await portico.close();
        await Promise.all([otherProvider.close(), disabledProvider.close()]);
        await rm(dataDir, { recursive: true });
      },
    };
  };

/** Creates a function that signs in each person once. */
const tokensFrom = (provider: TestIdentityProvider): MatrixService['mintByOtherIssuer'] => {
  const tokens = new Map<string, Promise<string>>();
  return ({ uid, email }) => {
    const token =
      tokens.get(uid) ?? provider.signIn({ uid, email, emailVerified: true }).then(({ idToken }) => idToken);
    tokens.set(uid, token);
    return token;
  };
};

/** Signs the same header and claims, including the key id, with a different key (RFC 7518, section 3.4). */
const signWithOtherKey = (token: string): string => {
  const signedPart = token.split('.').slice(0, 2).join('.');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signature = sign('sha256', Buffer.from(signedPart), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signedPart}.${signature.toString('base64url')}`;
};
