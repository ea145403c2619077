import { Redis, type RedisOptions } from 'ioredis';

const reconnectMsMax = 2_000;

/** Reconnects forever. Drops a primary that became a replica, to find its successor. */
const reconnecting = {
  connectTimeout: 5_000,
  disconnectTimeout: 500,
  retryStrategy: (times) => Math.min(reconnectMsMax, 50 * 2 ** Math.min(times, 10)),
  reconnectOnError: (error) => /(^|-)READONLY /.test(error.message),
  // The check sends INFO, and bypasses the log if INFO is forbidden. The producer proves that Redis accepts jobs.
  enableReadyCheck: false,
} satisfies RedisOptions;

/**
 * Creates a connection for offers: a command fails instead of waiting if it cannot be written immediately, or if the
 * connection closes while it is in flight. A server that sends nothing for `socketTimeout` is disconnected, which fails
 * all pending commands.
 */
export const connectForOffers = (url: string): Redis =>
  new Redis(url, {
    ...reconnecting,
    enableOfflineQueue: false,
    // Fails pending commands as soon as the connection closes. Without resending them only, they would stay pending
    // forever.
    maxRetriesPerRequest: 0,
    socketTimeout: 5_000,
  });

/** A connection for a worker. It waits while Redis is unavailable, and tracks its copies to close them. */
export class WorkerConnection extends Redis {
  readonly #copies: Redis[] = [];

  constructor(url: string) {
    // Must exceed the longest command that waits for a job.
    super(url, { ...reconnecting, maxRetriesPerRequest: null, socketTimeout: 15_000 });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    // BullMQ also listens for errors, but stops too early.
    copy.on('error', () => undefined);
    this.#copies.push(copy);
    return copy;
  }

  disconnectAll(): void {
    for (const connection of [this, ...this.#copies]) if (connection.status !== 'end') connection.disconnect();
  }
}

/** Returns the address, without user and password. */
export const addressOf = ({ options: { path, host, port } }: Redis): string => path ?? `${host}:${port}`;

/**
 * Returns the reason to report for an error. The message is empty if a host name with several addresses fails. A server
 * that does not know a command quotes its arguments, and one may be the password.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/, with args .*$/s, '');
  return message || ((error as NodeJS.ErrnoException).code ?? error.name);
};
