import { Redis, type RedisOptions } from 'ioredis';

const reconnectMsMax = 2_000;

/** Connects again and again, however long it takes; a primary that became a replica is left for its successor. */
const persistent = {
  connectTimeout: 5_000,
  disconnectTimeout: 500,
  retryStrategy: (times) => Math.min(reconnectMsMax, 50 * 2 ** Math.min(times, 10)),
  reconnectOnError: (error) => /(^|-)READONLY /.test(error.message),
} satisfies RedisOptions;

/**
 * A connection for those who offer: what cannot be written at once, or is under way when the connection ends, fails instead of
 * waiting. A server that leaves an answer out for so long is given up, and with it everything that waits for its answers.
 */
export const connectForOffers = (url: string): Redis =>
  new Redis(url, {
    ...persistent,
    enableOfflineQueue: false,
    // Fails what is under way as soon as the connection ends. Merely not to send it again would leave it without any answer.
    maxRetriesPerRequest: 0,
    socketTimeout: 5_000,
  });

/** A connection for a worker, which waits for as long as its server is away. It knows its copies, so that it can end them. */
export class WorkerConnection extends Redis {
  readonly #copies: Redis[] = [];

  constructor(url: string) {
    // The silence has to outlast the longest command that waits for a job.
    super(url, { ...persistent, maxRetriesPerRequest: null, socketTimeout: 15_000 });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    // Whoever asked for the copy listens too, but not to its end.
    copy.on('error', () => undefined);
    this.#copies.push(copy);
    return copy;
  }

  disconnectAll(): void {
    for (const connection of [this, ...this.#copies]) if (connection.status !== 'end') connection.disconnect();
  }
}

/** Where it leads to, without user and password. */
export const placeOf = ({ options: { path, host, port } }: Redis): string => path ?? `${host}:${port}`;

/**
 * What is said of an error; a name that stands for several addresses leaves the message empty. A server that does not know
 * a command repeats its arguments, and the password may be one.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/, with args .*$/s, '');
  return message || ((error as NodeJS.ErrnoException).code ?? error.name);
};
