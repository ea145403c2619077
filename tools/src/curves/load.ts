import { Agent, request as ask } from 'node:http';
import { quantile } from './quantiles.ts';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The answer was no success. */
export class RefusedCall extends Error {}

export interface Load {
  /** How many were sent. */
  readonly calls: number;
  /** Milliseconds until the whole answer was there. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly perSecond: number;
  /** Of the body of the last answer. */
  readonly bytes: number;
}

export interface Callers {
  readonly calls: number;
  /** Each sends one call after another. */
  readonly connections: number;
  /** No call begins later than this after the first. */
  readonly longestMs?: number;
}

/** Sends the calls; throws on an answer that is no success. */
export const load = async (
  address: string,
  { calls, connections, longestMs = Infinity }: Callers,
  callAt: (at: number) => Call,
): Promise<Load> => {
  const connection = openConnections(address, connections);
  const times: number[] = [];
  let [next, bytes] = [0, 0];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < calls && performance.now() - start < longestMs) {
        const from = performance.now();
        bytes = (await connection.send(callAt(next++))).length;
        times.push(performance.now() - from);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  connection.close();
  return {
    calls: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    longest: quantile(times, 1),
    perSecond: times.length / seconds,
    bytes,
  };
};

/** Repeats a call that is refused, as while an index is read; returns the milliseconds until its first success. */
export const untilAnswered = async (address: string, call: Call): Promise<number> => {
  const start = performance.now();
  for (;;) {
    try {
      await load(address, { calls: 1, connections: 1 }, () => call);
      return performance.now() - start;
    } catch (error) {
      if (!(error instanceof RefusedCall) || performance.now() - start > longestReadingMs) throw error;
    }
  }
};

const longestReadingMs = 120_000;

export interface Connections {
  /** Resolves to the body. */
  readonly send: (call: Call) => Promise<Buffer>;
  readonly close: () => void;
}

/** Connections that stay open between calls. */
export const openConnections = (address: string, most: number): Connections => {
  const agent = new Agent({ keepAlive: true, maxSockets: most });
  return {
    send: ({ method = 'GET', path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const sent = ask(`${address}${path}`, { method, agent, headers: { ...headers, ...length } }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const status = response.statusCode ?? 0;
            const received = Buffer.concat(parts);
            if (status >= 200 && status < 300) resolve(received);
            else reject(new RefusedCall(`${method} ${path} returned ${status}: ${received.toString().slice(0, 500)}`));
          });
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
};
