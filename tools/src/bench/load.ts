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
  const nextRequest = createRequests(address, request);
  const connections = await Promise.all(Array.from({ length: callers }, () => Connection.open(address)));
  const expectedStatus = request.status ?? 200;
  const sendWhile = (connection: Connection, shouldContinue: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const send = (): void => {
        if (shouldContinue()) connection.send(nextRequest(), onResponse, reject);
        else resolve();
      };
      const onResponse = (status: number): void => {
        if (status === expectedStatus) send();
        else reject(new Error(`${request.method ?? 'GET'} ${request.path}: ${status} instead of ${expectedStatus}`));
      };
      send();
    });
  const createCountdown = (count: number) => () => count-- > 0;
  await Promise.all(connections.map((connection) => sendWhile(connection, createCountdown(1))));
  return {
    run: async (ms) => {
      let requests = 0;
      const deadline = performance.now() + ms;
      const shouldSendNext = (): boolean => performance.now() < deadline && ++requests > 0;
      await Promise.all(connections.map((connection) => sendWhile(connection, shouldSendNext)));
      return requests;
    },
    send: async (count) => {
      const [connection] = connections;
      if (connection) await sendWhile(connection, createCountdown(count));
    },
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
};
