import { Redis, type RedisOptions } from 'ioredis';

const reconnectMsMax = 2_000;

/** Reconnects for ever; drops a primary that became a replica, to find its successor. */
const persistent = {
  connectTimeout: 5_000,
  disconnectTimeout: 500,
  retryStrategy: (times) => Math.min(reconnectMsMax, 50 * 2 ** Math.min(times, 10)),
  reconnectOnError: (error) => /(^|-)READONLY /.test(error.message),
  // It sends INFO, and writes past the log if the user may not. The producer proves that Redis takes jobs.
  enableReadyCheck: false,
} satisfies RedisOptions;

/**
 * A connection for offers: a command that cannot be written at once, or is under way when the connection ends, fails
 * instead of waiting. A server that sends nothing for this long is disconnected, which fails all pending commands.
 */
export const connectForOffers = (url: string): Redis =>
  new Redis(url, {
    ...persistent,
    enableOfflineQueue: false,
    // Fails pending commands as soon as the connection ends; merely not resending them would leave them pending for
    // ever.
    maxRetriesPerRequest: 0,
    socketTimeout: 5_000,
  });

/** A connection for a worker, which waits for as long as Redis is away. It tracks its copies to close them. */
export class WorkerConnection extends Redis {
  readonly #copies: Redis[] = [];

  constructor(url: string) {
    // Must exceed the longest command that waits for a job.
    super(url, { ...persistent, maxRetriesPerRequest: null, socketTimeout: 15_000 });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    // BullMQ listens for errors too, but not until the end.
    copy.on('error', () => undefined);
    this.#copies.push(copy);
    return copy;
  }

  disconnectAll(): void {
    for (const connection of [this, ...this.#copies]) if (connection.status !== 'end') connection.disconnect();
  }
}

/** The address, without user and password. */
export const placeOf = ({ options: { path, host, port } }: Redis): string => path ?? `${host}:${port}`;

/**
 * The reason to report for an error; its message is empty if a name with several addresses fails. A server that does
 * not know a command repeats its arguments, and one may be the password.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/, with args .*$/s, '');
  return message || ((error as NodeJS.ErrnoException).code ?? error.name);
};
