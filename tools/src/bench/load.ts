import { Connection, requestsOf, type BenchRequest } from './connection.ts';

/** Callers of a server, each with a connection of its own, that send one kind of request. */
export interface Load {
  /** Each caller sends as soon as it has its answer, for so long; returns how many were answered. */
  readonly run: (ms: number) => Promise<number>;
  /** The first caller alone sends this many, one after the other. */
  readonly send: (count: number) => Promise<void>;
  readonly close: () => void;
}

/** Opens the connections and uses each once. Its functions reject at any status but the expected one. */
export const openLoad = async (address: string, request: BenchRequest, callers: number): Promise<Load> => {
  const next = requestsOf(address, request);
  const connections = await Promise.all(Array.from({ length: callers }, () => Connection.open(address)));
  const wanted = request.status ?? 200;
  const loop = (connection: Connection, more: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const send = (): void => {
        if (more()) connection.send(next(), answered, reject);
        else resolve();
      };
      const answered = (status: number): void => {
        if (status === wanted) send();
        else reject(new Error(`${request.method ?? 'GET'} ${request.path}: ${status} instead of ${wanted}`));
      };
      send();
    });
  const times = (count: number) => () => count-- > 0;
  await Promise.all(connections.map((connection) => loop(connection, times(1))));
  return {
    run: async (ms) => {
      let requests = 0;
      const end = performance.now() + ms;
      const more = (): boolean => performance.now() < end && ++requests > 0;
      await Promise.all(connections.map((connection) => loop(connection, more)));
      return requests;
    },
    send: async (count) => {
      const [connection] = connections;
      if (connection) await loop(connection, times(count));
    },
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
};
