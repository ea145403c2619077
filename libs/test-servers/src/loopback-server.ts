import { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { findFreePort } from './free-port.ts';
import type { ServerControl } from './server-process.ts';

const bindAttemptsMax = 10;

/** A server in the test's process, on a port of 127.0.0.1 that does not change between stops and starts. */
export class LoopbackServer implements ServerControl {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #gate = Promise.withResolvers<void>();

  private constructor(server: Server) {
    this.#server = server;
    this.#gate.resolve();
    // Otherwise a test that computes for seconds would use an idle connection just as it is being closed.
    if (server instanceof HttpServer) server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Starts a server that is not listening yet. */
  static async start(server: Server): Promise<LoopbackServer> {
    const loopback = new LoopbackServer(server);
    for (let attempt = 1; ; attempt++) {
      loopback.#port = await findFreePort();
      try {
        await loopback.start();
        return loopback;
      } catch (error) {
        if (attempt === bindAttemptsMax) throw error;
      }
    }
  }

  get port(): number {
    return this.#port;
  }

  /** A promise that is pending while the server is paused. A server awaits it before each response. */
  get resumed(): Promise<void> {
    return this.#gate.promise;
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  /** Stops listening and breaks all connections, regardless of the requested mode. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async pause(): Promise<void> {
    this.#gate = Promise.withResolvers<void>();
  }

  async resume(): Promise<void> {
    this.#gate.resolve();
  }
}
