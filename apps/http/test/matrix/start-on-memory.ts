import { memoryAudience } from '@portico/memory';
import { createHarness } from '@portico/testing';
import { listen } from './listen.ts';
import type { MatrixService } from './matrix-service.ts';

export const admin = { uid: 'local-admin', email: 'admin@localhost' } as const;
/** No client of the matrix comes near it. */
export const defaultLimit = { allowed: 1_000_000, windowSeconds: 60 } as const;

/** The service over the harness: everything in memory, on a clock that stands still. */
export const startOnMemory = async (): Promise<MatrixService> => {
  const { useCases, tokens, clock, runJobs } = createHarness({ defaultLimit });
  await useCases.claimFirstAdmin(admin);
  const settings = {
    serviceName: 'portico',
    bodyLimitBytes: 262_144,
    specBodyLimitBytes: 33_554_432,
    trustProxy: null,
    production: false,
  };
  return {
    ...(await listen({ useCases, settings, localIssuer: null })),
    adminToken: tokens.mint(admin),
    mintToken: async (claims, ttlSeconds) => tokens.mint(claims, ttlSeconds),
    forgeToken: async ({ uid, email }) =>
      tokens.mintClaims({
        iss: 'urn:somebody-else',
        aud: memoryAudience,
        sub: uid,
        email,
        email_verified: true,
        exp: clock.now() / 1_000 + 3_600,
      }),
    isIssuer: false,
    runJobs,
  };
};
