import { Connection, requestsOf, type BenchRequest } from './connection.ts';
import { quantile } from './statistics.ts';

/** In milliseconds. */
export interface Latencies {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/**
 * Sends requests at a constant rate, however late the answers are, and takes each latency from the moment when its
 * request was due: a stall counts for all that it held up (no coordinated omission). `connections` bounds how many are
 * under way; what is due beyond them waits, and its waiting counts.
 */
export const measureLatencies = async (
  address: string,
  request: BenchRequest,
  { requestsPerSecond, seconds, connections }: { requestsPerSecond: number; seconds: number; connections: number },
): Promise<Latencies> => {
  const next = requestsOf(address, request);
  const wanted = request.status ?? 200;
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(address)));
  const total = Math.max(1, Math.floor(requestsPerSecond * seconds));
  const latencies = new Float64Array(total);
  try {
    await new Promise<void>((resolve, reject) => {
      const free = [...open];
      const start = performance.now();
      let [sent, answered] = [0, 0];
      const dueAt = (number: number): number => start + (number * 1_000) / requestsPerSecond;
      const send = (connection: Connection): void => {
        const number = sent++;
        const done = (status: number): void => {
          latencies[number] = performance.now() - dueAt(number);
          if (status !== wanted) return reject(new Error(`${request.path}: ${status} instead of ${wanted}`));
          free.push(connection);
          if (++answered === total) resolve();
          else sendWhatIsDue();
        };
        connection.send(next(), done, reject);
      };
      const sendWhatIsDue = (): void => {
        while (sent < total && performance.now() >= dueAt(sent)) {
          const connection = free.pop();
          if (!connection) return;
          send(connection);
        }
      };
      // A timer is too coarse: it would send in bursts of a millisecond.
      const watch = (): void => {
        if (sent === total) return;
        sendWhatIsDue();
        setImmediate(watch);
      };
      watch();
    });
  } finally {
    for (const connection of open) connection.close();
  }
  latencies.sort();
  return {
    requestsPerSecond,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    p999: quantile(latencies, 0.999),
  };
};
