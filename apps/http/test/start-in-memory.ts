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

/** Starts the service over the in-memory harness, on a free port of the loopback interface. */
export const startInMemory: Start = async ({ settings = {}, http = {}, ports, signsIn = false, ...rest } = {}) => {
  const plain = createHarness(settings);
  const own = signsIn ? await createTestSignIn(plain.ports) : null;
  const given = own ? { settings: { ...settings, issuers: [own.issuer] }, tokens: own.localIssuer.verifier } : null;
  const harness =
    ports || given
      ? createHarness(given?.settings ?? settings, {
          ...plain.ports,
          ...(given ? { tokens: given.tokens } : {}),
          ...ports?.(plain.ports),
        })
      : plain;
  const { stream, written } = recordingStream();
  const app = createHttpApp({
    useCases: harness.useCases,
    documents: harness.documents,
    settings: { ...httpSettings, ...http },
    logger: createLogger('info', 'portico', stream),
    localIssuer: own?.localIssuer,
    localSignIn: own?.localSignIn,
    ...rest,
  });
  const server = createHttpServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await createTestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    client,
    useCases: harness.useCases,
    issuer: own?.issuer ?? defaultSettings.issuers[0] ?? '',
    mint: async (claims, ttlSeconds = 3_600) =>
      own ? own.localIssuer.mint({ ...claims, ttlSeconds }) : plain.tokens.mint(claims, ttlSeconds),
    invite: own && ((user, until) => own.localSignIn.invite(user, until)),
    runJobs: harness.runJobs,
    mails: plain.mailer.sent,
    clock: plain.clock,
    logLines: () => written,
    close: async () => {
      client.close();
      await server.drain({ noticeMs: 0, deadlineMs: 1_000 });
    },
  };
};
