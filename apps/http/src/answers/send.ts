import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { CountedRequest } from '@portico/domain';
import type { Exchange } from '../exchange.ts';
import type { Answer, AnswerHeaders, StreamAnswer } from './answer.ts';

/** What every answer says of itself, unless it says otherwise. */
const commonHeaders: OutgoingHttpHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** Sends an answer, unless one was sent already or nobody is there to read it. `closing`: the connection ends with it. */
export const send = async (exchange: Exchange, answer: Answer, status: number, closing: boolean): Promise<void> => {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers = headersOf(exchange, answer.headers, closing);
  const code = answer.status ?? status;
  if (answer.kind === 'stream') return sendStream(response, code, headers, answer);
  const body = answer.kind === 'json' ? JSON.stringify(answer.value) : answer.body;
  if (code === 304) {
    delete headers['Content-Type'];
    response.writeHead(code, headers);
    response.end();
    return;
  }
  headers['Content-Length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  response.writeHead(code, headers);
  response.end(body);
};

const headersOf = ({ requestId, counted }: Exchange, own: AnswerHeaders, closing: boolean): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = { ...commonHeaders, ...own, 'X-Request-Id': requestId };
  if (counted) addQuota(headers, counted);
  if (closing) headers['Connection'] = 'close';
  return headers;
};

/** The fields of the IETF draft "RateLimit header fields for HTTP". */
const addQuota = (headers: OutgoingHttpHeaders, { policy, rule, remaining, resetSeconds }: CountedRequest): void => {
  headers['RateLimit-Policy'] = `"${policy}";q=${rule.allowed};w=${rule.windowSeconds}`;
  headers['RateLimit'] = `"${policy}";r=${remaining};t=${resetSeconds}`;
};

/** Characters that are written at once: a line alone costs more to send than to make. */
const chunkCharacters = 16_384;

const sendStream = async (
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  { parts }: StreamAnswer,
): Promise<void> => {
  response.writeHead(status, headers);
  response.flushHeaders();
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(gathered(parts), response);
  } catch (error) {
    // The client has gone away, which the log says already.
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
