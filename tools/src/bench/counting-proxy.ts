import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The traffic to a server. */
export interface WireCount {
  /** The number of PostgreSQL statements or Redis commands. */
  readonly messages: number;
  /** The number of times a client sent data after the server's reply on the same connection. */
  readonly roundTrips: number;
}

export interface CountingProxy {
  /** The server's URL through this proxy. */
  readonly url: string;
  /** Returns the traffic since the proxy was started. */
  readonly count: () => WireCount;
  readonly close: () => void;
}

/** Receives the bytes of one connection in order and returns the number of messages that end in these bytes. */
type MessageCounter = (bytes: Buffer) => number;

/** Counts the messages to the PostgreSQL or Redis server at this URL, independently of the driver. */
export const startCountingProxy = async (url: string): Promise<CountingProxy> => {
  const { hostname, port, protocol } = new URL(url);
  const createCounter = protocol.startsWith('redis') ? createRedisCounter : createPostgresCounter;
  let [messages, roundTrips] = [0, 0];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const countMessages = createCounter();
    let isIdle = true;
    client.on('data', (bytes: Buffer) => {
      messages += countMessages(bytes);
      if (isIdle) roundTrips++;
      isIdle = false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      isIdle = true;
      client.write(bytes);
    });
    for (const [socket, peer] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxyUrl = new URL(url);
  proxyUrl.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: proxyUrl.href,
    count: () => ({ messages, roundTrips }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

/**
 * Counts the Execute (E) and simple Query (Q) messages of the frontend/backend protocol, version 3, in which the first
 * message has no type.
 */
const createPostgresCounter = (): MessageCounter => {
  let pendingBytes: Buffer = Buffer.alloc(0);
  let hasStarted = false;
  return (bytes) => {
    pendingBytes = pendingBytes.length === 0 ? bytes : Buffer.concat([pendingBytes, bytes]);
    let statements = 0;
    for (;;) {
      const typeLength = hasStarted ? 1 : 0;
      if (pendingBytes.length < typeLength + 4) return statements;
      const length = typeLength + pendingBytes.readInt32BE(typeLength);
      if (pendingBytes.length < length) return statements;
      const type = hasStarted ? String.fromCharCode(pendingBytes[0] ?? 0) : '';
      if (type === 'E' || type === 'Q') statements++;
      hasStarted = true;
      pendingBytes = pendingBytes.subarray(length);
    }
  };
};

/**
 * Counts commands, which are arrays of bulk strings such as `*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`. Clients write each in one
 * chunk.
 */
const createRedisCounter = (): MessageCounter => (bytes) =>
  bytes.toString('latin1').match(/(?<=^|\r\n)\*\d+(?=\r\n\$)/g)?.length ?? 0;
