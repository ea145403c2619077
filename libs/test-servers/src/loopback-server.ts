import { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { freePort } from './free-port.ts';
import type { ServerControl } from './server-process.ts';

const bindAttemptsMax = 10;

/** A server inside the test's own process, on a port of 127.0.0.1 that stays the same over stops and starts. */
export class LoopbackServer implements ServerControl {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #gate = Promise.withResolvers<void>();

  private constructor(server: Server) {
    this.#server = server;
    this.#gate.resolve();
    // A test that computes for seconds would find its idle connections closed at the moment it uses them again.
    if (server instanceof HttpServer) server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Takes a server that does not listen yet. */
  static async start(server: Server): Promise<LoopbackServer> {
    const loopback = new LoopbackServer(server);
    for (let attempt = 1; ; attempt++) {
      loopback.#port = await freePort();
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

  /** A server awaits this before each answer; pending while the server is paused. */
  get awake(): Promise<void> {
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

  /** Breaks connections, in either mode. */
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
