import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { addClient, addCollection } from '../clients.ts';

/** Traffic would exceed the default limit within seconds. */
export const trafficVariables = { RATE_LIMIT_DEFAULT: '1000000/60' } as const;

export type Operation = 'read' | 'list' | 'metadata' | 'search' | 'search operations' | 'write audit' | 'create';

/** A request of the traffic, and its outcome. */
export interface Seen {
  readonly operation: Operation;
  readonly by: 'key' | 'token';
  /** 0 if there was no answer. */
  readonly status: number;
  /** The `detail` of an error answer, or why there was no answer. */
  readonly detail: string | null;
  readonly ms: number;
  /** `X-Search-Mode` of the answer. */
  readonly searchMode: string | null;
  readonly body: unknown;
}

/** The callers: a client by key and by token, which may see this collection, and an admin. */
export interface Senders {
  readonly client: Client;
  readonly admin: Credential;
  /** The id of a collection that the client was granted. */
  readonly collection: string;
}

export interface Client {
  /** The profile's id. */
  readonly id: string;
  readonly key: { readonly clientId: string; readonly secret: string };
  readonly token: Credential;
}

export interface Traffic {
  /** Returns the requests sent while `work` ran, once all have ended; `work` may also be a time in milliseconds. */
  during(work: (() => Promise<unknown>) | number): Promise<readonly Seen[]>;
  /** Stops sending, and waits for the requests under way. */
  stop(): Promise<void>;
}

export interface TrafficOptions {
  /** The pause between two requests of a lane. */
  readonly pauseMs?: number;
  /** The pause between two creations of a collection. */
  readonly createEveryMs?: number;
}

/** Longer than any request may take, to tell a service that hangs from one that is slow. */
const patienceMs = 120_000;

/** Within this time a request must be answered (specification, section 1). */
export const answerLimitMs = 10_000;

export const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: { '/forecast': { get: { summary: 'Tell whether it rains in a city', responses: {} } } },
};

let asked = 0;

/**
 * The query with other white space between its first two words, which is embedded as before: the service remembers how
 * it embedded a query, and would need no embedder for one asked twice.
 */
export const askedAnew = (query: string): string => {
  const blanks = (asked++).toString(2).replaceAll('0', ' ').replaceAll('1', '\t');
  return query.replace(' ', ` ${blanks}`);
};

/**
 * Sends a steady mix of requests in the background until it is stopped. Searches and creations have lanes of their own,
 * so that slow ones do not reduce the other traffic.
 */
export const startTraffic = (
  api: ApiClient,
  { client, admin, collection }: Senders,
  { pauseMs = 25, createEveryMs = 2_000 }: TrafficOptions = {},
): Traffic => {
  const { key, token } = client;
  const read = `/api/collections/${collection}`;
  const search = (by: 'key' | 'token') => (): Request => ({
    operation: 'search',
    by,
    method: 'POST',
    path: '/api/vector/search',
    body: { query: askedAnew('rain and sun in a city') },
  });
  const searchOperations: Request = {
    operation: 'search operations',
    by: 'key',
    method: 'POST',
    path: '/api/operations/search',
    body: { query: 'does it rain in a city' },
  };
  const audit = (by: 'key' | 'token'): Request => ({
    operation: 'write audit',
    by,
    method: 'POST',
    path: '/api/audit/',
    body: { message: { action: 'called', by }, timestamp: '2026-01-01T00:00:00Z' },
  });
  const get = (operation: Operation, by: 'key' | 'token', path: string): Request => ({
    operation,
    by,
    method: 'GET',
    path,
  });
  let created = 0;
  const create = (): Request => ({
    operation: 'create',
    by: 'token',
    method: 'POST',
    path: '/api/collections/',
    body: { name: `Made under way ${++created}`, openapi_spec: document },
  });

  const lanes: readonly Lane[] = [
    { caller: key, everyMs: pauseMs, requests: [get('read', 'key', read), get('metadata', 'key', `${read}/metadata`)] },
    { caller: key, everyMs: pauseMs, requests: [audit('key')] },
    { caller: key, everyMs: pauseMs, requests: [search('key')] },
    { caller: key, everyMs: pauseMs, requests: [searchOperations] },
    {
      caller: token,
      everyMs: pauseMs,
      requests: [get('list', 'token', '/api/collections/'), audit('token'), get('read', 'token', read)],
    },
    { caller: token, everyMs: pauseMs, requests: [search('token')] },
    { caller: admin, everyMs: createEveryMs, requests: [create] },
  ];
  return sendIn(lanes, (caller, request) => send(api, caller, request));
};

interface Request {
  readonly operation: Operation;
  readonly by: 'key' | 'token';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Lane {
  readonly caller: Credential;
  readonly everyMs: number;
  readonly requests: readonly (Request | (() => Request))[];
}

/** Each lane sends one request after the other. */
const sendIn = (lanes: readonly Lane[], ask: (caller: Credential, request: Request) => Promise<Seen>): Traffic => {
  const stopping = new AbortController();
  const seen = new Set<Seen[]>();
  const underWay = new Set<Promise<void>>();

  const run = async ({ caller, everyMs, requests }: Lane): Promise<void> => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const request = requests[turn % requests.length];
      if (!request) return;
      // Recorded in the lists that are open now, even if the request ends after they are closed.
      const lookers = [...seen];
      const sending = ask(caller, typeof request === 'function' ? request() : request).then((answer) => {
        for (const list of lookers) list.push(answer);
      });
      underWay.add(sending);
      await sending.finally(() => underWay.delete(sending));
      await pause(everyMs, null, { signal: stopping.signal }).catch(() => null);
    }
  };
  const running = Promise.all(lanes.map(run));
  return {
    during: async (work) => {
      const list: Seen[] = [];
      seen.add(list);
      try {
        await (typeof work === 'number' ? pause(work) : work());
      } finally {
        seen.delete(list);
      }
      await Promise.all(underWay);
      return list;
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

const send = async (
  api: ApiClient,
  caller: Credential,
  { operation, by, method, path, body }: Request,
): Promise<Seen> => {
  const sentAt = performance.now();
  const seen = (status: number, detail: unknown, searchMode: string | null, answer: unknown): Seen => ({
    operation,
    by,
    status,
    detail: typeof detail === 'string' ? detail : null,
    ms: Math.round(performance.now() - sentAt),
    searchMode,
    body: answer,
  });
  const late = pause(patienceMs, 'late' as const, { ref: false });
  try {
    const answer = await Promise.race([api.call(caller, method, path, body), late]);
    if (answer === 'late') return seen(0, `no answer within ${patienceMs} ms`, null, null);
    const detail = answer.status >= 400 ? (Object(answer.body) as { detail?: unknown }).detail : null;
    return seen(answer.status, detail, answer.headers.get('x-search-mode'), answer.body);
  } catch (error) {
    return seen(0, String(error instanceof Error ? (error.cause ?? error) : error), null, null);
  }
};

/** An expected failure. */
export type Expected = Pick<Seen, 'operation' | 'status' | 'detail'>;

/** The unexpected failures by kind, and how often each happened. */
export const failures = (
  seen: readonly Seen[],
  expected: readonly Expected[] = [],
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { operation, by, status, detail } of seen) {
    const isExpected = expected.some(
      (one) => one.operation === operation && one.status === status && one.detail === detail,
    );
    if ((status >= 200 && status < 300) || isExpected) continue;
    const kind = `${operation} by ${by}: ${status} ${detail ?? ''}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

/** How many requests of each operation were sent, so that a test can check that there was traffic at all. */
export const sent = (seen: readonly Seen[]): Readonly<Partial<Record<Operation, number>>> => {
  const counts: Partial<Record<Operation, number>> = {};
  for (const { operation } of seen) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
};

/** Registers and approves a client and grants it a new collection. `tokenOf` provides its identity token. */
export const prepareSenders = async (
  api: ApiClient,
  admin: Credential,
  tokenOf: (uid: string, email: string) => Promise<Credential>,
  uid = 'ada',
): Promise<Senders> => {
  const { id, key } = await addClient(api, admin, uid);
  const collection = await createCollection(api, admin, 'Weather forecast', 'Rain and sun for every city');
  await api.ask(admin, 'POST', `/api/access/clients/${id}/collections/${collection}`);
  return { client: { id, key, token: await tokenOf(uid, `${uid}@example.com`) }, admin, collection };
};

export const createCollection = (api: ApiClient, admin: Credential, name: string, description = ''): Promise<string> =>
  addCollection(api, admin, { name, description, openapi_spec: document });

/** Reads until the value meets the condition, and returns it; throws after ten minutes. */
export const eventually = async <T>(read: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> => {
  for (const startedAt = performance.now(); ; await pause(100)) {
    const value = await read();
    if (holds(value)) return value;
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

/** What `/ready` and `/metrics` say about a dependency. */
export const stateOf = async ({ address, call }: ApiClient, dependency: string): Promise<DependencyState> => {
  const { status: ready, body } = await call(null, 'GET', '/ready');
  const { checks } = body as { checks: Record<string, { status: unknown; essential: unknown }> };
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const up = new RegExp(`^dependency_up\\{dependency="${dependency}"\\} (\\S+)$`, 'm').exec(metrics)?.[1] ?? null;
  const { status, essential } = checks[dependency] ?? { status: null, essential: null };
  return { ready, status, essential, up };
};

/** The states of a dependency that the service can do without. */
export const away: DependencyState = { ready: 200, status: 'unavailable', essential: false, up: '0' };
export const present: DependencyState = { ready: 200, status: 'ok', essential: false, up: '1' };

export interface LogLine {
  readonly level: string;
  readonly msg: string;
}

/** What the service has written to its log so far. */
export const logOf = ({
  folder,
}: {
  readonly folder: string;
}): { readonly text: string; readonly lines: LogLine[] } => {
  const text = readFileSync(join(folder, 'service.log'), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return { text, lines: lines.map((line) => JSON.parse(line) as LogLine) };
};

/** The messages of the warnings in the log, each once. */
export const warningsOf = (installation: { readonly folder: string }): readonly string[] => [
  ...new Set(
    logOf(installation)
      .lines.filter(({ level }) => level === 'warn')
      .map(({ msg }) => msg),
  ),
];
