import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestSpan } from '@portico/composition';
import { LinkedList, PorticoError, type CountedRequest, type Deadline, type ProfileId } from '@portico/domain';
import type { ReadClientAddress } from './requests/client-address.ts';

const givenRequestId = /^[A-Za-z0-9._-]{1,128}$/;

const lastOn = new WeakMap<Socket, Exchange>();

/** What all exchanges of an application have in common. */
export interface ExchangeFacts {
  readonly readAddress: ReadClientAddress;
  readonly timer: Timer;
  readonly answerTimeoutMs: number;
  /** Answers an exchange whose deadline has expired. */
  readonly answerExpired: (exchange: Exchange) => void;
}

/** Begins an exchange, the last one on its connection. Its deadline starts running. */
export const beginExchange = (request: IncomingMessage, response: ServerResponse, facts: ExchangeFacts): Exchange => {
  const exchange = new Exchange(request, response, facts);
  lastOn.set(request.socket, exchange);
  return exchange;
};

/** The last exchange that began on this connection. */
export const exchangeOn = (socket: Socket): Exchange | null => lastOn.get(socket) ?? null;

/** What arrived on a connection and could not be parsed as a request. */
export interface Unreadable {
  readonly status: number;
  /** Node's code for what is wrong with it. */
  readonly errorCode: string;
}

const awaitingContinue = new WeakSet<IncomingMessage>();

/** Notes that the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const noteExpectContinue = (request: IncomingMessage): void => {
  awaitingContinue.add(request);
};

/** One request with its response, and what becomes known about it along the way. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The caller's address, for the log. Callers without valid credentials are counted by it. */
  readonly address: string;
  readonly startedAt = performance.now();
  readonly deadline: AnswerDeadline;
  /** The path template, for the log and the metrics; never the path itself. */
  route = 'unknown';
  /** Whether its route is polled every few seconds, so that a 200 is not worth a log line. */
  isProbe = false;
  /** The counts of its rate limit, once it was counted. */
  counted: CountedRequest | null = null;
  profileId: ProfileId | null = null;
  /** The `client_id` of the API key that the request was admitted by; null for a token. */
  clientId: string | null = null;
  /** Of the service account that calls, instead of a profile. */
  accountId: string | null = null;
  /** What a 401 has in `WWW-Authenticate`. */
  challenge = 'Bearer';
  /** Whether the handler waits for the complete body. */
  takesBody = false;
  /** Its span; null unless traces are configured. */
  span: RequestSpan | null = null;
  /** Set if its body could not be parsed and the answer went past `response`, straight to the socket. */
  unreadable: Unreadable | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, facts: ExchangeFacts) {
    this.request = request;
    this.response = response;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && givenRequestId.test(given) ? given : randomUUID();
    const forwardedFor = request.headers['x-forwarded-for'];
    this.address = facts.readAddress(
      request.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    );
    this.deadline = new AnswerDeadline(facts.timer, facts.answerTimeoutMs, () => facts.answerExpired(this));
  }

  /** Tells a client that waits to send its body: only once the request passed every check before it. */
  sendContinue(): void {
    if (awaitingContinue.delete(this.request)) this.response.writeContinue();
  }
}

/** Rings once after this many milliseconds; returns a function that cancels it. */
export type Timer = (milliseconds: number, ring: () => void) => () => void;

interface Waiting {
  readonly ring: () => void;
  /** By `performance.now()`. */
  readonly dueAt: number;
}

/**
 * All that wait equally long share one timer of the system: nearly none ever rings, and starting and stopping one for
 * each request costs more than a place in a list. The first of it is due first.
 */
const createSharedTimer = (milliseconds: number): ((ring: () => void) => () => void) => {
  const waiting = new LinkedList<Waiting>();
  let isSet = false;

  const set = (inMilliseconds: number): void => {
    isSet = true;
    setTimeout(ringDue, inMilliseconds).unref();
  };
  const ringDue = (): void => {
    isSet = false;
    for (let place = waiting.first; place; place = waiting.first) {
      const restMs = place.value.dueAt - performance.now();
      if (restMs > 0) {
        set(Math.ceil(restMs));
        return;
      }
      waiting.remove(place);
      place.value.ring();
    }
  };

  return (ring) => {
    const place = waiting.add({ ring, dueAt: performance.now() + milliseconds });
    if (!isSet) set(milliseconds);
    return () => waiting.remove(place);
  };
};

const sharedTimers = new Map<number, ReturnType<typeof createSharedTimer>>();

/** Keeps no process alive: the connections of requests do. */
export const systemTimer: Timer = (milliseconds, ring) => {
  let timer = sharedTimers.get(milliseconds);
  if (!timer) sharedTimers.set(milliseconds, (timer = createSharedTimer(milliseconds)));
  return timer(ring);
};

/**
 * The time until an answer must begin, counted from the last byte of its request. Either it expires, which is answered
 * at once, and the result of any work after that is discarded; or a commit or the answer begins first, and it can no
 * longer expire.
 */
class AnswerDeadline implements Deadline {
  readonly #timer: Timer;
  readonly #timeoutMs: number;
  readonly #answerExpiry: () => void;
  /** Null while nobody waits for it. */
  #onExpired: Set<() => void> | null = null;
  #state: 'open' | 'settled' | 'expired' = 'open';
  #cancel: (() => void) | null = null;

  constructor(timer: Timer, timeoutMs: number, answerExpiry: () => void) {
    this.#timer = timer;
    this.#timeoutMs = timeoutMs;
    this.#answerExpiry = answerExpiry;
    this.restart();
  }

  get expired(): boolean {
    return this.#state === 'expired';
  }

  /** Throws `timed_out` if it has expired. */
  refuseExpired(): void {
    if (this.expired) throw new PorticoError('timed_out');
  }

  beginCommit(): void {
    this.settle();
    this.refuseExpired();
  }

  onExpired(callback: () => void): () => void {
    if (this.expired) callback();
    else (this.#onExpired ??= new Set()).add(callback);
    return () => this.#onExpired?.delete(callback);
  }

  /** The answer is known, so it can no longer expire. Returns false if it already has. */
  settle(): boolean {
    if (this.#state === 'open') this.#state = 'settled';
    this.suspend();
    return !this.expired;
  }

  /** Stops the clock while the client is still sending. */
  suspend(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Starts again with the full time. */
  restart(): void {
    if (this.#state === 'open') this.#cancel ??= this.#timer(this.#timeoutMs, () => this.#expire());
  }

  /** Nobody waits for the answer any more: as if it had expired, but nothing is answered. */
  abandon(): void {
    if (this.#state !== 'open') return;
    this.suspend();
    this.#giveUp();
  }

  #expire(): void {
    this.#state = 'expired';
    this.#answerExpiry();
    this.#giveUp();
  }

  #giveUp(): void {
    this.#state = 'expired';
    for (const callback of this.#onExpired ?? []) callback();
    this.#onExpired = null;
  }
}
