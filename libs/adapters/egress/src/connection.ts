import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Client as UndiciClient, Dispatcher } from 'undici';
import type { CheckedRequest } from './checked-request.ts';
import { toPorticoError, unreachable } from './failures.ts';
import type { EgressLimits } from './limits.ts';
import type { OpenSocket } from './open-socket.ts';

/**
 * Only this class is loaded, and not the package: its main module replaces the dispatcher of the global `fetch`, which
 * other adapters use.
 */
const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient;

/**
 * One connection to an origin, for one exchange at a time. undici's own pool would send a waiting request on any of its
 * connections; this way, everything about a request belongs to one socket.
 */
export class Connection {
  readonly origin: string;
  readonly #client: UndiciClient;
  readonly #abortController = new AbortController();
  #socket: Socket | null = null;
  #hasFailed = false;
  #receivedBytesMax = Infinity;

  constructor(
    { origin, hostname, hasTls }: CheckedRequest,
    openSocket: OpenSocket,
    limits: EgressLimits,
    onClose: (connection: Connection) => void,
  ) {
    this.origin = origin;
    const { port } = new URL(origin);
    const target = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (hasTls ? 443 : 80)), hasTls };
    this.#client = new Client(origin, {
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: limits.responseHeaderBytesMax,
      // The exchange has its own, which no byte of the server prolongs.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: limits.idleMs,
      connect: (_options, callback) => {
        openSocket(target, this.#abortController.signal).then(
          (socket) => {
            this.#watch(socket);
            callback(null, socket);
          },
          (error: unknown) => callback(toPorticoError(error), null),
        );
      },
    });
    this.#client.on('disconnect', () => onClose(this));
  }

  /** Whether the socket can be used for another exchange. */
  get isOpen(): boolean {
    return this.#socket !== null && !this.#socket.destroyed && !this.#hasFailed;
  }

  /** Whether the socket had an error. undici takes a reset for the end of a body that has no length. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  dispatch(request: CheckedRequest, handler: Dispatcher.DispatchHandler): void {
    const { method, path, headers, body, closesConnection } = request;
    this.#client.dispatch(
      { method, path, headers: [...headers], body, ...(closesConnection ? { reset: true } : {}) },
      handler,
    );
  }

  /** Closes the connection once it has received this number of further bytes. */
  limitReceivedBytes(bytesMax: number): void {
    this.#receivedBytesMax = (this.#socket?.bytesRead ?? 0) + bytesMax;
  }

  async destroy(): Promise<void> {
    this.#abortController.abort(unreachable('the call was aborted'));
    await this.#client.destroy();
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    this.#hasFailed = false;
    this.#receivedBytesMax = Infinity;
    socket.on('error', () => {
      this.#hasFailed = true;
    });
    // Before undici's listener, which consumes the bytes.
    socket.on('readable', () => {
      if (socket.bytesRead > this.#receivedBytesMax) socket.destroy(unreachable('its response is too long'));
    });
  }
}
