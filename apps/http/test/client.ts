import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { createResponseValidator, type ResponseValidator } from './openapi-validator.ts';
import type { Reply } from './reply.ts';

export interface ApiKey {
  readonly clientId: string;
  readonly secret: string;
}

export interface CallOptions {
  readonly token?: string;
  readonly key?: ApiKey;
  /** A value that is sent as JSON. */
  readonly json?: unknown;
  /** A body that is sent unchanged. */
  readonly raw?: string | Uint8Array;
  /** Alternating names and values, so that a header can be repeated. */
  readonly headers?: readonly string[];
  /** Sends the body chunked, without `Content-Length`. */
  readonly isChunked?: boolean;
}

/** Calls the service over HTTP and validates each response against the service's own OpenAPI document. */
export interface TestClient {
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Reply>;
  readonly baseUrl: string;
  readonly close: () => void;
}

export const createTestClient = async (baseUrl: string): Promise<TestClient> => {
  const agent = new Agent({ keepAlive: true });
  let validate: ResponseValidator | null = null;
  const call: TestClient['call'] = async (method, path, options = {}) => {
    const reply = await exchange(agent, baseUrl, method, path, options);
    if (method !== 'HEAD') validate?.(method, path, reply);
    return reply;
  };
  validate = createResponseValidator(
    (await call('GET', '/openapi.json')).body as Parameters<typeof createResponseValidator>[0],
  );
  return { call, baseUrl, close: () => agent.destroy() };
};

const exchange = (
  agent: Agent,
  baseUrl: string,
  method: string,
  path: string,
  { token, key, json, raw, headers = [], isChunked = false }: CallOptions,
): Promise<Reply> => {
  const body = json === undefined ? raw : JSON.stringify(json);
  const allHeaders = [
    ...(headers.includes('Host') ? [] : ['Host', new URL(baseUrl).host]),
    ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
    ...(key === undefined ? [] : ['X-Client-ID', key.clientId, 'X-API-Key', key.secret]),
    ...(json === undefined ? [] : ['Content-Type', 'application/json']),
    ...(body === undefined || isChunked ? [] : ['Content-Length', String(Buffer.byteLength(body))]),
    ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ...headers,
  ];
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers: allHeaders, agent }, (incoming) => {
      readReply(incoming).then(resolve, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};

const readReply = async (incoming: IncomingMessage): Promise<Reply> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const bytes = incoming.headers['content-encoding'] === 'gzip' && raw.length > 0 ? gunzipSync(raw) : raw;
  const text = bytes.toString('utf8');
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Reply['headers'],
    raw,
    bytes,
    text,
    get body() {
      return JSON.parse(text) as Reply['body'];
    },
    get list() {
      return JSON.parse(text) as Reply['list'];
    },
  };
};
