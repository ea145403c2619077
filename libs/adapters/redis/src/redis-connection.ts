import { createOutage, settlesWithin, tick, type Log, type Outage } from '@portico/dependencies';
import type { Probe } from '@portico/domain';
import { Redis, ReplyError } from 'ioredis';
import { problemOf } from './connection-problem.ts';
import { readRedisUrl, type RedisAddress } from './redis-address.ts';
import { parseServerInfo, listServerWarnings } from './server-info.ts';

/** The timeout of a command. If a subsequent PING also times out, Redis is considered unavailable. */
export const commandTimeoutMs = 200;
/** The timeout for connecting, and separately for signing in. */
export const connectTimeoutMs = 2_000;
/** The timeout for closing a connection. */
const disconnectTimeoutMs = 200;
/**
 * The backoff before a reconnect. It doubles from the minimum to the maximum, plus a random addition of up to a
 * quarter.
 */
export const backOffMinMs = 1_000;
export const backOffMaxMs = 16_000;

/** A key that is set to check whether a server accepts writes. It expires immediately. */
const writeKey = 'portico:write:1';

/** The maximum length of a reason. Longer messages from a server are truncated. */
const reasonCharsMax = 200;
const connectionClosed = 'the connection was closed';

export interface RedisConnectionOptions {
  /** A `redis://` or `rediss://` URL, with the user name and password if needed. */
  readonly url: string;
  /** The log, which never receives a password. */
  readonly log: Log;
  /** The timeout of a command: 200 ms by default, longer in tests on busy machines. */
  readonly timeoutMs?: number;
}

/** Redis did not reply, or is known to be unavailable. The message contains the reason, but no password. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

/** Redis rejected a command (out of memory, read-only, not allowed). */
export class RedisReplyError extends Error {
  override readonly name = 'RedisReplyError';
}

/** A connection that is shared by everything that uses Redis. */
export interface RedisConnection {
  /** The client, only for setting up the connection. Use `run` to send commands. */
  readonly client: Redis;
  readonly probe: Probe;
  /**
   * Sends commands; all commands from one tick of the event loop are sent together. Throws `RedisUnavailable`
   * immediately while Redis is known to be unavailable, and after 200 ms without a reply; a reply that arrived while
   * this process was stalled is accepted. Throws `RedisReplyError` if Redis replies with an error. Any other error from
   * `send` (an implausible reply) means that the connection is out of sync.
   */
  run<Reply>(send: (client: Redis) => Promise<Reply>): Promise<Reply>;
  close(): Promise<void>;
}

/**
 * Connects to Redis (6.2 or newer). Resolves once Redis is connected or known to be unavailable. While Redis is
 * unavailable, retries indefinitely, with a backoff that grows from 1 to 20 s.
 */
export const openRedis = async (options: RedisConnectionOptions): Promise<RedisConnection> => {
  const connection = new Connection(options);
  await connection.opened;
  return connection;
};

/** Returns the pause in milliseconds before an attempt. Attempts are counted from 1; `jitter` is between 0 and 1. */
export const computeBackOffMs = (attempt: number, jitter: number): number =>
  Math.round(Math.min(backOffMaxMs, backOffMinMs * 2 ** (attempt - 1)) * (1 + jitter / 4));

/**
 * The state of the connection. `late`: a reply is overdue, and commands are still sent. `suspect`: a reply was
 * implausible, and no commands are sent. In both, the result of a PING determines the next state.
 */
type State = 'opening' | 'available' | 'late' | 'suspect' | 'unavailable' | 'closed';

/** The reply did not arrive in time. */
class NoReply extends Error {
  override readonly name = 'NoReply';
}

class Connection implements RedisConnection {
  readonly client: Redis;
  readonly probe: Probe;
  readonly opened: Promise<void>;
  readonly #address: RedisAddress;
  readonly #log: Log;
  readonly #outage: Outage;
  readonly #timeoutMs: number;
  readonly #loggedWarnings = new Set<string>();
  readonly #loggedErrors = new Set<string>();
  readonly #resolveOpened: () => void;
  #state: State = 'opening';
  /** Whether the server rejected a write because it is a replica, like a former primary after a failover. */
  #wasReplica = false;
  #signInTimer: NodeJS.Timeout | null = null;
  #attempts = 0;
  #lastProblem = connectionClosed;
  #isCorked = false;

  constructor({ url, log, timeoutMs = commandTimeoutMs }: RedisConnectionOptions) {
    this.#address = readRedisUrl(url);
    this.#log = log;
    this.#outage = createOutage(log, { recoveryMessage: `Redis at ${this.#address.label} is available again` });
    this.#timeoutMs = timeoutMs;
    ({ promise: this.opened, resolve: this.#resolveOpened } = Promise.withResolvers<void>());
    this.probe = { name: 'redis', essential: false, check: () => this.#check() };
    this.client = connect(this.#address, () => computeBackOffMs(++this.#attempts, Math.random()));
    this.client.on('connect', () => this.#signIn());
    this.client.on('ready', () => this.#onReady());
    this.client.on('error', (error) => (this.#lastProblem = this.#reasonOf(error)));
    this.client.on('close', () => this.#onClosed());
  }

  async run<Reply>(send: (client: Redis) => Promise<Reply>): Promise<Reply> {
    const isUsable = this.#state === 'available' || this.#state === 'late';
    const isOpen = this.client.status === 'ready' && this.client.stream.writable;
    // The server closed the connection, but `close` has not been emitted yet: log the outage before the caller sees an
    // error.
    if (isUsable && !isOpen) this.#becomeUnavailable('unavailable', this.#lastProblem);
    if (!isUsable || !isOpen) throw this.#createUnavailableError();
    this.#corkUntilFlush();
    try {
      return await this.#replyTo(send);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    const { stream } = this.client;
    this.client.disconnect();
    if (stream && !stream.destroyed) {
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await settlesWithin(2 * disconnectTimeoutMs, closed);
    }
  }

  /** Returns the reply, or throws `NoReply` after the timeout. A reply that arrives later is ignored. */
  #replyTo<Reply>(send: (client: Redis) => Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onTimeout = () => reject(new NoReply(`it did not respond within ${this.#timeoutMs} ms`));
      const timer = startTimeout(this.#timeoutMs, onTimeout);
      send(this.client).then(
        (reply) => {
          clearTimeout(timer);
          resolve(reply);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Buffers writes until the end of this tick, so that many commands need only one system call. */
  #corkUntilFlush(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.client;
    stream.cork();
    void tick.flush().then(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  async #check(): Promise<void> {
    await this.run((client) => client.ping());
  }

  /** HELLO, AUTH and SELECT are part of connecting, with a separate timeout. */
  #signIn(): void {
    const { stream } = this.client;
    const reason = `it did not respond to the sign-in within ${connectTimeoutMs} ms`;
    this.#signInTimer = startTimeout(connectTimeoutMs, () => {
      if (this.#signInTimer) this.#giveUp(stream, reason);
    });
  }

  #endSignIn(): void {
    if (this.#signInTimer) clearTimeout(this.#signInTimer);
    this.#signInTimer = null;
  }

  #onReady(): void {
    this.#endSignIn();
    this.#loggedErrors.clear();
    void this.#ping();
  }

  #becomeAvailable(): void {
    const isNew = this.#state === 'opening' || this.#state === 'unavailable';
    if (this.#state === 'closed') return;
    this.#outage.end();
    this.#state = 'available';
    this.#attempts = 0;
    this.#resolveOpened();
    if (isNew) void this.#inspect();
  }

  #onClosed(): void {
    this.#endSignIn();
    this.#becomeUnavailable('unavailable', this.#lastProblem);
    this.#lastProblem = connectionClosed;
    this.#resolveOpened();
  }

  #becomeUnavailable(state: 'late' | 'suspect' | 'unavailable', reason: string): void {
    if (this.#state === 'closed') return;
    this.#outage.start({ message: `Redis at ${this.#address.label} is unavailable: ${reason}` });
    this.#state = state;
  }

  /**
   * Sends a PING to check whether Redis is available. An overdue reply fails only its own command; the other commands
   * wait for their replies, or for the PING. If the limiter fell back for all callers immediately, a short delay would
   * admit each caller's limit once more. After an implausible reply, no reply is trusted.
   */
  #suspect(state: 'late' | 'suspect', reason: string): void {
    // A PING is already in flight, or the connection is being closed.
    if (this.#state !== 'available') return;
    this.#becomeUnavailable(state, reason);
    void this.#ping();
  }

  /**
   * Sends a PING. While the server is loading its data, it rejects PING like any other command. INFO would also report
   * loading, but can be forbidden or renamed. A replica responds to PING, so if the server was a replica, it must also
   * accept a write.
   */
  async #ping(): Promise<void> {
    const { stream } = this.client;
    try {
      const reply = await this.#replyTo((client) => client.ping());
      if (reply !== 'PONG') throw new Error('it did not respond to PING with PONG');
      if (this.#wasReplica) await this.#write();
      this.#wasReplica = false;
      if (isCurrent(this.client, stream)) this.#becomeAvailable();
    } catch (error) {
      if (isCurrent(this.client, stream)) this.#giveUp(stream, this.#reasonOf(error));
    }
  }

  /**
   * Throws if the server is still a replica, or does not reply. Any other rejected write is reported when a real
   * write fails.
   */
  async #write(): Promise<void> {
    try {
      await this.#replyTo((client) => client.set(writeKey, '', 'PX', 1));
    } catch (error) {
      if (!(error instanceof ReplyError) || isReplicaError(error)) throw error;
    }
  }

  /** Fails all pending commands immediately. The client reconnects after a pause. */
  #giveUp(stream: Redis['stream'], reason: string): void {
    this.#lastProblem = reason;
    stream.destroy();
  }

  async #inspect(): Promise<void> {
    try {
      const serverInfo = parseServerInfo(await this.#replyTo((client) => client.info()));
      for (const warning of listServerWarnings(serverInfo)) this.#warnOnce(this.#loggedWarnings, warning, warning);
    } catch (error) {
      // INFO may be forbidden. In that case, no warnings can be logged.
      if (!(error instanceof ReplyError)) this.#translate(error);
    }
  }

  /**
   * Converts an error. The original error is not even kept as a cause, because it contains the command's arguments,
   * possibly a password.
   */
  #translate(error: unknown): Error {
    const reason = this.#reasonOf(error);
    if (isReplicaError(error)) {
      // The address may point to the new primary by now, but this connection never will.
      this.#wasReplica = true;
      this.#becomeUnavailable('unavailable', reason);
      this.#giveUp(this.client.stream, reason);
      return this.#createUnavailableError(reason);
    }
    if (error instanceof ReplyError) {
      const [code = ''] = reason.split(' ', 1);
      this.#warnOnce(this.#loggedErrors, code, `rejects commands: ${reason}`);
      return new RedisReplyError(reason);
    }
    this.#suspect(error instanceof NoReply ? 'late' : 'suspect', reason);
    return this.#createUnavailableError(reason);
  }

  #createUnavailableError(reason = 'it is unavailable'): RedisUnavailable {
    return new RedisUnavailable(`Redis at ${this.#address.label} cannot be used: ${reason}`);
  }

  #warnOnce(loggedKeys: Set<string>, key: string, message: string): void {
    if (this.#state === 'closed' || loggedKeys.has(key)) return;
    loggedKeys.add(key);
    this.#log.warn({}, `Redis at ${this.#address.label} ${message}`);
  }

  /**
   * Returns the reason to log. For an unknown command, the server quotes the truncated arguments, which may include the
   * password.
   */
  #reasonOf(error: unknown): string {
    const { password, tls } = this.#address;
    const text = problemOf(error, tls).replace(/, with args .*$/s, '');
    const redactedText = password === '' ? text : text.replaceAll(password, '***');
    return redactedText.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, reasonCharsMax);
  }
}

/**
 * Starts a timeout. After this process has stalled, timers run before received data is read, so `onTimeout` is called only
 * after reading.
 */
const startTimeout = (timeoutMs: number, onTimeout: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(onTimeout), timeoutMs).unref();

const isReplicaError = (error: unknown): boolean =>
  error instanceof ReplyError && /(^|-)READONLY /.test((error as Error).message);

const isCurrent = (client: Redis, stream: Redis['stream']): boolean => client.stream === stream && !stream.destroyed;

const connect = ({ host, port, username, password, db, tls }: RedisAddress, computePauseMs: () => number): Redis =>
  new Redis({
    host,
    port,
    username,
    password,
    db,
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED. Use NODE_EXTRA_CA_CERTS to add a private CA.
    ...(tls ? { tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } } : {}),
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    retryStrategy: computePauseMs,
    // Replaced by `#ping`: ioredis sends INFO, and never becomes ready if INFO is renamed.
    enableReadyCheck: false,
    // A command fails immediately if it cannot be sent, and is never sent twice, because it would be counted twice.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // With pipelining, a command would have to wait for a hanging pipeline. `run` batches commands instead.
    enableAutoPipelining: false,
  });
