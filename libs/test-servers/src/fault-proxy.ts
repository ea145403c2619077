import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type FaultMode, FaultyConnection } from './faulty-connection.ts';
import { findFreePort } from './free-port.ts';

const bindAttemptsMax = 10;

/** Starts a TCP proxy on 127.0.0.1 in front of a server, in the mode `pass`, which can be changed while it runs. */
export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  for (let attempt = 1; ; attempt++) {
    const proxy = new FaultProxy(target, await findFreePort());
    try {
      await proxy.set('pass');
      return proxy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === bindAttemptsMax) throw error;
    }
  }
}

export class FaultProxy {
  readonly host = '127.0.0.1';
  /** The port that the proxy listens on. It never changes. */
  readonly port: number;
  #target: { host: string; port: number };
  #mode: FaultMode = 'down';
  #listener: Server | null = null;
  #connections = new Set<FaultyConnection>();

  constructor(target: { host: string; port: number }, port: number) {
    this.#target = target;
    this.port = port;
  }

  /** The number of open client connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Returns the server's URL with the host and port of this proxy. */
  rewriteUrl(url: string): string {
    const address = new URL(url);
    address.hostname = this.host;
    address.port = String(this.port);
    return address.href;
  }

  /** Sets the mode. Once the promise resolves, the mode also applies to open connections. */
  async set(mode: FaultMode): Promise<void> {
    this.#mode = mode;
    for (const connection of this.#connections) connection.set(mode);
    if (mode === 'down') await this.#stopListening();
    else await this.#listen();
  }

  /** Closes the open connections. New ones are handled according to the mode. */
  dropAll(): void {
    for (const connection of this.#connections) connection.end();
  }

  async close(): Promise<void> {
    await this.set('down');
  }

  async #listen(): Promise<void> {
    if (this.#listener) return;
    const listener = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    listener.listen(this.port, this.host);
    await once(listener, 'listening');
    this.#listener = listener;
  }

  async #stopListening(): Promise<void> {
    const listener = this.#listener;
    if (!listener) return;
    this.#listener = null;
    const closeEvent = once(listener, 'close');
    listener.close();
    await closeEvent;
  }

  #accept(client: Socket): void {
    const connection = new FaultyConnection(client, this.#target, this.#mode);
    this.#connections.add(connection);
    client.once('close', () => this.#connections.delete(connection));
  }
}
