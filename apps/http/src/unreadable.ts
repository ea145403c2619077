import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorDetails } from '@portico/domain';
import { findLatestExchange, type Exchange, type UnreadableData } from './exchange.ts';

/** Records an unreadable request that got a response but is not part of an exchange. */
export type RecordUnreadableRequest = (unreadableData: UnreadableData, requestId: string, socket: Socket) => void;

/**
 * Creates a handler that responds to unreadable requests, in JSON, and closes the connection. The response to a request
 * in flight on the connection is sent first, unless that request's body is the unreadable part.
 */
export const createUnreadableRequestHandler =
  (record: RecordUnreadableRequest) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const unreadableData = unreadableDataOf(error);
    const exchange = findLatestExchange(socket);
    const respondAlone = (): void => {
      const requestId = randomUUID();
      record(unreadableData, requestId, socket);
      respond(socket, unreadableData, requestId);
    };
    const respondNext = ({ request }: Exchange): void => {
      // The data is part of the body of a request that already has its response: send nothing more.
      if (!request.complete || !socket.writable) socket.destroySoon();
      else respondAlone();
    };
    if (!exchange) respondAlone();
    else if (exchange.response.writableFinished) respondNext(exchange);
    else if (exchange.expectsBody && !exchange.request.complete) {
      // Closing the connection in the middle of a body is a disconnect, not an unreadable request.
      if (unreadableData.errorCode !== unexpectedEndCode) exchange.unreadableData = unreadableData;
      respond(socket, unreadableData, exchange.requestId);
    } else exchange.response.once('finish', () => respondNext(exchange));
  };

const reasonPhrases = {
  400: ['Bad Request', errorDetails.malformed_request],
  408: ['Request Timeout', 'Request timeout'],
  431: ['Request Header Fields Too Large', 'Request headers too large'],
} as const;

const unexpectedEndCode = 'HPE_INVALID_EOF_STATE';

/** The statuses by error code; any other code means a malformed request. */
const statuses: Readonly<Record<string, keyof typeof reasonPhrases>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const unreadableDataOf = ({ code = 'unknown' }: NodeJS.ErrnoException) => ({
  status: statuses[code] ?? 400,
  errorCode: code,
});

const respond = (socket: Socket, { status }: ReturnType<typeof unreadableDataOf>, requestId: string): void => {
  const [reason, detail] = reasonPhrases[status];
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
