import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { sleep } from './real-time.ts';

/** One client connection through the proxy; the server is dialled once bytes may pass. */
export class FaultyConnection {
  #client: Socket;
  #server: Socket | null = null;
  #target: { host: string; port: number };
  #mode: FaultMode;
  /** The answers on their way to the client, in order. */
  #answers: Promise<unknown> = Promise.resolve();
  #modeLeft = Promise.withResolvers<void>();

  constructor(client: Socket, target: { host: string; port: number }, mode: FaultMode) {
    this.#client = client;
    this.#target = target;
    this.#mode = mode;
    client.on('error', () => client.destroy());
    client.on('close', () => this.#server?.destroy());
    client.on('data', (bytes) => {
      if (this.#mode === 'garbage') client.write(garbage());
      else if (this.#server) forward(bytes, client, this.#server, () => this.#flow());
    });
    client.on('end', () => (this.#server ?? client).end());
    this.#apply();
  }

  set(mode: FaultMode): void {
    const left = this.#mode;
    this.#mode = mode;
    this.#modeLeft.resolve();
    this.#modeLeft = Promise.withResolvers();
    if (left === 'garbage' && mode !== 'garbage') this.end();
    else this.#apply();
  }

  end(): void {
    this.#client.destroy();
  }

  #apply(): void {
    if (this.#mode === 'down') this.#client.destroy();
    else if (this.#mode === 'reset') this.#client.resetAndDestroy();
    else if (this.#mode === 'garbage') this.#client.write(garbage());
    else if (this.#mode !== 'hang') this.#server ??= this.#dial();
    this.#flow();
  }

  /** Backpressure: what a peer sends to a socket that is not read waits in the system's buffers. */
  #flow(): void {
    for (const socket of [this.#client, this.#server]) {
      if (this.#mode === 'hang') socket?.pause();
      else socket?.resume();
    }
  }

  /** If the server refuses, the client's connection is ended at once. */
  #dial(): Socket {
    const server = connect({ ...this.#target, allowHalfOpen: true });
    server.on('error', () => server.destroy());
    server.on('close', () => this.#answer(() => this.#client.destroy()));
    server.on('data', (bytes) => this.#answer(() => forward(bytes, server, this.#client, () => this.#flow())));
    server.on('end', () => this.#answer(() => this.#client.end()));
    return server;
  }

  #answer(deliver: () => void): void {
    const latencyMs = typeof this.#mode === 'object' ? this.#mode.latencyMs : 0;
    this.#answers = Promise.all([this.#answers, latencyMs > 0 && sleep(latencyMs, null, { ref: false })]).then(
      async () => {
        while (this.#mode === 'hang') await this.#modeLeft.promise;
        if (this.#mode !== 'garbage') deliver();
        else if (this.#client.writable) this.#client.write(garbage());
      },
    );
  }
}

/** Forwards no faster than the receiver reads. */
function forward(bytes: Buffer, from: Socket, to: Socket, flow: () => void): void {
  if (!to.writable || to.write(bytes)) return;
  from.pause();
  to.once('drain', flow);
}

const garbage = () => Buffer.concat([Buffer.of(0xff), randomBytes(63)]);

/**
 * What happens to connections, both open and new ones:
 *
 * - `pass`: bytes go both ways;
 * - `down`: refused, as if no server listens; open ones are ended;
 * - `hang`: accepted and kept open, but not a byte goes either way; what was sent arrives once the mode is left;
 * - `reset`: ended by a TCP reset;
 * - `garbage`: the client reads random bytes at once and instead of each answer (the first is 0xFF, which starts no
 *   protocol's answer), the server reads nothing; ended when the mode is left;
 * - `latencyMs`: answers are delayed by this time.
 */
export type FaultMode = 'pass' | 'down' | 'hang' | 'reset' | 'garbage' | { latencyMs: number };
