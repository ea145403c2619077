import { createOutage, settlesWithin, tick, type Log, type Outage } from '@portico/dependencies';
import type { Probe } from '@portico/domain';
import { Redis, ReplyError } from 'ioredis';
import { problemOf } from './connection-problem.ts';
import { readRedisUrl, type RedisAddress } from './redis-address.ts';
import { readServerFacts, serverWarnings } from './server-facts.ts';

/** A command times out after this; if a PING then times out too, Redis is away. */
export const commandTimeoutMs = 200;
/** For connecting, and again for signing in. */
export const connectTimeoutMs = 2_000;
/** How long a closed connection may take to end. */
const disconnectTimeoutMs = 200;
/** Backoff before each reconnect: doubles from the minimum to the maximum, plus a random quarter at most. */
export const backOffMinMs = 1_000;
export const backOffMaxMs = 16_000;

/** A key that is set and expires at once, to see whether a server accepts writes. */
const writeKey = 'portico:write:1';

/** The longest part of a server's message that is logged. */
const reasonCharsMax = 200;
const connectionClosed = 'the connection was closed';

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with user and password if needed. */
  readonly url: string;
  /** Never receives a password. */
  readonly log: Log;
  /** Default: 200 ms. For tests on busy machines. */
  readonly timeoutMs?: number;
}

/** Redis did not answer, or is known to be away. The message says why, without a password. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Redis refused a command (out of memory, read-only, not allowed). */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
}

/** One connection, shared by everything that uses Redis. */
export interface RedisConnection {
  /** For setting up the connection; send commands with `ask`. */
  readonly client: Redis;
  readonly probe: Probe;
  /**
   * Sends commands; those of one turn of the event loop leave together. Throws `RedisAway` at once while Redis is known
   * to be away, and after 200 ms without a reply; one that arrived while this process stalled is in time. Throws `RedisRefusal` if Redis
   * replies with an error. Any other error of `question` (a reply that makes no sense) is taken as a sign that the
   * connection is out of step.
   */
  ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Connects to Redis (6.2 or newer). Resolves once it is connected or known to be away. While it is away, retries for
 * ever, with a backoff that grows from 1 to 20 s.
 */
export const openRedis = async (options: RedisConnectionOptions): Promise<RedisConnection> => {
  const connection = new Connection(options);
  await connection.opened;
  return connection;
};

/** Milliseconds before that attempt, counted from 1; `chance` is between 0 and 1. */
export const backOffMs = (attempt: number, chance: number): number =>
  Math.round(Math.min(backOffMaxMs, backOffMinMs * 2 ** (attempt - 1)) * (1 + chance / 4));

/** `late`: a reply is overdue, commands are still sent; `doubted`: a reply made no sense, they are not. PING decides. */
type State = 'opening' | 'here' | 'late' | 'doubted' | 'away' | 'closed';

/** The reply did not come in time. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

class Connection implements RedisConnection {
  readonly client: Redis;
  readonly probe: Probe;
  readonly opened: Promise<void>;
  readonly #address: RedisAddress;
  readonly #log: Log;
  readonly #outage: Outage;
  readonly #timeoutMs: number;
  readonly #toldWarnings = new Set<string>();
  readonly #toldRefusals = new Set<string>();
  readonly #noteOpened: () => void;
  #state: State = 'opening';
  /** Whether it refused a write: a primary that became a replica. */
  #wasReplica = false;
  #signInLimit: NodeJS.Timeout | null = null;
  #attempts = 0;
  #lastProblem = connectionClosed;
  #gathering = false;

  constructor({ url, log, timeoutMs = commandTimeoutMs }: RedisConnectionOptions) {
    this.#address = readRedisUrl(url);
    this.#log = log;
    this.#outage = createOutage(log, { back: `Redis at ${this.#address.label} is back` });
    this.#timeoutMs = timeoutMs;
    ({ promise: this.opened, resolve: this.#noteOpened } = Promise.withResolvers<void>());
    this.probe = { name: 'redis', essential: false, check: () => this.#check() };
    this.client = connect(this.#address, () => backOffMs(++this.#attempts, Math.random()));
    this.client.on('connect', () => this.#signIn());
    this.client.on('ready', () => this.#arrived());
    this.client.on('error', (error) => (this.#lastProblem = this.#reasonOf(error)));
    this.client.on('close', () => this.#left());
  }

  async ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> {
    const isAsked = this.#state === 'here' || this.#state === 'late';
    const isOpen = this.client.status === 'ready' && this.client.stream.writable;
    // The server ended the connection and `close` has not fired yet: log it before the caller sees an error.
    if (isAsked && !isOpen) this.#becomeAway('away', this.#lastProblem);
    if (!isAsked || !isOpen) throw this.#away();
    this.#gather();
    try {
      return await this.#answer(question);
    } catch (error) {
      throw this.#judged(error);
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

  /** Returns the reply, or throws `NoAnswer`; a reply after that is ignored. */
  #answer<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new NoAnswer(`it did not answer within ${this.#timeoutMs} ms`));
      const limit = startLimit(this.#timeoutMs, late);
      question(this.client).then(
        (answer) => {
          clearTimeout(limit);
          resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(limit);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Buffers writes until nothing in this turn of the event loop can go on: many commands, one system call. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.client;
    stream.cork();
    void tick.flush().then(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  async #check(): Promise<void> {
    await this.ask((client) => client.ping());
  }

  /** HELLO, AUTH and SELECT are part of connecting, with a timeout of their own. */
  #signIn(): void {
    const { stream } = this.client;
    const reason = `it did not answer the sign-in within ${connectTimeoutMs} ms`;
    this.#signInLimit = startLimit(connectTimeoutMs, () => {
      if (this.#signInLimit) this.#giveUp(stream, reason);
    });
  }

  #endSignIn(): void {
    if (this.#signInLimit) clearTimeout(this.#signInLimit);
    this.#signInLimit = null;
  }

  #arrived(): void {
    this.#endSignIn();
    this.#toldRefusals.clear();
    void this.#examine();
  }

  #becomeHere(): void {
    const isNew = this.#state === 'opening' || this.#state === 'away';
    if (this.#state === 'closed') return;
    this.#outage.end();
    this.#state = 'here';
    this.#attempts = 0;
    this.#noteOpened();
    if (isNew) void this.#inspect();
  }

  #left(): void {
    this.#endSignIn();
    this.#becomeAway('away', this.#lastProblem);
    this.#lastProblem = connectionClosed;
    this.#noteOpened();
  }

  #becomeAway(state: 'late' | 'doubted' | 'away', reason: string): void {
    if (this.#state === 'closed') return;
    this.#outage.begin({ message: `Redis at ${this.#address.label} is away: ${reason}` });
    this.#state = state;
  }

  /**
   * An overdue reply costs only its own command; the others wait for theirs, or for the PING. A limiter that fell back
   * for everybody at once would admit each caller once more because of a moment's delay. After a reply that made no
   * sense, none is trusted.
   */
  #suspect(state: 'late' | 'doubted', reason: string): void {
    // A PING is under way already, or the connection is being closed.
    if (this.#state !== 'here') return;
    this.#becomeAway(state, reason);
    void this.#examine();
  }

  /**
   * Sends a PING. While the server loads its data it refuses PING like any other command; INFO would tell too, but can
   * be forbidden or renamed. A replica answers PING, so after meeting one a write decides.
   */
  async #examine(): Promise<void> {
    const { stream } = this.client;
    try {
      const answer = await this.#answer((client) => client.ping());
      if (answer !== 'PONG') throw new Error('it did not answer PING with PONG');
      if (this.#wasReplica) await this.#write();
      this.#wasReplica = false;
      if (isCurrent(this.client, stream)) this.#becomeHere();
    } catch (error) {
      if (isCurrent(this.client, stream)) this.#giveUp(stream, this.#reasonOf(error));
    }
  }

  /** Throws if it is still a replica. Any other refusal to write is reported when a real write fails. */
  async #write(): Promise<void> {
    try {
      await this.#answer((client) => client.set(writeKey, '', 'PX', 1));
    } catch (error) {
      if (!(error instanceof ReplyError) || isOfReplica(error)) throw error;
    }
  }

  /** Fails all pending commands at once; the client reconnects after a pause. */
  #giveUp(stream: Redis['stream'], reason: string): void {
    this.#lastProblem = reason;
    stream.destroy();
  }

  async #inspect(): Promise<void> {
    try {
      const facts = readServerFacts(await this.#answer((client) => client.info()));
      for (const warning of serverWarnings(facts)) this.#warnOnce(this.#toldWarnings, warning, warning);
    } catch (error) {
      // INFO may be forbidden: then the server stays unknown.
      if (!(error instanceof ReplyError)) this.#judged(error);
    }
  }

  /** Drops the original error, even as a cause: it contains the command's arguments, possibly a password. */
  #judged(error: unknown): Error {
    const reason = this.#reasonOf(error);
    if (isOfReplica(error)) {
      // The address may lead to the new primary by now; this connection never will.
      this.#wasReplica = true;
      this.#becomeAway('away', reason);
      this.#giveUp(this.client.stream, reason);
      return this.#away(reason);
    }
    if (error instanceof ReplyError) {
      const [code = ''] = reason.split(' ', 1);
      this.#warnOnce(this.#toldRefusals, code, `refuses commands: ${reason}`);
      return new RedisRefusal(reason);
    }
    this.#suspect(error instanceof NoAnswer ? 'late' : 'doubted', reason);
    return this.#away(reason);
  }

  #away(reason = 'it is away'): RedisAway {
    return new RedisAway(`Redis at ${this.#address.label} cannot be used: ${reason}`);
  }

  #warnOnce(told: Set<string>, about: string, what: string): void {
    if (this.#state === 'closed' || told.has(about)) return;
    told.add(about);
    this.#log.warn({}, `Redis at ${this.#address.label} ${what}`);
  }

  /** A server that does not know a command repeats its arguments, truncated; one may be the password. */
  #reasonOf(error: unknown): string {
    const { password, tls } = this.#address;
    const text = problemOf(error, tls).replace(/, with args .*$/s, '');
    const shown = password === '' ? text : text.replaceAll(password, '***');
    return shown.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, reasonCharsMax);
  }
}

/** After a stall of this process, timers run before arrived data is read: `late` waits until it was. */
const startLimit = (limitMs: number, late: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(late), limitMs).unref();

const isOfReplica = (error: unknown): boolean =>
  error instanceof ReplyError && /(^|-)READONLY /.test((error as Error).message);

const isCurrent = (client: Redis, stream: Redis['stream']): boolean => client.stream === stream && !stream.destroyed;

const connect = ({ host, port, username, password, db, tls }: RedisAddress, pauseMs: () => number): Redis =>
  new Redis({
    host,
    port,
    username,
    password,
    db,
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED. NODE_EXTRA_CA_CERTS adds a private CA.
    ...(tls ? { tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } } : {}),
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    retryStrategy: pauseMs,
    // Replaced by `#examine`: ioredis sends INFO, and never finishes if that is renamed.
    enableReadyCheck: false,
    // A command fails at once if it cannot be sent, and is never sent twice: it would count twice.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // A command behind a hanging pipeline would wait for it first; `ask` batches commands instead.
    enableAutoPipelining: false,
  });
