import { createLogger, localAdmin, type Environment } from '@portico/composition';
import { recordingStream, stopTime, temporaryFolder, type StoppedTime } from '@portico/test-servers';
import { expect, onTestFinished, vi } from 'vitest';
import { createApiClient, type ApiClient, type Credential } from '../../src/api-client.ts';
import { startComposed, type ComposedService } from '../composed-service.ts';
import { askedAnew, document, stateOf } from './traffic.ts';
import type { DependencyState, LogLine, Operation, Seen, Senders } from './traffic.ts';

/** The service in this process and in stopped time: whatever is answered while no time passes waited for nothing. */
export interface Stage {
  readonly time: StoppedTime;
  /** Of the service that was started last. */
  readonly api: ApiClient;
  /** Starts it on the same data. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** A token of the local issuer: an admin's, or this person's. */
  readonly mint: (uid?: string, email?: string) => Promise<Credential>;
  /** What all of its starts have logged. */
  readonly log: () => { readonly text: string; readonly lines: readonly LogLine[] };
  /** The messages of its warnings, each once. */
  readonly warnings: () => readonly string[];
}

/** It ends with the test. */
export const openStage = (variables: Environment): Stage => {
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
    const { stop: end } = service();
    running = null;
    await time.passUntil(end());
  };
  onTestFinished(async () => {
    if (running) await stop();
    time.goOn();
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

/** Waits until `/ready` and `/metrics` say this about a dependency: what they say may be a second old. */
export const untilStateIs = ({ api, time }: Stage, dependency: string, state: DependencyState): Promise<void> =>
  time.passUntilSucceeds(async () => expect(await stateOf(api, dependency)).toEqual(state));

let made = 0;

/** One request of every kind, by key and by token, all at once. */
export const askEverything = async (
  { api }: Stage,
  { client: { key, token }, admin, collection }: Senders,
): Promise<readonly Seen[]> => {
  const ask = async (operation: Operation, caller: Credential, method: string, path: string, body?: unknown) => {
    const answer = await api.call(caller, method, path, body);
    const { detail } = Object(answer.body) as { detail?: unknown };
    return {
      operation,
      by: caller === key ? 'key' : 'token',
      status: answer.status,
      detail: answer.status >= 400 && typeof detail === 'string' ? detail : null,
      ms: 0,
      searchMode: answer.headers.get('x-search-mode'),
      body: answer.body,
    } as const;
  };
  const message = { message: { action: 'called' }, timestamp: '2026-01-01T00:00:00Z' };
  const read = `/api/collections/${collection}`;
  const byClient = (caller: Credential) => [
    ask('read', caller, 'GET', read),
    ask('write audit', caller, 'POST', '/api/audit/', message),
    ask('search', caller, 'POST', '/api/vector/search', { query: askedAnew('rain and sun in a city') }),
  ];
  return Promise.all([
    ...byClient(key),
    ...byClient(token),
    ask('list', token, 'GET', '/api/collections/'),
    ask('metadata', key, 'GET', `${read}/metadata`),
    ask('search operations', key, 'POST', '/api/operations/search', { query: 'does it rain in a city' }),
    ask('create', admin, 'POST', '/api/collections/', { name: `Made meanwhile ${++made}`, openapi_spec: document }),
  ]);
};
