import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, createLogger, localAdmin, readConfig, version, type Environment } from '@portico/composition';
import { createUseCases } from '@portico/domain';
import { runDueJobs } from '@portico/testing';
import { listen, type StartOptions } from './listen.ts';
import type { MatrixService, StartMatrixService } from './matrix-service.ts';

/**
 * The service as the composition joins it for these variables: without any SQLite, argon2, AES-GCM, its own issuer, all in a
 * folder of its own.
 */
export const startComposed =
  (
    variablesOf: () => Promise<Environment> = () => Promise.resolve({}),
    { ports: replace = () => ({}), settings = {}, ...rest }: StartOptions = {},
  ): StartMatrixService =>
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'portico-matrix-'));
    // No client of the matrix comes near the limit.
    const config = readConfig({ DATA_DIR: dataDir, ...(await variablesOf()), RATE_LIMIT_DEFAULT: '1000000/60' });
    const portico = await compose(config, createLogger('silent', 'portico'));
    const { localIssuer } = portico;
    const ports = { ...portico.ports, ...replace(portico.ports) };
    const useCases = createUseCases(ports, { ...config.settings, ...settings });
    if (!localIssuer) throw new Error('There is no local issuer');
    const { address, close } = await listen({ useCases, settings: { ...config, version }, localIssuer, ...rest });
    const mintToken: MatrixService['mintToken'] = (claims, ttlSeconds) => localIssuer.mint({ ...claims, ttlSeconds });
    return {
      address,
      adminToken: await mintToken(localAdmin, 3_600),
      mintToken,
      forgeToken: async (claims) => signedByAnother(await mintToken(claims, 3_600)),
      isIssuer: true,
      runJobs: () => runDueJobs(ports, useCases, () => ports.clock.now()),
      close: async () => {
        await close();
        await portico.close();
        await rm(dataDir, { recursive: true });
      },
    };
  };

/** The same header and claims, key id included, under another's signature (RFC 7518, section 3.4). */
const signedByAnother = (token: string): string => {
  const signed = token.split('.').slice(0, 2).join('.');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};
