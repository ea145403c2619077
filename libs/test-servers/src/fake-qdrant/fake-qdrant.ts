import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LoopbackServer } from '../loopback-server.ts';
import { Catalog } from './catalog.ts';
import { respondWithFault, Faults, corruptResult } from './faults.ts';
import { isObject, type Json } from './json-shapes.ts';
import { createFormatError, RequestError } from './request-error.ts';
import { routes } from './routes.ts';

export interface FakeQdrantOptions {
  /**
   * The key that every request must send as the header `api-key` or as a bearer token, except requests for health and
   * version.
   */
  readonly apiKey?: string;
  /** The version that `GET /` returns; `1.18.3` by default. */
  readonly version?: string;
}

export interface QdrantCall {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly bodyBytes: number;
}

/** A fake Qdrant on 127.0.0.1: the same responses and errors for Portico's calls, with exact search. */
export interface FakeQdrant {
  readonly url: string;
  /** The key required from now on. */
  apiKey: string | undefined;
  readonly faults: Faults;
  /** All requests so far, in order. A test may clear the list. */
  readonly calls: QdrantCall[];
  /** Removes all data. */
  clear(): void;
  /** Refuses connections until `start` is called, which uses the same port. The data is kept. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The largest body that the real server accepts by default (`max_request_size_mb`). */
const bodyLimitBytes = 32 * 1024 * 1024;
const healthTexts: Readonly<Record<string, string>> = {
  '/healthz': 'healthz check passed',
  '/livez': 'healthz check passed',
  '/readyz': 'all shards are ready',
};

export const startFakeQdrant = async (options: FakeQdrantOptions = {}): Promise<FakeQdrant> => {
  const catalog = new Catalog();
  const calls: QdrantCall[] = [];
  const state = { apiKey: options.apiKey, version: options.version ?? '1.18.3', catalog, calls, faults: new Faults() };
  const loopback = await LoopbackServer.start(
    createServer((request, response) => {
      respond(state, request, response).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    }),
  );
  return {
    url: `http://127.0.0.1:${loopback.port}`,
    get apiKey() {
      return state.apiKey;
    },
    set apiKey(key) {
      state.apiKey = key;
    },
    faults: state.faults,
    calls,
    clear: () => catalog.clear(),
    stop: () => loopback.stop(),
    start: () => loopback.start(),
    close: () => loopback.stop(),
  };
};

interface State {
  readonly apiKey: string | undefined;
  readonly version: string;
  readonly catalog: Catalog;
  readonly calls: QdrantCall[];
  readonly faults: Faults;
}

const respond = async (state: State, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const method = request.method ?? 'GET';
  const body = await readBody(request);
  state.calls.push({ method, path: pathname, bodyBytes: body.length });
  const fault = state.faults.findFault(method, pathname);
  if (fault !== null && respondWithFault(fault, response)) return;
  if (pathname === '/') {
    return sendJson(response, 200, { title: 'qdrant - vector search engine', version: state.version });
  }
  const health = healthTexts[pathname];
  if (health !== undefined) return sendText(response, 200, health);
  const keyError = keyErrorOf(state.apiKey, request);
  if (keyError !== null) return sendText(response, 401, keyError);
  const match = routeOf(method, pathname);
  if (!match) return void response.writeHead(404).end();
  try {
    const isAwaited = searchParams.get('wait') === 'true';
    const result = match.route({ catalog: state.catalog, name: match.name, body: parse(body), isAwaited });
    const finalResult = fault === null ? result : corruptResult(fault, result);
    sendJson(response, 200, { result: finalResult, status: 'ok', time: 0.0001, usage: null });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    sendJson(response, error.status, { status: { error: error.message }, time: 0.0001 });
  }
};

const routeOf = (method: string, pathname: string) => {
  const exactRoute = routes[`${method} ${pathname}`];
  if (exactRoute) return { route: exactRoute, name: '' };
  const [, segment, name, ...rest] = pathname.split('/');
  const route = routes[`${method} /${[segment, ':name', ...rest].join('/')}`];
  return route && name ? { route, name: decodeURIComponent(name) } : undefined;
};

const keyErrorOf = (apiKey: string | undefined, { headers }: IncomingMessage): string | null => {
  if (apiKey === undefined) return null;
  const key = headers['api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (key === undefined) return 'Must provide an API key or an Authorization bearer token';
  return key === apiKey ? null : 'Invalid API key or JWT';
};

const parse = (body: Buffer) => {
  if (body.length === 0) return {};
  if (body.length > bodyLimitBytes) {
    throw createFormatError(
      `JSON payload (${body.length} bytes) is larger than allowed (limit: ${bodyLimitBytes} bytes).`,
    );
  }
  let value: Json;
  try {
    value = JSON.parse(body.toString()) as Json;
  } catch (error) {
    throw createFormatError((error as Error).message);
  }
  if (!isObject(value)) throw createFormatError('invalid type, expected a struct');
  return value;
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};
const sendText = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
};
