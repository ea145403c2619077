import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { holdBack } from './requests/expectation.ts';

/** Against slow and endless requests: each has its time and its size. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
} as const;
const maxHeadersCount = 64;
const maxConnections = 10_000;
/** A connection on which nothing moves for so long is cut, also one whose client does not read its answer. */
const idleTimeoutMs = 30_000;

export interface HttpServer extends Server {
  /**
   * Says "not ready" for `noticeMs` (2,000 by default), so that load balancers look elsewhere, then takes nothing more
   * and waits for what is under way; at `deadlineMs` (8,000 by default) after that it cuts what is left.
   */
  drain(times?: { readonly noticeMs?: number; readonly deadlineMs?: number }): Promise<void>;
}

/** A server around the application, not listening yet. */
export const createHttpServer = (app: Express): HttpServer => {
  const listener: RequestListener = (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseHostless(response);
    else app(request, response);
  };
  // A missing Host is refused here, in JSON.
  const server = createServer({ ...limits, requireHostHeader: false }, listener);
  server.maxHeadersCount = maxHeadersCount;
  server.maxConnections = maxConnections;
  server.timeout = idleTimeoutMs;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdBack(request);
    app(request, response);
  });
  // Other expectations are none that the service knows; they may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener);
  server.on('clientError', refuseUnreadable);

  const drain: HttpServer['drain'] = async ({ noticeMs = 2_000, deadlineMs = 8_000 } = {}) => {
    app.locals['draining'] = true;
    if (noticeMs > 0) await new Promise((resolve) => setTimeout(resolve, noticeMs));
    await new Promise<void>((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
    });
  };
  return Object.assign(server, { drain });
};

const malformed = 'Malformed request';

const refuseHostless = (response: ServerResponse): void => {
  response.writeHead(400, { ...Object.fromEntries(plainHeaders(malformed)), Connection: 'close' });
  response.end(detailOf(malformed));
};

const detailOf = (detail: string): string => JSON.stringify({ detail });

const plainHeaders = (detail: string): readonly (readonly [string, string])[] => [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Content-Length', String(Buffer.byteLength(detailOf(detail)))],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** What each fault of a request that cannot be read is answered with; anything else is a malformed request. */
const unreadable: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request headers too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'Request timeout'],
};

const refuseUnreadable = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = unreadable[error.code ?? ''] ?? ['400 Bad Request', malformed];
  const headers = [...plainHeaders(detail), ['Connection', 'close'] as const];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n${detailOf(detail)}`);
};
