import type { Json, UseCases } from '@portico/domain';
import { createHarness, defaultSettings } from '@portico/testing';
import { createEgress } from '@portico/egress';
import { createTestWebhookEgress, testNetworks } from '../create-test-webhook-egress.ts';
import { bindProfileIn } from './bind-profile-in.ts';
import { expireAccountIn, expireGrantIn, expireKeyIn } from './expire-in.ts';
import { holdCallIn } from '../hold-call-in.ts';
import { addDeadLetterIn } from './add-dead-letter-in.ts';
import { listen, type StartOptions } from './listen.ts';
import type { MatrixService } from './matrix-service.ts';

const issuers = [...defaultSettings.issuers, 'urn:portico:elsewhere'];
const [issuer = '', otherIssuer = ''] = issuers;
const disabledIssuer = 'urn:portico:off';
export const admin = { uid: 'local-admin', email: 'admin@localhost', issuer } as const;
/** A limit that no client of the matrix reaches. */
export const defaultLimit = { allowed: 1_000_000, windowSeconds: 60 } as const;

/** Starts the service with the harness: everything is in memory, and the clock is stopped. */
export const startOnMemory = async ({
  ports: replace = () => ({}),
  settings: ownSettings = {},
  useCases: wrapUseCases = (useCases) => useCases,
  ...rest
}: StartOptions & { readonly useCases?: (useCases: UseCases) => UseCases } = {}): Promise<MatrixService> => {
  const harness = createHarness({ issuers });
  const egress = createEgress({ networks: testNetworks });
  const callPorts = { ...harness.ports, egress, webhookEgress: createTestWebhookEgress(egress) };
  const ports = { ...callPorts, ...replace(callPorts) };
  const { useCases, documents, runJobs } = createHarness({ defaultLimit, issuers, ...ownSettings }, ports);
  const { tokens, clock } = harness;
  await useCases.claimFirstAdmin(admin);
  const settings = {
    serviceName: 'portico',
    version: '0.0.0',
    bodyLimitBytes: 262_144,
    specBodyLimitBytes: 33_554_432,
    host: '127.0.0.1',
    trustProxy: null,
    publicUrl: null,
    accessTokens: { resource: 'https://portico.example.com/mcp', issuer, scopes: ['openid'] },
    signInWays: [],
    calls: 'on',
  } as const;
  const { address, close } = await listen({
    useCases: wrapUseCases(useCases),
    documents,
    settings,
    localIssuer: null,
    ...rest,
  });
  return {
    address,
    close: async () => {
      await close();
      await egress.close();
    },
    adminToken: tokens.mint(admin),
    mintToken: async (claims, ttlSeconds) => tokens.mint(claims, ttlSeconds),
    waitForNextSecond: async () => clock.advance(1_000),
    mintByOtherIssuer: async (claims) => tokens.mint({ ...claims, issuer: otherIssuer }),
    mintByDisabledIssuer: async (claims) => tokens.mint({ ...claims, issuer: disabledIssuer }),
    bindToDisabledIssuer: bindProfileIn(ports, disabledIssuer),
    expireAccount: expireAccountIn(ports),
    expireGrant: expireGrantIn(ports),
    expireKey: expireKeyIn(ports),
    addDeadLetter: addDeadLetterIn(ports),
    holdCall: async (caller, collectionId) => (await holdCallIn(useCases)(caller, collectionId)).id,
    forgeToken: async (claims) => {
      const [, payload = ''] = tokens.mint(claims).split('.');
      const tokenClaims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, Json>;
      return tokens.mintClaims({ ...tokenClaims, iss: 'urn:somebody-else' });
    },
    isIssuer: false,
    runJobs,
  };
};
