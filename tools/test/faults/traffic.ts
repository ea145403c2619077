import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { addClient, addCollection } from '../clients.ts';

/** Increases the default limit, which the traffic would exceed within seconds. */
export const trafficVariables = { RATE_LIMIT_DEFAULT: '1000000/60' } as const;

export type Operation = 'read' | 'list' | 'metadata' | 'search' | 'search operations' | 'write audit' | 'create';

/** A request and its outcome. */
export interface Exchange {
  readonly operation: Operation;
  readonly credentialType: 'key' | 'token';
  /** The status; 0 if there was no response. */
  readonly status: number;
  /** The `detail` of an error response, or the reason why there was no response. */
  readonly detail: string | null;
  readonly ms: number;
  /** The response's `X-Search-Mode` header. */
  readonly searchMode: string | null;
  readonly body: unknown;
}

/** A client, with a key and a token, and an admin. */
export interface Callers {
  readonly client: Client;
  readonly admin: Credential;
  /** The id of a collection that the client has been granted. */
  readonly collection: string;
}

export interface Client {
  /** The profile's id. */
  readonly id: string;
  readonly key: { readonly clientId: string; readonly secret: string };
  readonly token: Credential;
}

export interface Traffic {
  /**
   * Returns the requests sent while `work` was running, once all are done. `work` may also be a time in milliseconds.
   */
  recordDuring(work: (() => Promise<unknown>) | number): Promise<readonly Exchange[]>;
  /** Stops sending, and waits for the requests in flight. */
  stop(): Promise<void>;
}

export interface TrafficOptions {
  /** The pause between two requests in a lane. */
  readonly pauseMs?: number;
  /** The pause between two creations of a collection. */
  readonly createEveryMs?: number;
}

/** A timeout that is longer than any request may take, to distinguish a service that hangs from a slow one. */
const hangTimeoutMs = 120_000;

/** The time within which the service must respond to a request (specification, section 1). */
export const responseLimitMs = 10_000;

export const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: { '/forecast': { get: { summary: 'Tell whether it rains in a city', responses: {} } } },
};

let queryCount = 0;

/**
 * Returns the query with unique white space between its first two words, which does not change its embedding. The
 * service caches the embeddings of queries, and would not need an embedder for a repeated query.
 */
export const varyWhitespace = (query: string): string => {
  const whitespace = (queryCount++).toString(2).replaceAll('0', ' ').replaceAll('1', '\t');
  return query.replace(' ', ` ${whitespace}`);
};

/**
 * Sends a steady mix of requests in the background until it is stopped. Searches and creations have separate lanes, so
 * that slow ones do not delay the other traffic.
 */
export const startTraffic = (
  api: ApiClient,
  { client, admin, collection }: Callers,
  { pauseMs = 25, createEveryMs = 2_000 }: TrafficOptions = {},
): Traffic => {
  const { key, token } = client;
  const readPath = `/api/collections/${collection}`;
  const search = (credentialType: 'key' | 'token') => (): Request => ({
    operation: 'search',
    credentialType,
    method: 'POST',
    path: '/api/vector/search',
    body: { query: varyWhitespace('rain and sun in a city') },
  });
  const searchOperations: Request = {
    operation: 'search operations',
    credentialType: 'key',
    method: 'POST',
    path: '/api/operations/search',
    body: { query: 'does it rain in a city' },
  };
  const audit = (credentialType: 'key' | 'token'): Request => ({
    operation: 'write audit',
    credentialType,
    method: 'POST',
    path: '/api/audit/',
    body: { message: { action: 'called', by: credentialType }, timestamp: '2026-01-01T00:00:00Z' },
  });
  const get = (operation: Operation, credentialType: 'key' | 'token', path: string): Request => ({
    operation,
    credentialType,
    method: 'GET',
    path,
  });
  let createdCount = 0;
  const create = (): Request => ({
    operation: 'create',
    credentialType: 'token',
    method: 'POST',
    path: '/api/collections/',
    body: { name: `Made in the background ${++createdCount}`, openapi_spec: document },
  });

  const lanes: readonly Lane[] = [
    {
      caller: key,
      everyMs: pauseMs,
      requests: [get('read', 'key', readPath), get('metadata', 'key', `${readPath}/metadata`)],
    },
    { caller: key, everyMs: pauseMs, requests: [audit('key')] },
    { caller: key, everyMs: pauseMs, requests: [search('key')] },
    { caller: key, everyMs: pauseMs, requests: [searchOperations] },
    {
      caller: token,
      everyMs: pauseMs,
      requests: [get('list', 'token', '/api/collections/'), audit('token'), get('read', 'token', readPath)],
    },
    { caller: token, everyMs: pauseMs, requests: [search('token')] },
    { caller: admin, everyMs: createEveryMs, requests: [create] },
  ];
  return runLanes(lanes, (caller, request) => send(api, caller, request));
};

interface Request {
  readonly operation: Operation;
  readonly credentialType: 'key' | 'token';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Lane {
  readonly caller: Credential;
  readonly everyMs: number;
  readonly requests: readonly (Request | (() => Request))[];
}

/** Runs lanes concurrently. Each lane sends its requests one after another. */
const runLanes = (
  lanes: readonly Lane[],
  sendRequest: (caller: Credential, request: Request) => Promise<Exchange>,
): Traffic => {
  const abortController = new AbortController();
  const openRecordings = new Set<Exchange[]>();
  const inFlight = new Set<Promise<void>>();

  const run = async ({ caller, everyMs, requests }: Lane): Promise<void> => {
    for (let count = 0; !abortController.signal.aborted; count++) {
      const request = requests[count % requests.length];
      if (!request) return;
      // The exchange is added to the recordings that are open now, even if they end before the exchange is done.
      const recordings = [...openRecordings];
      const completion = sendRequest(caller, typeof request === 'function' ? request() : request).then((exchange) => {
        for (const recording of recordings) recording.push(exchange);
      });
      inFlight.add(completion);
      await completion.finally(() => inFlight.delete(completion));
      await pause(everyMs, null, { signal: abortController.signal }).catch(() => null);
    }
  };
  const completion = Promise.all(lanes.map(run));
  return {
    recordDuring: async (work) => {
      const recording: Exchange[] = [];
      openRecordings.add(recording);
      try {
        await (typeof work === 'number' ? pause(work) : work());
      } finally {
        openRecordings.delete(recording);
      }
      await Promise.all(inFlight);
      return recording;
    },
    stop: async () => {
      abortController.abort();
      await completion;
    },
  };
};

const send = async (
  api: ApiClient,
  caller: Credential,
  { operation, credentialType, method, path, body }: Request,
): Promise<Exchange> => {
  const sentAt = performance.now();
  const exchangeOf = (status: number, detail: unknown, searchMode: string | null, responseBody: unknown): Exchange => ({
    operation,
    credentialType,
    status,
    detail: typeof detail === 'string' ? detail : null,
    ms: Math.round(performance.now() - sentAt),
    searchMode,
    body: responseBody,
  });
  const timeout = pause(hangTimeoutMs, 'late' as const, { ref: false });
  try {
    const response = await Promise.race([api.call(caller, method, path, body), timeout]);
    if (response === 'late') return exchangeOf(0, `no response within ${hangTimeoutMs} ms`, null, null);
    const detail = response.status >= 400 ? (Object(response.body) as { detail?: unknown }).detail : null;
    return exchangeOf(response.status, detail, response.headers.get('x-search-mode'), response.body);
  } catch (error) {
    return exchangeOf(0, String(error instanceof Error ? (error.cause ?? error) : error), null, null);
  }
};

/** An expected failure. */
export type ExpectedFailure = Pick<Exchange, 'operation' | 'status' | 'detail'>;

/** Returns the number of unexpected failures of each kind. */
export const countFailures = (
  exchanges: readonly Exchange[],
  expected: readonly ExpectedFailure[] = [],
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { operation, credentialType, status, detail } of exchanges) {
    const isExpected = expected.some(
      (failure) => failure.operation === operation && failure.status === status && failure.detail === detail,
    );
    if ((status >= 200 && status < 300) || isExpected) continue;
    const kind = `${operation} by ${credentialType}: ${status} ${detail ?? ''}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

/** Returns the number of requests of each operation, so that a test can check that there was traffic at all. */
export const countByOperation = (exchanges: readonly Exchange[]): Readonly<Partial<Record<Operation, number>>> => {
  const counts: Partial<Record<Operation, number>> = {};
  for (const { operation } of exchanges) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
};

/**
 * Registers and approves a client, and grants the client a new collection. `tokenOf` provides the client's identity
 * token.
 */
export const prepareCallers = async (
  api: ApiClient,
  admin: Credential,
  tokenOf: (uid: string, email: string) => Promise<Credential>,
  uid = 'ada',
): Promise<Callers> => {
  const { id, key } = await addClient(api, admin, uid);
  const collection = await createCollection(api, admin, 'Weather forecast', 'Rain and sun for every city');
  await api.request(admin, 'POST', `/api/access/clients/${id}/collections/${collection}`);
  return { client: { id, key, token: await tokenOf(uid, `${uid}@example.com`) }, admin, collection };
};

export const createCollection = (api: ApiClient, admin: Credential, name: string, description = ''): Promise<string> =>
  addCollection(api, admin, { name, description, openapi_spec: document });

/** Reads a value until it meets the condition, and returns it; throws after ten minutes. */
export const pollUntil = async <T>(read: () => Promise<T> | T, isMet: (value: T) => boolean): Promise<T> => {
  for (const startedAt = performance.now(); ; await pause(100)) {
    const value = await read();
    if (isMet(value)) return value;
    if (performance.now() - startedAt > 600_000) {
      throw new Error(`The condition was not met within ten minutes: ${JSON.stringify(value)}`);
    }
  }
};

export interface DependencyState {
  /** The status of `/ready`. */
  readonly ready: number;
  readonly status: unknown;
  readonly essential: unknown;
  /** The value of the metric `dependency_up`; null if there is none. */
  readonly up: string | null;
}

/** Returns the state of a dependency according to `/ready` and `/metrics`. */
export const stateOf = async ({ address, call }: ApiClient, dependency: string): Promise<DependencyState> => {
  const { status: ready, body } = await call(null, 'GET', '/ready');
  const { checks } = body as { checks: Record<string, { status: unknown; essential: unknown }> };
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const up = new RegExp(`^dependency_up\\{dependency="${dependency}"\\} (\\S+)$`, 'm').exec(metrics)?.[1] ?? null;
  const { status, essential } = checks[dependency] ?? { status: null, essential: null };
  return { ready, status, essential, up };
};

/** The states of a dependency that is not essential. */
export const unavailableState: DependencyState = { ready: 200, status: 'unavailable', essential: false, up: '0' };
export const availableState: DependencyState = { ready: 200, status: 'ok', essential: false, up: '1' };

export interface LogLine {
  readonly level: string;
  readonly msg: string;
}

/** Returns the service's log so far. */
export const logOf = ({
  folder,
}: {
  readonly folder: string;
}): { readonly text: string; readonly lines: LogLine[] } => {
  const text = readFileSync(join(folder, 'service.log'), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return { text, lines: lines.map((line) => JSON.parse(line) as LogLine) };
};

/** Returns the distinct messages of the warnings in the log. */
export const warningsOf = (installation: { readonly folder: string }): readonly string[] => [
  ...new Set(
    logOf(installation)
      .lines.filter(({ level }) => level === 'warn')
      .map(({ msg }) => msg),
  ),
];
