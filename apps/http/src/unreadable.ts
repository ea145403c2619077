import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorDetails } from '@portico/domain';
import { exchangeOn, type Exchange, type Unreadable } from './exchange.ts';

/** Records an unreadable request that got a response but is not part of an exchange. */
export type RecordUnreadable = (unreadable: Unreadable, requestId: string, socket: Socket) => void;

/**
 * Creates a handler that responds to unreadable requests, in JSON, and closes the connection. The response to a request
 * in flight on the connection is sent first, unless that request's body is the unreadable part.
 */
export const createUnreadableRefusal =
  (record: RecordUnreadable) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const unreadable = unreadableBy(error);
    const exchange = exchangeOn(socket);
    const respondAlone = (): void => {
      const requestId = randomUUID();
      record(unreadable, requestId, socket);
      respond(socket, unreadable, requestId);
    };
    const respondNext = ({ request }: Exchange): void => {
      // The data is part of the body of a request that already has its response: send nothing more.
      if (!request.complete || !socket.writable) socket.destroySoon();
      else respondAlone();
    };
    if (!exchange) respondAlone();
    else if (exchange.response.writableFinished) respondNext(exchange);
    else if (exchange.takesBody && !exchange.request.complete) {
      // Closing the connection in the middle of a body is a disconnect, not an unreadable request.
      if (unreadable.errorCode !== endedEarly) exchange.unreadable = unreadable;
      respond(socket, unreadable, exchange.requestId);
    } else exchange.response.once('finish', () => respondNext(exchange));
  };

const reasons = {
  400: ['Bad Request', errorDetails.malformed_request],
  408: ['Request Timeout', 'Request timeout'],
  431: ['Request Header Fields Too Large', 'Request headers too large'],
} as const;

const endedEarly = 'HPE_INVALID_EOF_STATE';

/** The statuses by error code; any other code means a malformed request. */
const statuses: Readonly<Record<string, keyof typeof reasons>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const unreadableBy = ({ code = 'unknown' }: NodeJS.ErrnoException) => ({
  status: statuses[code] ?? 400,
  errorCode: code,
});

const respond = (socket: Socket, { status }: ReturnType<typeof unreadableBy>, requestId: string): void => {
  const [reason, detail] = reasons[status];
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Cross-Origin-Resource-Policy: same-origin',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
