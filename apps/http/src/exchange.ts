import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestSpan } from '@portico/composition';
import { LinkedList, PorticoError, type CountedRequest, type Deadline, type ProfileId } from '@portico/domain';
import type { ReadClientAddress } from './requests/client-address.ts';

const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

const latestExchanges = new WeakMap<Socket, Exchange>();

/** The dependencies that all exchanges of an application share. */
export interface ExchangeFacts {
  readonly readAddress: ReadClientAddress;
  readonly timer: Timer;
  readonly responseTimeoutMs: number;
  /** Responds to an exchange whose deadline has expired. */
  readonly respondToExpiry: (exchange: Exchange) => void;
}

/** Begins an exchange, now the latest on its connection, and starts its deadline. */
export const beginExchange = (request: IncomingMessage, response: ServerResponse, facts: ExchangeFacts): Exchange => {
  const exchange = new Exchange(request, response, facts);
  latestExchanges.set(request.socket, exchange);
  return exchange;
};

/** The latest exchange on this connection. */
export const exchangeOn = (socket: Socket): Exchange | null => latestExchanges.get(socket) ?? null;

/** Data on a connection that could not be parsed as a request. */
export interface Unreadable {
  readonly status: number;
  /** Node's code for the error. */
  readonly errorCode: string;
}

const awaitingContinue = new WeakSet<IncomingMessage>();

/** Notes that the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const noteExpectContinue = (request: IncomingMessage): void => {
  awaitingContinue.add(request);
};

/** One request with its response, and the facts that are learned about it on the way. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The caller's address, for the log and for the rate limit of callers without valid credentials. */
  readonly address: string;
  readonly startedAt = performance.now();
  readonly deadline: ResponseDeadline;
  /** The path template, for the log and the metrics; never the path itself. */
  route = 'unknown';
  /** Whether its route is polled every few seconds, so that a 200 is not worth a log line. */
  isProbe = false;
  /** The state of its rate limit, once the request was counted. */
  counted: CountedRequest | null = null;
  profileId: ProfileId | null = null;
  /** The `client_id` of the API key that the request was admitted by; null for a token. */
  clientId: string | null = null;
  /** The calling service account, if the caller is not a profile. */
  accountId: string | null = null;
  /** The `WWW-Authenticate` of a 401. */
  challenge = 'Bearer';
  /** Whether the handler waits for the complete body. */
  takesBody = false;
  /** Its span; null unless traces are configured. */
  span: RequestSpan | null = null;
  /** Set if its body could not be parsed and the response was written directly to the socket, not to `response`. */
  unreadable: Unreadable | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, facts: ExchangeFacts) {
    this.request = request;
    this.response = response;
    const header = request.headers['x-request-id'];
    this.requestId = typeof header === 'string' && validRequestId.test(header) ? header : randomUUID();
    const forwardedFor = request.headers['x-forwarded-for'];
    this.address = facts.readAddress(
      request.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    );
    this.deadline = new ResponseDeadline(facts.timer, facts.responseTimeoutMs, () => facts.respondToExpiry(this));
  }

  /** Sends `100 Continue` if the client waits for it. Called once the request has passed all checks before its body. */
  sendContinue(): void {
    if (awaitingContinue.delete(this.request)) this.response.writeContinue();
  }
}

/** Calls back once after this many milliseconds; returns a function that cancels it. */
export type Timer = (milliseconds: number, ring: () => void) => () => void;

interface Wait {
  readonly callback: () => void;
  /** By `performance.now()`. */
  readonly dueAt: number;
}

/**
 * All waits of the same duration share one system timer: nearly none ever fires, and starting and stopping a timer per
 * request costs more than a node in a list. The first node is due first.
 */
const createSharedTimer = (milliseconds: number): ((ring: () => void) => () => void) => {
  const waits = new LinkedList<Wait>();
  let isSet = false;

  const set = (inMilliseconds: number): void => {
    isSet = true;
    setTimeout(fireDue, inMilliseconds).unref();
  };
  const fireDue = (): void => {
    isSet = false;
    for (let node = waits.first; node; node = waits.first) {
      const remainingMs = node.value.dueAt - performance.now();
      if (remainingMs > 0) {
        set(Math.ceil(remainingMs));
        return;
      }
      waits.remove(node);
      node.value.callback();
    }
  };

  return (callback) => {
    const node = waits.add({ callback, dueAt: performance.now() + milliseconds });
    if (!isSet) set(milliseconds);
    return () => waits.remove(node);
  };
};

const sharedTimers = new Map<number, ReturnType<typeof createSharedTimer>>();

/** Does not keep the process alive: the connections of requests do. */
export const systemTimer: Timer = (milliseconds, ring) => {
  let timer = sharedTimers.get(milliseconds);
  if (!timer) sharedTimers.set(milliseconds, (timer = createSharedTimer(milliseconds)));
  return timer(ring);
};

/**
 * The deadline for the start of a response, counted from the last byte of its request. Either it expires, which sends a
 * response immediately and discards the result of any later work; or a commit or the response starts first, and it can
 * no longer expire.
 */
class ResponseDeadline implements Deadline {
  readonly #timer: Timer;
  readonly #timeoutMs: number;
  readonly #respondToExpiry: () => void;
  /** Null if there are no callbacks. */
  #onExpired: Set<() => void> | null = null;
  #state: 'open' | 'settled' | 'expired' = 'open';
  #cancel: (() => void) | null = null;

  constructor(timer: Timer, timeoutMs: number, respondToExpiry: () => void) {
    this.#timer = timer;
    this.#timeoutMs = timeoutMs;
    this.#respondToExpiry = respondToExpiry;
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

  /** The response is known, so the deadline can no longer expire. Returns false if it already has. */
  settle(): boolean {
    if (this.#state === 'open') this.#state = 'settled';
    this.suspend();
    return !this.expired;
  }

  /** Stops the clock while the client is still sending its body. */
  suspend(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Restarts with the full duration. */
  restart(): void {
    if (this.#state === 'open') this.#cancel ??= this.#timer(this.#timeoutMs, () => this.#expire());
  }

  /** The client no longer waits for the response: expires, but without sending a response. */
  abandon(): void {
    if (this.#state !== 'open') return;
    this.suspend();
    this.#giveUp();
  }

  #expire(): void {
    this.#state = 'expired';
    this.#respondToExpiry();
    this.#giveUp();
  }

  #giveUp(): void {
    this.#state = 'expired';
    for (const callback of this.#onExpired ?? []) callback();
    this.#onExpired = null;
  }
}
