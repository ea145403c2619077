import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createYielder, tick } from '@portico/composition';
import type { CountedRequest } from '@portico/domain';
import type { Exchange } from '../exchange.ts';

/** Headers of an answer besides those that every answer has. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** A value that is sent as JSON. */
export interface JsonAnswer<Value = unknown> {
  readonly kind: 'json';
  readonly value: Value;
  readonly headers: AnswerHeaders;
  /** Overrides the route's status if it depends on the outcome. */
  readonly status: number | null;
}

/** A body of a known length that is made part by part, as fast as the client reads it. */
export interface PartedBody {
  /** In bytes. */
  readonly length: number;
  readonly parts: AsyncIterable<Uint8Array>;
}

/** Bytes or text, ready to be sent; JSON unless `headers` has another `Content-Type`. */
export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly body: Uint8Array | string | PartedBody;
  readonly headers: AnswerHeaders;
  /** As in `JsonAnswer`. */
  readonly status: number | null;
}

/** Parts that are sent as they arrive, as fast as the client reads them. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly parts: AsyncIterable<string>;
  readonly headers: AnswerHeaders;
  readonly status: null;
}

export type Answer<Value = unknown> = JsonAnswer<Value> | ReadyAnswer | StreamAnswer;

const none: AnswerHeaders = {};

export const json = <Value>(value: Value, headers = none, status: number | null = null): JsonAnswer<Value> => ({
  kind: 'json',
  value,
  headers,
  status,
});

export const ready = (body: ReadyAnswer['body'], headers = none, status: number | null = null): ReadyAnswer => ({
  kind: 'ready',
  body,
  headers,
  status,
});

export const stream = (parts: AsyncIterable<string>, headers = none): StreamAnswer => ({
  kind: 'stream',
  parts,
  headers,
  status: null,
});

/** The client has this representation already (RFC 9110, section 15.4.5). */
export const notModified = (headers: AnswerHeaders): ReadyAnswer => ready('', headers, 304);

/** The headers of every answer, unless it overrides them. */
const commonHeaders: AnswerHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** For what is shown in the window of a repeated sign-in, which hands its outcome to the window that opened it. */
export const keepsOpener: AnswerHeaders = { 'Cross-Origin-Opener-Policy': 'unsafe-none' };

/** Sends an answer unless one was sent already or the client is gone. `closing`: the connection is closed after it. */
export const send = async (exchange: Exchange, answer: Answer, status: number, closing: boolean): Promise<void> => {
  await tick.flush();
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers = headersOf(exchange, answer, closing);
  const code = answer.status ?? status;
  if (answer.kind === 'stream') return sendParts(response, code, headers, gathered(answer.parts));
  const body = answer.kind === 'json' ? JSON.stringify(answer.value) : answer.body;
  if (code === 304) {
    response.writeHead(code, headers);
    response.end();
    return;
  }
  headers.push('Content-Length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length));
  if (typeof body === 'object' && 'parts' in body) return sendParts(response, code, headers, body.parts);
  if (typeof body === 'object' && body.length > atOnceMaxBytes) {
    return sendParts(response, code, headers, slicesOf(body));
  }
  response.writeHead(code, headers);
  if (typeof body === 'string' || body.length > inOneWriteMaxBytes) response.end(body);
  else response.end(latin1(body), 'latin1');
};

/** Node writes head and body at once if both are text, and this much costs less to copy than a second buffer. */
const inOneWriteMaxBytes = 8_192;

/** The kernel copies all that it is given at once, some milliseconds for the megabytes of a large document. */
const atOnceMaxBytes = 1_048_576;
const sliceBytes = 262_144;

async function* slicesOf(body: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  const yieldToEventLoop = createYielder();
  for (let from = 0; from < body.length; from += sliceBytes) {
    await yieldToEventLoop();
    yield body.subarray(from, from + sliceBytes);
  }
}

const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const commonList = Object.entries(commonHeaders).flat();

/** Names and values in turn, which `writeHead` takes as they are. */
const headersOf = ({ requestId, counted }: Exchange, { headers: own, status }: Answer, closing: boolean): string[] => {
  const headers: string[] = [];
  for (let at = 0; at < commonList.length; at += 2) {
    const [name, value] = [commonList[at] as string, commonList[at + 1] as string];
    if (!(name in own) && !(status === 304 && name === 'Content-Type')) headers.push(name, value);
  }
  for (const name in own) headers.push(name, own[name] as string);
  headers.push('X-Request-Id', requestId);
  if (counted) addQuota(headers, counted);
  if (closing) headers.push('Connection', 'close');
  return headers;
};

/** The header fields of the IETF draft "RateLimit header fields for HTTP". */
const addQuota = (headers: string[], { policy, rule, remaining, resetSeconds }: CountedRequest): void => {
  headers.push(
    'RateLimit-Policy',
    `"${policy}";q=${rule.allowed};w=${rule.windowSeconds}`,
    'RateLimit',
    `"${policy}";r=${remaining};t=${resetSeconds}`,
  );
};

/** Characters per write: sending single lines would cost more than making them. */
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
    // The client is gone; the request's log line says so.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
};

async function* gathered(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const part of parts) {
    chunk += part;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
