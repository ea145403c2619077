import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What went through to a server. */
export interface WireCount {
  /** Statements of PostgreSQL, or commands of Redis. */
  readonly messages: number;
  /** How often somebody sent after the server had answered on the same connection. */
  readonly roundTrips: number;
}

export interface CountingProxy {
  /** The server's address, but through this proxy. */
  readonly url: string;
  /** Since it was started. */
  readonly count: () => WireCount;
  readonly close: () => void;
}

/** Takes the bytes of one connection as they come, and returns how many messages have ended in them. */
type MessageCounter = (bytes: Buffer) => number;

/** Counts what clients send to the PostgreSQL or Redis at this address, whatever driver they use. */
export const startCountingProxy = async (url: string): Promise<CountingProxy> => {
  const { hostname, port, protocol } = new URL(url);
  const newCounter = protocol.startsWith('redis') ? redisCommands : postgresStatements;
  let [messages, roundTrips] = [0, 0];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const countMessages = newCounter();
    let answered = true;
    client.on('data', (bytes: Buffer) => {
      messages += countMessages(bytes);
      if (answered) roundTrips++;
      answered = false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      answered = true;
      client.write(bytes);
    });
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    count: () => ({ messages, roundTrips }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** Execute (E) and simple queries (Q) of the frontend's protocol, version 3; the first message has no type. */
const postgresStatements = (): MessageCounter => {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let statements = 0;
    for (;;) {
      const typeLength = started ? 1 : 0;
      if (rest.length < typeLength + 4) return statements;
      const length = typeLength + rest.readInt32BE(typeLength);
      if (rest.length < length) return statements;
      const type = started ? String.fromCharCode(rest[0] ?? 0) : '';
      if (type === 'E' || type === 'Q') statements++;
      started = true;
      rest = rest.subarray(length);
    }
  };
};

/** Commands are arrays of bulk strings, `*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`, and clients write each of them at once. */
const redisCommands = (): MessageCounter => (bytes) =>
  bytes.toString('latin1').match(/(?<=^|\r\n)\*\d+(?=\r\n\$)/g)?.length ?? 0;
