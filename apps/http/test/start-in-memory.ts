import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger, version } from '@portico/composition';
import { createEgress } from '@portico/egress';
import { createRecordingStream } from '@portico/test-servers';
import { createHarness, createTestSignIn, defaultSettings } from '@portico/testing';
import { createHttpApp, createHttpServer, type HttpSettings } from '../src/index.ts';
import { createTestClient } from './client.ts';
import { createTestWebhookEgress, testNetworks } from './create-test-webhook-egress.ts';
import type { Start } from './subject.ts';

export const httpSettings: HttpSettings = {
  serviceName: 'portico',
  version,
  bodyLimitBytes: 262_144,
  specBodyLimitBytes: 1_048_576,
  host: '127.0.0.1',
  trustProxy: null,
  publicUrl: null,
  accessTokens: null,
  signInWays: [],
  calls: 'on',
};

/** Starts the service with the in-memory harness, on a free port of the loopback interface. */
export const startInMemory: Start = async ({
  settings = {},
  http = {},
  ports,
  hasLocalSignIn = false,
  ...rest
} = {}) => {
  const egress = createEgress({ networks: testNetworks });
  const baseHarness = createHarness(settings, { egress, webhookEgress: createTestWebhookEgress(egress) });
  const signIn = hasLocalSignIn ? await createTestSignIn(baseHarness.ports) : null;
  const signInOptions = signIn
    ? { settings: { ...settings, issuers: [signIn.issuer] }, tokens: signIn.localIssuer.verifier }
    : null;
  const harness =
    ports || signInOptions
      ? createHarness(signInOptions?.settings ?? settings, {
          ...baseHarness.ports,
          ...(signInOptions ? { tokens: signInOptions.tokens } : {}),
          ...ports?.(baseHarness.ports),
        })
      : baseHarness;
  const { stream, chunks: logLines } = createRecordingStream();
  const app = createHttpApp({
    useCases: harness.useCases,
    documents: harness.documents,
    settings: { ...httpSettings, ...http },
    logger: createLogger('info', 'portico', stream),
    localIssuer: signIn?.localIssuer,
    localSignIn: signIn?.localSignIn,
    ...rest,
  });
  const server = createHttpServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await createTestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    client,
    useCases: harness.useCases,
    issuer: signIn?.issuer ?? defaultSettings.issuers[0] ?? '',
    mint: async (claims, ttlSeconds = 3_600) =>
      signIn ? signIn.localIssuer.mint({ ...claims, ttlSeconds }) : baseHarness.tokens.mint(claims, ttlSeconds),
    invite: signIn && ((user, expiresAt) => signIn.localSignIn.invite(user, expiresAt)),
    runJobs: harness.runJobs,
    mails: baseHarness.mailer.sentMails,
    clock: baseHarness.clock,
    listLogLines: () => logLines,
    close: async () => {
      client.close();
      await server.drain({ noticeMs: 0, timeoutMs: 1_000 });
      await egress.close();
    },
  };
};
