import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { sleep } from './real-time.ts';

/** One client connection through the proxy. It connects to the server once the mode allows bytes to pass. */
export class FaultyConnection {
  #client: Socket;
  #server: Socket | null = null;
  #target: { host: string; port: number };
  #mode: FaultMode;
  /** The responses in transit to the client, in order. */
  #responses: Promise<unknown> = Promise.resolve();
  #modeChange = Promise.withResolvers<void>();

  constructor(client: Socket, target: { host: string; port: number }, mode: FaultMode) {
    this.#client = client;
    this.#target = target;
    this.#mode = mode;
    client.on('error', () => client.destroy());
    client.on('close', () => this.#server?.destroy());
    client.on('data', (bytes) => {
      if (this.#mode === 'garbage') client.write(createGarbage());
      else if (this.#server) forward(bytes, client, this.#server, () => this.#updateFlow());
    });
    client.on('end', () => (this.#server ?? client).end());
    this.#apply();
  }

  set(mode: FaultMode): void {
    const previousMode = this.#mode;
    this.#mode = mode;
    this.#modeChange.resolve();
    this.#modeChange = Promise.withResolvers();
    if (previousMode === 'garbage' && mode !== 'garbage') this.end();
    else this.#apply();
  }

  end(): void {
    this.#client.destroy();
  }

  #apply(): void {
    if (this.#mode === 'down') this.#client.destroy();
    else if (this.#mode === 'reset') this.#client.resetAndDestroy();
    else if (this.#mode === 'garbage') this.#client.write(createGarbage());
    else if (this.#mode !== 'hang') this.#server ??= this.#connectToServer();
    this.#updateFlow();
  }

  /** Applies backpressure: while a socket is paused, bytes sent to it remain in the operating system's buffers. */
  #updateFlow(): void {
    for (const socket of [this.#client, this.#server]) {
      if (this.#mode === 'hang') socket?.pause();
      else socket?.resume();
    }
  }

  /** Connects to the server. If the server refuses, the client's connection is closed immediately. */
  #connectToServer(): Socket {
    const server = connect({ ...this.#target, allowHalfOpen: true });
    server.on('error', () => server.destroy());
    server.on('close', () => this.#respond(() => this.#client.destroy()));
    server.on('data', (bytes) => this.#respond(() => forward(bytes, server, this.#client, () => this.#updateFlow())));
    server.on('end', () => this.#respond(() => this.#client.end()));
    return server;
  }

  #respond(deliver: () => void): void {
    const latencyMs = typeof this.#mode === 'object' ? this.#mode.latencyMs : 0;
    this.#responses = Promise.all([this.#responses, latencyMs > 0 && sleep(latencyMs, null, { ref: false })]).then(
      async () => {
        while (this.#mode === 'hang') await this.#modeChange.promise;
        if (this.#mode !== 'garbage') deliver();
        else if (this.#client.writable) this.#client.write(createGarbage());
      },
    );
  }
}

/** Forwards bytes no faster than the receiver reads them. */
function forward(bytes: Buffer, source: Socket, target: Socket, onDrain: () => void): void {
  if (!target.writable || target.write(bytes)) return;
  source.pause();
  target.once('drain', onDrain);
}

const createGarbage = () => Buffer.concat([Buffer.of(0xff), randomBytes(63)]);

/**
 * The behaviour of connections, both open and new:
 *
 * - `pass`: bytes are forwarded in both directions;
 * - `down`: new connections are refused, as if no server were listening, and open ones are closed;
 * - `hang`: connections are accepted and kept open, but nothing is forwarded until the mode changes;
 * - `reset`: connections are closed with a TCP reset;
 * - `garbage`: the client receives random bytes immediately, and again in place of each response. The server receives
 *   nothing. The first byte is 0xFF, which no protocol uses to start a response. Connections are closed when the mode
 *   changes;
 * - `latencyMs`: responses are delayed by this time.
 */
export type FaultMode = 'pass' | 'down' | 'hang' | 'reset' | 'garbage' | { latencyMs: number };
