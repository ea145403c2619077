import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LoopbackServer } from '@portico/test-servers';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** By name, in lower case; the values of repeated headers are separate. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: string;
}

/** In place of a request that did not arrive. */
export const noRequest: ReceivedRequest = { method: '', url: '', headers: {}, body: '' };

/** Writes anything to the socket. */
export type Respond = (socket: Socket, request: ReceivedRequest) => void;

export interface HostileApi {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** How it responds; a test replaces it. */
  respond: Respond;
  readonly close: () => Promise<void>;
}

/** Starts an API that records each request, and whose responses are raw bytes. */
export const startHostileApi = async (): Promise<HostileApi> => {
  const requests: ReceivedRequest[] = [];
  const server = createServer({ maxHeaderSize: 262_144 }, (incoming) => void handle(incoming));
  const loopback = await LoopbackServer.start(server);
  const api: HostileApi = {
    url: `http://127.0.0.1:${loopback.port}`,
    requests,
    respond: (socket) => socket.end(respondWith('fine')),
    close: () => loopback.stop(),
  };
  const handle = async (incoming: IncomingMessage): Promise<void> => {
    incoming.socket.on('error', () => {});
    const body = Buffer.concat(await incoming.toArray()).toString();
    const { method = '', url = '', headersDistinct } = incoming;
    const request = { method, url, headers: headersDistinct, body };
    requests.push(request);
    api.respond(incoming.socket, request);
  };
  return api;
};

/** Returns a response with a length, after which the connection closes. */
export const respondWith = (body: string | Uint8Array, headers: readonly string[] = [], status = '200 OK'): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `HTTP/1.1 ${status}`,
        'Connection: close',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...headers,
        '',
        '',
      ].join('\r\n'),
      'latin1',
    ),
    Buffer.from(body),
  ]);

/** Returns a response whose body has chunks of this many bytes, with trailers. */
export const respondInChunks = (body: string, chunkBytes: number, trailers: readonly string[] = []): Buffer => {
  const bytes = Buffer.from(body);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => {
    const chunk = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
    return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  });
  const head = ['HTTP/1.1 200 OK', 'Connection: close', 'Transfer-Encoding: chunked', 'Trailer: X-Request-Id', '', ''];
  return Buffer.concat([
    Buffer.from(head.join('\r\n')),
    ...chunks,
    Buffer.from(['0', ...trailers, '', ''].join('\r\n')),
  ]);
};
