import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import type { Probe } from '@portico/domain';
import { Redis, ReplyError } from 'ioredis';
import { problemOf } from './connection-problem.ts';
import { readRedisUrl, type RedisAddress } from './redis-address.ts';
import { RunningTimeLimits, type RunningTimeLimit } from './running-time-limits.ts';
import { readServerFacts, serverWarnings } from './server-facts.ts';

/** A command that was not answered in this time failed; where a PING is not answered in it either, Redis is away. */
export const commandTimeoutMs = 200;
/** For the connection, and once more for the sign-in. */
export const connectTimeoutMs = 2_000;
/** How long a connection that is closed may take to end. */
const disconnectTimeoutMs = 200;
/** Pause before each attempt to connect again; it doubles from the one to the other, and is up to a quarter longer by chance. */
export const backOffMinMs = 1_000;
export const backOffMaxMs = 16_000;

/** What is set, and is gone at once, to see whether a server takes what is written. */
const writeKey = 'portico:write:1';

/** How much of a server's message is shown. */
const reasonCharsMax = 200;
const connectionClosed = 'the connection was closed';

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with user and password where there are any. */
  readonly url: string;
  /** Never shown a password. */
  readonly log: Log;
  /** Else 200 ms. For tests on machines that are too busy for it. */
  readonly timeoutMs?: number;
}

/** Redis did not answer, or cannot be asked now. The message says why, without a password. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Redis answered that it will not do this (no memory left, read-only, not allowed). */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
}

/** One connection, shared by all that asks Redis. */
export interface RedisConnection {
  /** For what has to be set up on the connection; commands are sent by `ask`. */
  readonly client: Redis;
  readonly probe: Probe;
  /**
   * Sends commands; those of one turn of the event loop leave together. Throws `RedisAway` at once while Redis is known
   * to be away, and after 200 ms where it did not answer, not counting those in which this process stood still itself;
   * `RedisRefusal` where it answered an error. Whatever else the question throws (an answer that cannot be understood) is
   * taken as a sign that the connection is out of step.
   */
  ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Connects to Redis (6.2 or newer). Resolves once it is connected, or once it is seen to be away: then the connection is
 * tried again for ever, in pauses that grow from 1 to 20 s.
 */
export const openRedis = async (options: RedisConnectionOptions): Promise<RedisConnection> => {
  const connection = new Connection(options);
  await connection.opened;
  return connection;
};

/** Milliseconds before the attempt with that number, counted from 1; `chance` is from 0 to 1. */
export const backOffMs = (attempt: number, chance: number): number =>
  Math.round(Math.min(backOffMaxMs, backOffMinMs * 2 ** (attempt - 1)) * (1 + chance / 4));

/** `late`: an answer is overdue, and it is asked on; `doubted`: an answer made no sense, and it is not. A PING decides both. */
type State = 'opening' | 'here' | 'late' | 'doubted' | 'away' | 'closed';

/** Nothing was answered in time. */
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
  readonly #limits = new RunningTimeLimits();
  readonly #toldWarnings = new Set<string>();
  readonly #toldRefusals = new Set<string>();
  readonly #noteOpened: () => void;
  #state: State = 'opening';
  /** Whether it refused to write: a primary that became a replica. */
  #wasReplica = false;
  #signInLimit: RunningTimeLimit | null = null;
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
    // The other side has ended the connection, and `close` is about to say so: whoever is refused now learns of it here.
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

  /** The answer, or `NoAnswer`: one that comes after that is not looked at any more. */
  #answer<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new NoAnswer(`it did not answer within ${this.#timeoutMs} ms`));
      const limit = this.#limits.start(this.#timeoutMs, late);
      question(this.client).then(
        (answer) => {
          this.#limits.stop(limit);
          resolve(answer);
        },
        (error: unknown) => {
          this.#limits.stop(limit);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Holds back what is written until this turn of the event loop ends: many commands, one system call. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.client;
    stream.cork();
    setImmediate(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  async #check(): Promise<void> {
    await this.ask((client) => client.ping());
  }

  /** Greeting, password and database are a part of connecting, and have its limit once more. */
  #signIn(): void {
    const { stream } = this.client;
    const reason = `it did not answer to the sign-in within ${connectTimeoutMs} ms`;
    this.#signInLimit = this.#limits.start(connectTimeoutMs, () => this.#giveUp(stream, reason));
  }

  #endSignIn(): void {
    if (this.#signInLimit) this.#limits.stop(this.#signInLimit);
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
   * One answer that is overdue costs that one command; the others wait for theirs, or for the PING: a limiter that
   * decided by itself at once for everybody would let each caller through once more for a moment's delay. After an answer
   * that made no sense none is believed.
   */
  #suspect(state: 'late' | 'doubted', reason: string): void {
    // A PING is under way already, or the connection is given up.
    if (this.#state !== 'here') return;
    this.#becomeAway(state, reason);
    void this.#examine();
  }

  /**
   * Asks the connection for a PONG. While the server reads its data it refuses one, as it refuses all other commands; INFO would
   * say so too, but can be forbidden or have another name. A replica gives one, so that after one was met a write decides.
   */
  async #examine(): Promise<void> {
    const { stream } = this.client;
    try {
      const answer = await this.#answer((client) => client.ping());
      if (answer !== 'PONG') throw new Error('it does not answer to what it is asked');
      if (this.#wasReplica) await this.#write();
      this.#wasReplica = false;
      if (isCurrent(this.client, stream)) this.#becomeHere();
    } catch (error) {
      if (isCurrent(this.client, stream)) this.#giveUp(stream, this.#reasonOf(error));
    }
  }

  /** Throws where it is a replica still; that nothing may be written for another reason is told when it is tried. */
  async #write(): Promise<void> {
    try {
      await this.#answer((client) => client.set(writeKey, '', 'PX', 1));
    } catch (error) {
      if (!(error instanceof ReplyError) || isOfReplica(error)) throw error;
    }
  }

  /** Whatever still waits for an answer fails at once; the connection is made anew after a pause. */
  #giveUp(stream: Redis['stream'], reason: string): void {
    this.#lastProblem = reason;
    stream.destroy();
  }

  async #inspect(): Promise<void> {
    try {
      const facts = readServerFacts(await this.#answer((client) => client.info()));
      for (const warning of serverWarnings(facts)) this.#warnOnce(this.#toldWarnings, warning, warning);
    } catch (error) {
      // Who may not ask for it does without: what server it is remains unknown.
      if (!(error instanceof ReplyError)) this.#judged(error);
    }
  }

  /** The original error is no cause of ours: it carries the arguments of the command, a password among them. */
  #judged(error: unknown): Error {
    const reason = this.#reasonOf(error);
    if (isOfReplica(error)) {
      // The address may lead to the new primary by now, this connection never will.
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
    return new RedisAway(`Redis at ${this.#address.label} cannot be asked: ${reason}`);
  }

  #warnOnce(told: Set<string>, about: string, what: string): void {
    if (this.#state === 'closed' || told.has(about)) return;
    told.add(about);
    this.#log.warn({}, `Redis at ${this.#address.label} ${what}`);
  }

  /** A server that does not know a command repeats its arguments, cut off somewhere; the password may be one. */
  #reasonOf(error: unknown): string {
    const { password, tls } = this.#address;
    const text = problemOf(error, tls).replace(/, with args .*$/s, '');
    const shown = password === '' ? text : text.replaceAll(password, '***');
    return shown.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, reasonCharsMax);
  }
}

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
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says; an authority of one's own is named by NODE_EXTRA_CA_CERTS.
    ...(tls ? { tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } } : {}),
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    retryStrategy: pauseMs,
    // `#examine` is ours: this one asks for INFO, and never ends where that has another name.
    enableReadyCheck: false,
    // A command fails at once where it cannot be sent, and is never sent twice: it would count twice.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // A command behind a pipeline that hangs would wait for it first; `ask` gathers commands instead.
    enableAutoPipelining: false,
  });
