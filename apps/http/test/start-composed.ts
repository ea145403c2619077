import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, createLogger, readConfig, version, type Environment } from '@portico/composition';
import { createUseCases } from '@portico/domain';
import { createRecordingStream } from '@portico/test-servers';
import { runDueJobs } from '@portico/testing';
import { createHttpApp, createHttpServer } from '../src/index.ts';
import { createTestClient } from './client.ts';
import type { Start } from './subject.ts';

/**
 * Starts the service as it is composed for these variables, in its own data folder. By default, all stores are
 * embedded.
 */
export const startComposed =
  (variablesOf: () => Promise<Environment> = () => Promise.resolve({})): Start =>
  async ({ settings = {}, http = {}, ports, groupsClaim = false, hasLocalSignIn = false, ...rest } = {}) => {
    const variables = { ...(await variablesOf()), ...(groupsClaim ? { IDENTITY_GROUPS_CLAIM: 'groups' } : {}) };
    const folder = mkdtempSync(join(tmpdir(), 'portico-http-'));
    const { stream, chunks: logLines } = createRecordingStream();
    const logger = createLogger('info', 'test', stream);
    // The suites create their first admin themselves.
    const config = {
      ...readConfig({ DATA_DIR: folder, CALLS: 'on', CALL_NETWORKS: '127.0.0.0/8', ...variables }),
      firstAdmin: null,
      version,
      specBodyLimitBytes: 1_048_576,
      ...http,
    };
    const portico = await compose(config, logger, 'http');
    const { documents, localIssuer, localSignIn } = portico;
    const localSignInDependencies = hasLocalSignIn ? { localIssuer, localSignIn } : {};
    const allPorts = ports ? { ...portico.ports, ...ports(portico.ports) } : portico.ports;
    const useCases = createUseCases(allPorts, { ...config.settings, ...settings });
    const server = createHttpServer(
      createHttpApp({ useCases, documents, settings: config, logger, ...localSignInDependencies, ...rest }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = await createTestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [issuer] = config.settings.issuers;
    if (!localIssuer || issuer === undefined) throw new Error('The local issuer is disabled');
    return {
      client,
      useCases,
      issuer,
      mint: (claims, ttlSeconds = 3_600) => localIssuer.mint({ ...claims, ttlSeconds }),
      invite: hasLocalSignIn && localSignIn ? (user, expiresAt) => localSignIn.invite(user, expiresAt) : null,
      runJobs: () => runDueJobs(allPorts, useCases, Date.now),
      mails: null,
      clock: null,
      listLogLines: () => logLines,
      close: async () => {
        client.close();
        await server.drain({ noticeMs: 0, timeoutMs: 1_000 });
        await portico.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
