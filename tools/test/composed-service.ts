import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  compose,
  createLogger,
  readConfig,
  startBackground,
  version,
  type Composition,
  type Environment,
} from '@portico/composition';
import { createUseCases, type Clock } from '@portico/domain';
import { createHttpApp, createHttpServer } from '@portico/http';
import { createApiClient, type ApiClient } from '../src/api-client.ts';

/** A service in this process instead of a separate one, with its own connections, caches and background work. */
export interface ComposedService {
  readonly address: string;
  readonly api: ApiClient;
  readonly portico: Composition;
  /** Shuts the service down gracefully. */
  readonly stop: () => Promise<void>;
}

const errorLogger = createLogger('error', 'composed');

/**
 * Composes the service as the service's process does. It listens on `PORT`. `clock` replaces the system clock in the
 * use cases.
 *
 * Do not open the service's database with `node:sqlite` in this process while the service is running: that is a second
 * SQLite, and the two would release each other's locks.
 */
export const startComposed = async (
  variables: Environment,
  clock?: Clock,
  logger: ReturnType<typeof createLogger> = errorLogger,
): Promise<ComposedService> => {
  const config = readConfig(variables);
  const portico = await compose(config, logger, 'http');
  const useCases = clock ? createUseCases({ ...portico.ports, clock }, config.settings) : portico.useCases;
  const { documents, localIssuer, listIssuerEndpoints, localSignIn, duties } = portico;
  const settings = { ...config, version };
  const signInOptions = { localIssuer, listIssuerEndpoints, localSignIn };
  const server = createHttpServer(
    createHttpApp({ useCases, documents, settings, logger, ...signInOptions, runsJobs: duties.runsJobs }),
  );
  server.listen(config.port, '127.0.0.1');
  await once(server, 'listening');
  const background = startBackground({ ...portico, useCases });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    api: createApiClient(address),
    portico,
    stop: async () => {
      await server.drain({ noticeMs: 0 });
      await background.stop();
      await portico.close();
    },
  };
};
