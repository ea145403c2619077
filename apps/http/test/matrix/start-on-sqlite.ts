import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, createLogger, localAdmin, readConfig, type Portico } from '@portico/composition';
import { listen } from './listen.ts';
import type { MatrixService } from './matrix-service.ts';

/** The service as it starts by itself: SQLite, argon2, AES-GCM, its own issuer, all in a folder of its own. */
export const startOnSqlite = async (): Promise<MatrixService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-matrix-'));
  // No client of the matrix comes near the limit.
  const config = readConfig({ DATA_DIR: dataDir, RATE_LIMIT_DEFAULT: '1000000/60' });
  const portico = await compose(config, createLogger('silent', 'portico'));
  const { useCases, localIssuer } = portico;
  if (!localIssuer) throw new Error('There is no local issuer');
  const { address, close } = await listen({ useCases, settings: config, localIssuer });
  const mintToken: MatrixService['mintToken'] = (claims, ttlSeconds) => localIssuer.mint({ ...claims, ttlSeconds });
  return {
    address,
    adminToken: await mintToken(localAdmin, 3_600),
    mintToken,
    forgeToken: async (claims) => signedByAnother(await mintToken(claims, 3_600)),
    isIssuer: true,
    runJobs: () => runJobs(portico),
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

/** Works every job that is due now, and those that they leave. */
const runJobs = async ({ ports, useCases }: Portico): Promise<void> => {
  const due = () => ports.outbox.due(ports.clock.now(), 1_000);
  for (let ids = await due(); ids.length > 0; ids = await due()) {
    for (const id of ids) await useCases.workJob(id);
  }
};
