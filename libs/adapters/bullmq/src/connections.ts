import { Redis, type RedisOptions } from 'ioredis';

const reconnectMsMax = 2_000;

/**
 * Options for reconnecting indefinitely. A connection to a primary that became a replica is closed, to find the new
 * primary.
 */
const reconnectOptions = {
  connectTimeout: 5_000,
  disconnectTimeout: 500,
  retryStrategy: (times) => Math.min(reconnectMsMax, 50 * 2 ** Math.min(times, 10)),
  reconnectOnError: (error) => /(^|-)READONLY /.test(error.message),
  // The ready check sends INFO, and prints to the console instead of our log if INFO is forbidden. The producer itself
  // proves that Redis accepts jobs.
  enableReadyCheck: false,
} satisfies RedisOptions;

/**
 * Creates a connection for offers. A command fails instead of waiting if it cannot be written immediately, or if the
 * connection closes while the command is in flight. If the server sends nothing for `socketTimeout`, the connection is
 * closed, which fails all pending commands.
 */
export const connectProducer = (url: string): Redis =>
  new Redis(url, {
    ...reconnectOptions,
    enableOfflineQueue: false,
    // Rejects pending commands as soon as the connection closes. Merely turning off resending would leave them pending
    // forever.
    maxRetriesPerRequest: 0,
    socketTimeout: 5_000,
  });

/**
 * A connection for a worker. Waits while Redis is unavailable, and keeps track of its duplicates so that it can close
 * them.
 */
export class WorkerConnection extends Redis {
  readonly #duplicates: Redis[] = [];

  constructor(url: string) {
    // The socket timeout must be longer than the longest command that waits for a job.
    super(url, { ...reconnectOptions, maxRetriesPerRequest: null, socketTimeout: 15_000 });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const duplicate = super.duplicate(override);
    // BullMQ also listens for errors, but removes its listener too early.
    duplicate.on('error', () => undefined);
    this.#duplicates.push(duplicate);
    return duplicate;
  }

  disconnectAll(): void {
    for (const connection of [this, ...this.#duplicates]) if (connection.status !== 'end') connection.disconnect();
  }
}

/** Returns the address without the user name and password. */
export const addressOf = ({ options: { path, host, port } }: Redis): string => path ?? `${host}:${port}`;

/**
 * Returns the reason to log for an error. Node's message is empty if connecting to a host name with several addresses
 * fails. For an unknown command, the server's message quotes the arguments, which may include the password.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/, with args .*$/s, '');
  return message || ((error as NodeJS.ErrnoException).code ?? error.name);
};
