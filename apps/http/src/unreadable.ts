import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorDetails } from '@portico/domain';
import { exchangeOn, type Unreadable } from './exchange.ts';

/** Told of each that is answered and belongs to no exchange. */
export type RecordUnreadable = (unreadable: Unreadable, requestId: string) => void;

/**
 * Answers what cannot be read, in JSON, and ends the connection. A request that is under way there is answered first, by what has
 * become of it; unless it is the very one whose body cannot be read.
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
    if (!exchange || exchange.response.writableFinished) {
      const requestId = randomUUID();
      record(unreadable, requestId);
      answer(socket, unreadable, requestId);
    } else if (exchange.takesBody && !exchange.request.complete) {
      // A client that ends in the midst of its body has gone away.
      if (unreadable.errorCode !== endedEarly) exchange.unreadable = unreadable;
      answer(socket, unreadable, exchange.requestId);
    } else {
      exchange.response.once('finish', () => {
        // Of a body that nobody wanted nothing has to be said.
        if (!exchange.request.complete || !socket.writable) socket.destroySoon();
        else {
          const requestId = randomUUID();
          record(unreadable, requestId);
          answer(socket, unreadable, requestId);
        }
      });
    }
  };

const reasons = {
  400: ['Bad Request', errorDetails.malformed_request],
  408: ['Request Timeout', 'Request timeout'],
  431: ['Request Header Fields Too Large', 'Request headers too large'],
} as const;

const endedEarly = 'HPE_INVALID_EOF_STATE';

/** Anything else is a malformed request. */
const statuses: Readonly<Record<string, keyof typeof reasons>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const unreadableBy = ({ code = 'unknown' }: NodeJS.ErrnoException) => ({
  status: statuses[code] ?? 400,
  errorCode: code,
});

const answer = (socket: Socket, { status }: ReturnType<typeof unreadableBy>, requestId: string): void => {
  const [reason, detail] = reasons[status];
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
