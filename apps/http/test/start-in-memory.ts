import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger, version } from '@portico/composition';
import { recordingStream } from '@portico/test-servers';
import { createHarness, createTestSignIn, defaultSettings } from '@portico/testing';
import { createHttpApp, createHttpServer, type HttpSettings } from '../src/index.ts';
import { createTestClient } from './client.ts';
import type { Start } from './subject.ts';

export const httpSettings: HttpSettings = {
  serviceName: 'portico',
  version,
  bodyLimitBytes: 262_144,
  specBodyLimitBytes: 1_048_576,
  trustProxy: null,
  publicUrl: null,
  accessTokens: null,
  signInWays: [],
};

/** Starts the service with the in-memory harness, on a free port of the loopback interface. */
export const startInMemory: Start = async ({ settings = {}, http = {}, ports, signsIn = false, ...rest } = {}) => {
  const base = createHarness(settings);
  const signIn = signsIn ? await createTestSignIn(base.ports) : null;
  const signInOptions = signIn
    ? { settings: { ...settings, issuers: [signIn.issuer] }, tokens: signIn.localIssuer.verifier }
    : null;
  const harness =
    ports || signInOptions
      ? createHarness(signInOptions?.settings ?? settings, {
          ...base.ports,
          ...(signInOptions ? { tokens: signInOptions.tokens } : {}),
          ...ports?.(base.ports),
        })
      : base;
  const { stream, written } = recordingStream();
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
      signIn ? signIn.localIssuer.mint({ ...claims, ttlSeconds }) : base.tokens.mint(claims, ttlSeconds),
    invite: signIn && ((user, until) => signIn.localSignIn.invite(user, until)),
    runJobs: harness.runJobs,
    mails: base.mailer.sent,
    clock: base.clock,
    logLines: () => written,
    close: async () => {
      client.close();
      await server.drain({ noticeMs: 0, deadlineMs: 1_000 });
    },
  };
};
