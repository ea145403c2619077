import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createYielder, tick } from '@portico/composition';
import type { CountedRequest } from '@portico/domain';
import type { Exchange } from '../exchange.ts';

/** The headers of a response, in addition to those that every response has. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A value that is sent as JSON. */
export interface JsonResponse<Value = unknown> {
  readonly kind: 'json';
  readonly value: Value;
  readonly headers: ResponseHeaders;
  /** Overrides the route's status if the status depends on the outcome. */
  readonly status: number | null;
}

/** A body of known length that is produced in parts, as fast as the client reads them. */
export interface ChunkedBody {
  /** The length in bytes. */
  readonly length: number;
  readonly parts: AsyncIterable<Uint8Array>;
}

/** Bytes or text, ready to be sent; JSON unless `headers` contains a different `Content-Type`. */
export interface ReadyResponse {
  readonly kind: 'ready';
  readonly body: Uint8Array | string | ChunkedBody;
  readonly headers: ResponseHeaders;
  /** Overrides the route's status, as in `JsonResponse`. */
  readonly status: number | null;
}

/** Parts that are sent as they arrive, as fast as the client reads them. */
export interface StreamResponse {
  readonly kind: 'stream';
  readonly parts: AsyncIterable<string>;
  readonly headers: ResponseHeaders;
  readonly status: null;
}

export type RouteResponse<Value = unknown> = JsonResponse<Value> | ReadyResponse | StreamResponse;

const noHeaders: ResponseHeaders = {};

export const toJsonResponse = <Value>(
  value: Value,
  headers = noHeaders,
  status: number | null = null,
): JsonResponse<Value> => ({
  kind: 'json',
  value,
  headers,
  status,
});

export const toReadyResponse = (
  body: ReadyResponse['body'],
  headers = noHeaders,
  status: number | null = null,
): ReadyResponse => ({
  kind: 'ready',
  body,
  headers,
  status,
});

export const toStreamResponse = (parts: AsyncIterable<string>, headers = noHeaders): StreamResponse => ({
  kind: 'stream',
  parts,
  headers,
  status: null,
});

/** Creates a 304: the client already has this representation (RFC 9110, section 15.4.5). */
export const createNotModifiedResponse = (headers: ResponseHeaders): ReadyResponse => toReadyResponse('', headers, 304);

/** Creates a 204, for a route with that status. */
export const createEmptyResponse = (): ReadyResponse => toReadyResponse('', noHeaders, 204);

/** Whether responses with this status have no content (RFC 9110, sections 15.3.5 and 15.4.5). */
const isBodiless = (status: number | null): boolean => status === 204 || status === 304;

/** The headers of every response, unless a response overrides them. */
const commonHeaders: ResponseHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Headers for pages in the window of a repeated sign-in, which passes its result to the window that opened it. */
export const openerPolicyHeaders: ResponseHeaders = { 'Cross-Origin-Opener-Policy': 'unsafe-none' };

/**
 * Sends a response, unless one has already been sent or the client has disconnected. `closesConnection`: closes the connection
 * afterwards.
 */
export const send = async (
  exchange: Exchange,
  routeResponse: RouteResponse,
  status: number,
  closesConnection: boolean,
): Promise<void> => {
  await tick.flush();
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers = headersOf(exchange, routeResponse, closesConnection);
  const code = routeResponse.status ?? status;
  if (routeResponse.kind === 'stream') return sendParts(response, code, headers, joinIntoChunks(routeResponse.parts));
  const body = routeResponse.kind === 'json' ? JSON.stringify(routeResponse.value) : routeResponse.body;
  if (isBodiless(code)) {
    response.writeHead(code, headers);
    response.end();
    return;
  }
  headers.push('Content-Length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length));
  if (typeof body === 'object' && 'parts' in body) return sendParts(response, code, headers, body.parts);
  if (typeof body === 'object' && body.length > unslicedMaxBytes) {
    return sendParts(response, code, headers, slicesOf(body));
  }
  response.writeHead(code, headers);
  if (typeof body === 'string' || body.length > singleWriteMaxBytes) response.end(body);
  else response.end(toLatin1(body), 'latin1');
};

/**
 * Node writes the head and the body in one call if both are text. Copying this much is cheaper than a second buffer.
 */
const singleWriteMaxBytes = 8_192;

/**
 * Bodies larger than this are written in slices. The kernel copies each write in one go, which takes a few milliseconds
 * for a document of several megabytes.
 */
const unslicedMaxBytes = 1_048_576;
const sliceBytes = 262_144;

async function* slicesOf(body: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  const yieldToEventLoop = createYielder();
  for (let offset = 0; offset < body.length; offset += sliceBytes) {
    await yieldToEventLoop();
    yield body.subarray(offset, offset + sliceBytes);
  }
}

const toLatin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const commonHeaderList = Object.entries(commonHeaders).flat();

/** Returns alternating names and values, which `writeHead` accepts directly. */
const headersOf = (
  { requestId, rateLimit }: Exchange,
  { headers: routeHeaders, status }: RouteResponse,
  closesConnection: boolean,
): string[] => {
  const headers: string[] = [];
  for (let index = 0; index < commonHeaderList.length; index += 2) {
    const [name, value] = [commonHeaderList[index] as string, commonHeaderList[index + 1] as string];
    if (!(name in routeHeaders) && !(isBodiless(status) && name === 'Content-Type')) headers.push(name, value);
  }
  for (const name in routeHeaders) headers.push(name, routeHeaders[name] as string);
  headers.push('X-Request-Id', requestId);
  if (rateLimit) addRateLimitHeaders(headers, rateLimit);
  if (closesConnection) headers.push('Connection', 'close');
  return headers;
};

/** Adds the header fields of the IETF draft "RateLimit header fields for HTTP". */
const addRateLimitHeaders = (headers: string[], { policy, rule, remaining, resetSeconds }: CountedRequest): void => {
  headers.push(
    'RateLimit-Policy',
    `"${policy}";q=${rule.allowed};w=${rule.windowSeconds}`,
    'RateLimit',
    `"${policy}";r=${remaining};t=${resetSeconds}`,
  );
};

/** The number of characters per write: sending single lines would cost more than producing them. */
const chunkCharacters = 16_384;

const sendParts = async (
  response: ServerResponse,
  status: number,
  headers: string[],
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  response.writeHead(status, headers);
  response.flushHeaders();
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(parts, response);
  } catch (error) {
    // The client has disconnected, which the request's log line shows.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
};

async function* joinIntoChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const part of parts) {
    chunk += part;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
