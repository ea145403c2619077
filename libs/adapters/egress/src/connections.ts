import type { CheckedRequest } from './checked-request.ts';
import { Connection } from './connection.ts';
import type { EgressLimits } from './limits.ts';
import type { OpenSocket } from './open-socket.ts';

/** The connections of all origins. An origin without a connection takes no memory. */
export class Connections {
  readonly #openSocket: OpenSocket;
  readonly #limits: EgressLimits;
  readonly #connections = new Set<Connection>();
  /** In the order in which they became idle. */
  readonly #idleConnections = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Connection[]>();

  constructor(openSocket: OpenSocket, limits: EgressLimits) {
    this.#openSocket = openSocket;
    this.#limits = limits;
  }

  /** The number of connections, idle ones included. */
  get size(): number {
    return this.#connections.size;
  }

  /** Returns the connection to the origin that became idle last, or a new one. */
  acquire(request: CheckedRequest): Connection {
    const idleConnection = this.#idleByOrigin.get(request.origin)?.at(-1);
    if (idleConnection) {
      this.#removeFromIdle(idleConnection);
      return idleConnection;
    }
    const connection = new Connection(request, this.#openSocket, this.#limits, (closedConnection) => {
      // Without its socket, an idle connection would open a new one for the next exchange: this only saves memory.
      if (this.#idleConnections.has(closedConnection)) void this.discard(closedConnection);
    });
    this.#connections.add(connection);
    return connection;
  }

  /** Keeps the connection for the next exchange, if its socket is open. */
  release(connection: Connection): void {
    if (!connection.isOpen || !this.#connections.has(connection)) {
      void this.discard(connection);
      return;
    }
    this.#idleConnections.add(connection);
    const idleOfOrigin = this.#idleByOrigin.get(connection.origin);
    if (idleOfOrigin) idleOfOrigin.push(connection);
    else this.#idleByOrigin.set(connection.origin, [connection]);
    const [oldestConnection] = this.#idleConnections;
    if (oldestConnection && this.#idleConnections.size > this.#limits.idleConnectionsMax) {
      void this.discard(oldestConnection);
    }
  }

  async discard(connection: Connection): Promise<void> {
    this.#removeFromIdle(connection);
    this.#connections.delete(connection);
    await connection.destroy();
  }

  async discardAll(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => this.discard(connection)));
  }

  #removeFromIdle(connection: Connection): void {
    if (!this.#idleConnections.delete(connection)) return;
    const idleOfOrigin = (this.#idleByOrigin.get(connection.origin) ?? []).filter((other) => other !== connection);
    if (idleOfOrigin.length > 0) this.#idleByOrigin.set(connection.origin, idleOfOrigin);
    else this.#idleByOrigin.delete(connection.origin);
  }
}
