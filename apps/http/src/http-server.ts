import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { recordExpectContinue } from './exchange.ts';
import type { HttpApp } from './http-app.ts';
import { createUnreadableRequestHandler } from './unreadable.ts';

/** Limits against slow and never-ending requests. Times in milliseconds, sizes in bytes. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
} as const;
const maxHeadersCount = 64;
const maxConnections = 10_000;
/** Idle connections are closed after this time, even if the client does not read its response. */
const idleTimeoutMs = 30_000;

export interface HttpServer extends Server {
  /**
   * Reports "not ready" for `noticeMs` (2,000 by default), so that load balancers stop sending requests, then stops
   * accepting connections and waits for requests in flight. After `timeoutMs` (8,000 by default), it closes the
   * remaining connections.
   */
  drain(times?: { readonly noticeMs?: number; readonly timeoutMs?: number }): Promise<void>;
}

/** Creates the server of an application; it does not listen yet. */
export const createHttpServer = (app: HttpApp): HttpServer => {
  // The application itself rejects a missing Host header, in JSON like every error. With `optimizeEmptyRequests`,
  // there is no stream to drain for a request without a body, which saves three ticks.
  const server = createServer({ ...limits, requireHostHeader: false, optimizeEmptyRequests: true }, app);
  server.maxHeadersCount = maxHeadersCount;
  server.maxConnections = maxConnections;
  server.timeout = idleTimeoutMs;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    recordExpectContinue(request);
    app(request, response);
  });
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', app);
  server.on('clientError', createUnreadableRequestHandler(app.recordUnreadableRequest));

  const drain: HttpServer['drain'] = async ({ noticeMs = 2_000, timeoutMs = 8_000 } = {}) => {
    app.startDraining();
    if (noticeMs > 0) await new Promise((resolve) => setTimeout(resolve, noticeMs));
    await new Promise<void>((resolve) => {
      const forceCloseTimer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      server.close(() => {
        clearTimeout(forceCloseTimer);
        resolve();
      });
      server.closeIdleConnections();
    });
  };
  return Object.assign(server, { drain });
};
