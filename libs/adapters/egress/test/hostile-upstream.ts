import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from '@portico/test-servers';
import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface ReceivedRequest {
  /** Request line and headers, without the empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** Writes anything at all to the socket. `count` is the number of requests to this server so far, this one included. */
export type Respond = (socket: Socket, request: ReceivedRequest, count: number) => void;

export interface UpstreamOptions {
  readonly host?: string;
  readonly certificate?: Certificate | null;
  /** Called for each connection, before its first byte. */
  readonly onConnection?: (socket: Socket) => void;
  /** Responds as soon as the headers have arrived, and reads no body. */
  readonly isEarly?: boolean;
}

export interface HostileUpstream {
  readonly port: number;
  /** With the address 127.0.0.1. */
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections that were accepted so far. */
  readonly accepted: number;
  /** The number of connections that are open now. */
  readonly open: number;
}

/** Starts a server on a raw socket, which knows no more of HTTP than where a request ends. Closed after the test. */
export const startUpstream = async (respond: Respond, options: UpstreamOptions = {}): Promise<HostileUpstream> => {
  const { host = '127.0.0.1', certificate = null, onConnection, isEarly = false } = options;
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const accept = (socket: Socket): void => {
    accepted += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onConnection?.(socket);
    readRequests(socket, isEarly, (request) => {
      requests.push(request);
      respond(socket, request, requests.length);
    });
  };
  const server: Server = certificate
    ? createTlsServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, accept)
    : createServer(accept);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, requests, origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}` },
    get accepted() {
      return accepted;
    },
    get open() {
      return sockets.size;
    },
  };
};

const readRequests = (socket: Socket, isEarly: boolean, onRequest: (request: ReceivedRequest) => void): void => {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = received.subarray(0, headEnd).toString('latin1');
      const length = isEarly ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (received.byteLength < end) return;
      const body = Buffer.from(received.subarray(headEnd + 4, end));
      received = received.subarray(end);
      onRequest({ head, body });
    }
  });
};

/** Returns a response with a length. */
export const respondWith = (body: string, headers: readonly string[] = [], status = '200 OK'): string =>
  [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');

/** Resets the connection (RST) instead of closing it. */
export const reset = (socket: Socket): void => void socket.resetAndDestroy();
