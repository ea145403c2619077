import type { Json, UseCases } from '@portico/domain';
import { createHarness, defaultSettings } from '@portico/testing';
import { bindBy } from './bind-by.ts';
import { expireAccountBy, expireGrantBy, expireKeyBy } from './expire-by.ts';
import { giveUpBy } from './give-up-by.ts';
import { listen, type StartOptions } from './listen.ts';
import type { MatrixService } from './matrix-service.ts';

const issuers = [...defaultSettings.issuers, 'urn:portico:elsewhere'];
const [issuer = '', elsewhere = ''] = issuers;
const off = 'urn:portico:off';
export const admin = { uid: 'local-admin', email: 'admin@localhost', issuer } as const;
/** No client of the matrix reaches it. */
export const defaultLimit = { allowed: 1_000_000, windowSeconds: 60 } as const;

/** Starts the service over the harness: everything in memory, with a clock that stands still. */
export const startOnMemory = async ({
  ports: replace = () => ({}),
  settings: own = {},
  useCases: watched = (useCases) => useCases,
  ...rest
}: StartOptions & { readonly useCases?: (useCases: UseCases) => UseCases } = {}): Promise<MatrixService> => {
  const plain = createHarness({ issuers });
  const ports = { ...plain.ports, ...replace(plain.ports) };
  const { useCases, documents, runJobs } = createHarness({ defaultLimit, issuers, ...own }, ports);
  const { tokens, clock } = plain;
  await useCases.claimFirstAdmin(admin);
  const settings = {
    serviceName: 'portico',
    version: '0.0.0',
    bodyLimitBytes: 262_144,
    specBodyLimitBytes: 33_554_432,
    trustProxy: null,
    publicUrl: null,
    accessTokens: { resource: 'https://portico.example.com/mcp', issuer },
    signInWays: [],
  };
  return {
    ...(await listen({ useCases: watched(useCases), documents, settings, localIssuer: null, ...rest })),
    adminToken: tokens.mint(admin),
    mintToken: async (claims, ttlSeconds) => tokens.mint(claims, ttlSeconds),
    nextSecond: async () => clock.advance(1_000),
    mintElsewhere: async (claims) => tokens.mint({ ...claims, issuer: elsewhere }),
    mintByIssuerOff: async (claims) => tokens.mint({ ...claims, issuer: off }),
    bindByIssuerOff: bindBy(ports, off),
    expireAccount: expireAccountBy(ports),
    expireGrant: expireGrantBy(ports),
    expireKey: expireKeyBy(ports),
    giveUpMail: giveUpBy(ports),
    forgeToken: async (claims) => {
      const [, payload = ''] = tokens.mint(claims).split('.');
      const own = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, Json>;
      return tokens.mintClaims({ ...own, iss: 'urn:somebody-else' });
    },
    isIssuer: false,
    runJobs,
  };
};
