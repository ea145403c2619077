import { createLogger, localAdmin, type Environment } from '@portico/composition';
import { createRecordingStream, stopTime, createTemporaryFolder, type StoppedTime } from '@portico/test-servers';
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
  readonly readLog: () => { readonly text: string; readonly lines: readonly LogLine[] };
  /** The distinct messages of the warnings in the log. */
  readonly listWarnings: () => readonly string[];
}

/** Creates a harness that is stopped at the end of the test. */
export const createServiceHarness = (variables: Environment): ServiceHarness => {
  const time = stopTime(vi);
  const folder = createTemporaryFolder(onTestFinished);
  const { stream, chunks: writtenLines } = createRecordingStream();
  const logger = createLogger('info', 'test', stream);
  let runningService: ComposedService | null = null;
  const getRunningService = (): ComposedService => {
    if (!runningService) throw new Error('The service is not running');
    return runningService;
  };
  const stop = async () => {
    const { stop: stopService } = getRunningService();
    runningService = null;
    await time.advanceUntil(stopService());
  };
  onTestFinished(async () => {
    if (runningService) await stop();
    time.restore();
  });
  const parseLines = () => writtenLines.map((line) => JSON.parse(line) as LogLine);
  return {
    time,
    get api() {
      return createApiClient(getRunningService().address);
    },
    start: async () => {
      runningService = await startComposed({ DATA_DIR: folder, PORT: '0', ...variables }, undefined, logger);
    },
    stop,
    mint: async (uid = localAdmin.uid, email = localAdmin.email) => ({
      token:
        (await getRunningService().portico.localIssuer?.mint({ uid, email, emailVerified: true, ttlSeconds: 7_200 })) ??
        '',
    }),
    readLog: () => ({ text: writtenLines.join(''), lines: parseLines() }),
    listWarnings: () => [
      ...new Set(
        parseLines()
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
      credentialType: caller === key ? 'key' : 'token',
      status: response.status,
      detail: response.status >= 400 && typeof detail === 'string' ? detail : null,
      ms: 0,
      searchMode: response.headers.get('x-search-mode'),
      body: response.body,
    } as const;
  };
  const message = { message: { action: 'called' }, timestamp: '2026-01-01T00:00:00Z' };
  const readPath = `/api/collections/${collection}`;
  const sendByClient = (caller: Credential) => [
    send('read', caller, 'GET', readPath),
    send('write audit', caller, 'POST', '/api/audit/', message),
    send('search', caller, 'POST', '/api/vector/search', { query: varyWhitespace('rain and sun in a city') }),
  ];
  return Promise.all([
    ...sendByClient(key),
    ...sendByClient(token),
    send('list', token, 'GET', '/api/collections/'),
    send('metadata', key, 'GET', `${readPath}/metadata`),
    send('search operations', key, 'POST', '/api/operations/search', { query: 'does it rain in a city' }),
    send('create', admin, 'POST', '/api/collections/', {
      name: `Made meanwhile ${++createdCount}`,
      openapi_spec: document,
    }),
  ]);
};
