import { Connection, createRequests, type BenchRequest } from './connection.ts';

/** The callers of a server, each with its own connection, which send one kind of request. */
export interface Load {
  /**
   * Lets each caller send its next request after each response, for `ms` milliseconds. Returns the number of requests.
   */
  readonly run: (ms: number) => Promise<number>;
  /** Lets only the first caller send `count` requests, sequentially. */
  readonly send: (count: number) => Promise<void>;
  readonly close: () => void;
}

/**
 * Opens the connections and uses each of them once. The returned functions reject on any status except the expected
 * one.
 */
export const openLoad = async (address: string, request: BenchRequest, callers: number): Promise<Load> => {
  const next = createRequests(address, request);
  const connections = await Promise.all(Array.from({ length: callers }, () => Connection.open(address)));
  const expectedStatus = request.status ?? 200;
  const loop = (connection: Connection, shouldContinue: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const send = (): void => {
        if (shouldContinue()) connection.send(next(), onResponse, reject);
        else resolve();
      };
      const onResponse = (status: number): void => {
        if (status === expectedStatus) send();
        else reject(new Error(`${request.method ?? 'GET'} ${request.path}: ${status} instead of ${expectedStatus}`));
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
