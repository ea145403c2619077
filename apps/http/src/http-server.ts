import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { HttpApp } from './http-app.ts';
import { noteExpectContinue } from './requests/expectation.ts';
import { createUnreadableRefusal } from './unreadable.ts';

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
/** A connection that is idle for this time is cut, also where its client does not read the answer. */
const idleTimeoutMs = 30_000;

export interface HttpServer extends Server {
  /**
   * Says "not ready" for `noticeMs` (2,000 by default), so that load balancers look elsewhere, then takes nothing more
   * and waits for what is under way; at `deadlineMs` (8,000 by default) after that it cuts what is left.
   */
  drain(times?: { readonly noticeMs?: number; readonly deadlineMs?: number }): Promise<void>;
}

/** A server around the application, not listening yet. */
export const createHttpServer = (app: HttpApp): HttpServer => {
  // The application refuses a missing Host as it refuses everything, in JSON.
  const server = createServer({ ...limits, requireHostHeader: false }, app);
  server.maxHeadersCount = maxHeadersCount;
  server.maxConnections = maxConnections;
  server.timeout = idleTimeoutMs;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    noteExpectContinue(request);
    app(request, response);
  });
  // Other expectations are none that the service knows; they may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', app);
  server.on('clientError', createUnreadableRefusal(app.recordUnreadable));

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
