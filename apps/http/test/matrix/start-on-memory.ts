import type { Json } from '@portico/domain';
import { createHarness } from '@portico/testing';
import { listen, type StartOptions } from './listen.ts';
import type { MatrixService } from './matrix-service.ts';

export const admin = { uid: 'local-admin', email: 'admin@localhost' } as const;
/** No client of the matrix comes near it. */
export const defaultLimit = { allowed: 1_000_000, windowSeconds: 60 } as const;

/** The service over the harness: everything in memory, on a clock that stands still. */
export const startOnMemory = async ({
  ports = () => ({}),
  settings: own = {},
  ...rest
}: StartOptions = {}): Promise<MatrixService> => {
  const plain = createHarness();
  const replaced = { ...plain.ports, ...ports(plain.ports) };
  const { useCases, runJobs } = createHarness({ defaultLimit, ...own }, replaced);
  const { tokens } = plain;
  await useCases.claimFirstAdmin(admin);
  const settings = {
    serviceName: 'portico',
    version: '0.0.0',
    bodyLimitBytes: 262_144,
    specBodyLimitBytes: 33_554_432,
    trustProxy: null,
  };
  return {
    ...(await listen({ useCases, settings, localIssuer: null, ...rest })),
    adminToken: tokens.mint(admin),
    mintToken: async (claims, ttlSeconds) => tokens.mint(claims, ttlSeconds),
    forgeToken: async (claims) => {
      const [, payload = ''] = tokens.mint(claims).split('.');
      const own = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, Json>;
      return tokens.mintClaims({ ...own, iss: 'urn:somebody-else' });
    },
    isIssuer: false,
    runJobs,
  };
};
