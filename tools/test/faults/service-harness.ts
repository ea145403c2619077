import { createLogger, localAdmin, type Environment } from '@portico/composition';
import { recordingStream, stopTime, temporaryFolder, type StoppedTime } from '@portico/test-servers';
import { expect, onTestFinished, vi } from 'vitest';
import { createApiClient, type ApiClient, type Credential } from '../../src/api-client.ts';
import { startComposed, type ComposedService } from '../composed-service.ts';
import { varyWhitespace, document, stateOf } from './traffic.ts';
import type { DependencyState, LogLine, Operation, Exchange, Callers } from './traffic.ts';

/**
 * Runs the service in this process while time is stopped: a request that completes while time stands still did not
 * wait.
 */
export interface ServiceHarness {
  readonly time: StoppedTime;
  /** A client for the service that was started last. */
  readonly api: ApiClient;
  /** Starts the service with the same data. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Returns a token from the local issuer, for an admin by default. */
  readonly mint: (uid?: string, email?: string) => Promise<Credential>;
  /** The log since the first start. */
  readonly log: () => { readonly text: string; readonly lines: readonly LogLine[] };
  /** The distinct messages of the warnings in the log. */
  readonly warnings: () => readonly string[];
}

/** Creates a harness that is stopped at the end of the test. */
export const createServiceHarness = (variables: Environment): ServiceHarness => {
  const time = stopTime(vi);
  const folder = temporaryFolder(onTestFinished);
  const { stream, written } = recordingStream();
  const logger = createLogger('info', 'test', stream);
  let running: ComposedService | null = null;
  const service = (): ComposedService => {
    if (!running) throw new Error('The service is not running');
    return running;
  };
  const stop = async () => {
    const { stop: stopService } = service();
    running = null;
    await time.advanceUntil(stopService());
  };
  onTestFinished(async () => {
    if (running) await stop();
    time.restore();
  });
  const lines = () => written.map((line) => JSON.parse(line) as LogLine);
  return {
    time,
    get api() {
      return createApiClient(service().address);
    },
    start: async () => {
      running = await startComposed({ DATA_DIR: folder, PORT: '0', ...variables }, undefined, logger);
    },
    stop,
    mint: async (uid = localAdmin.uid, email = localAdmin.email) => ({
      token: (await service().portico.localIssuer?.mint({ uid, email, emailVerified: true, ttlSeconds: 7_200 })) ?? '',
    }),
    log: () => ({ text: written.join(''), lines: lines() }),
    warnings: () => [
      ...new Set(
        lines()
          .filter(({ level }) => level === 'warn')
          .map(({ msg }) => msg),
      ),
    ],
  };
};

/** Waits until `/ready` and `/metrics` report this state of a dependency; they may be a second behind. */
export const waitForState = (
  { api, time }: ServiceHarness,
  dependency: string,
  state: DependencyState,
): Promise<void> => time.advanceUntilSuccess(async () => expect(await stateOf(api, dependency)).toEqual(state));

let createdCount = 0;

/** Sends one request of every kind concurrently, authenticated by key and by token. */
export const sendEachOperation = async (
  { api }: ServiceHarness,
  { client: { key, token }, admin, collection }: Callers,
): Promise<readonly Exchange[]> => {
  const send = async (operation: Operation, caller: Credential, method: string, path: string, body?: unknown) => {
    const response = await api.call(caller, method, path, body);
    const { detail } = Object(response.body) as { detail?: unknown };
    return {
      operation,
      by: caller === key ? 'key' : 'token',
      status: response.status,
      detail: response.status >= 400 && typeof detail === 'string' ? detail : null,
      ms: 0,
      searchMode: response.headers.get('x-search-mode'),
      body: response.body,
    } as const;
  };
  const message = { message: { action: 'called' }, timestamp: '2026-01-01T00:00:00Z' };
  const read = `/api/collections/${collection}`;
  const byClient = (caller: Credential) => [
    send('read', caller, 'GET', read),
    send('write audit', caller, 'POST', '/api/audit/', message),
    send('search', caller, 'POST', '/api/vector/search', { query: varyWhitespace('rain and sun in a city') }),
  ];
  return Promise.all([
    ...byClient(key),
    ...byClient(token),
    send('list', token, 'GET', '/api/collections/'),
    send('metadata', key, 'GET', `${read}/metadata`),
    send('search operations', key, 'POST', '/api/operations/search', { query: 'does it rain in a city' }),
    send('create', admin, 'POST', '/api/collections/', {
      name: `Made meanwhile ${++createdCount}`,
      openapi_spec: document,
    }),
  ]);
};
