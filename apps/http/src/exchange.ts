import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestSpan } from '@portico/composition';
import { LinkedList, PorticoError, type CountedRequest, type Deadline, type ProfileId } from '@portico/domain';
import type { ReadClientAddress } from './requests/client-address.ts';

const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

const latestExchanges = new WeakMap<Socket, Exchange>();

/** The dependencies that all exchanges of an application share. */
export interface ExchangeDependencies {
  readonly readAddress: ReadClientAddress;
  readonly startTimer: StartTimer;
  readonly responseTimeoutMs: number;
  /** Responds to an exchange whose deadline has expired. */
  readonly respondToExpiry: (exchange: Exchange) => void;
}

/** Begins an exchange, which becomes the latest on its connection, and starts its deadline. */
export const beginExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: ExchangeDependencies,
): Exchange => {
  const exchange = new Exchange(request, response, dependencies);
  latestExchanges.set(request.socket, exchange);
  return exchange;
};

/** Returns the latest exchange on this connection; null if there is none. */
export const findLatestExchange = (socket: Socket): Exchange | null => latestExchanges.get(socket) ?? null;

/** Data on a connection that could not be parsed as a request. */
export interface UnreadableData {
  readonly status: number;
  /** Node's error code. */
  readonly errorCode: string;
}

const awaitingContinue = new WeakSet<IncomingMessage>();

/** Records that the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const recordExpectContinue = (request: IncomingMessage): void => {
  awaitingContinue.add(request);
};

/** The challenge without metadata (RFC 6750, section 3). */
export const bareChallenge = 'Bearer';

/** A request with its response, and the data collected while it is handled. */
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
  /** Whether the route is polled every few seconds: a 200 is then logged only at `debug`. */
  isProbe = false;
  /** The state of the rate limit, once the request has been counted. */
  rateLimit: CountedRequest | null = null;
  profileId: ProfileId | null = null;
  /** The `client_id` of the API key that admitted the request; null for a token. */
  clientId: string | null = null;
  /** The calling service account, if the caller is not a profile. */
  accountId: string | null = null;
  /** The `WWW-Authenticate` header of a 401. */
  challenge = bareChallenge;
  /** Appended to the detail of a 401, to say which credential is expected; null if the detail says enough. */
  credentialAdvice: string | null = null;
  /** Whether the handler waits for the complete body. */
  expectsBody = false;
  /** The request's span; null unless tracing is configured. */
  span: RequestSpan | null = null;
  /** Set if the body could not be parsed and the response was written directly to the socket, not to `response`. */
  unreadableData: UnreadableData | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, dependencies: ExchangeDependencies) {
    this.request = request;
    this.response = response;
    const header = request.headers['x-request-id'];
    this.requestId = typeof header === 'string' && validRequestId.test(header) ? header : randomUUID();
    const forwardedFor = request.headers['x-forwarded-for'];
    this.address = dependencies.readAddress(
      request.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    );
    this.deadline = new ResponseDeadline(dependencies.startTimer, dependencies.responseTimeoutMs, () =>
      dependencies.respondToExpiry(this),
    );
  }

  /**
   * Sends `100 Continue` if the client waits for it. Called once the request has passed all checks that precede its
   * body.
   */
  sendContinue(): void {
    if (awaitingContinue.delete(this.request)) this.response.writeContinue();
  }
}

/** Calls `callback` once after this many milliseconds; returns a function that cancels the call. */
export type StartTimer = (milliseconds: number, callback: () => void) => () => void;

interface PendingCall {
  readonly callback: () => void;
  /** When the call is due, according to `performance.now()`. */
  readonly dueAt: number;
}

/**
 * Creates a function that starts timers of the same duration, which share one system timer: almost none of them ever
 * fires, and starting and stopping a system timer per request costs more than a node in a list. The first node is due first.
 */
const createSharedTimer = (milliseconds: number): ((callback: () => void) => () => void) => {
  const pendingCalls = new LinkedList<PendingCall>();
  let isScheduled = false;

  const schedule = (delayMs: number): void => {
    isScheduled = true;
    setTimeout(fireDueCalls, delayMs).unref();
  };
  const fireDueCalls = (): void => {
    isScheduled = false;
    for (let node = pendingCalls.first; node; node = pendingCalls.first) {
      const remainingMs = node.value.dueAt - performance.now();
      if (remainingMs > 0) {
        schedule(Math.ceil(remainingMs));
        return;
      }
      pendingCalls.remove(node);
      node.value.callback();
    }
  };

  return (callback) => {
    const node = pendingCalls.add({ callback, dueAt: performance.now() + milliseconds });
    if (!isScheduled) schedule(milliseconds);
    return () => pendingCalls.remove(node);
  };
};

const sharedTimers = new Map<number, ReturnType<typeof createSharedTimer>>();

/** Does not keep the process alive: the requests' connections do. */
export const startSystemTimer: StartTimer = (milliseconds, callback) => {
  let startSharedTimer = sharedTimers.get(milliseconds);
  if (!startSharedTimer) sharedTimers.set(milliseconds, (startSharedTimer = createSharedTimer(milliseconds)));
  return startSharedTimer(callback);
};

/**
 * The deadline for the start of a response, counted from the last byte of its request. Either it expires, which sends a
 * response immediately and discards the result of any later work; or a commit or the response starts first, and then
 * the deadline can no longer expire.
 */
class ResponseDeadline implements Deadline {
  readonly #startTimer: StartTimer;
  readonly #timeoutMs: number;
  readonly #respondToExpiry: () => void;
  /** Null if there are no callbacks. */
  #expiryCallbacks: Set<() => void> | null = null;
  #state: 'open' | 'settled' | 'expired' = 'open';
  #cancel: (() => void) | null = null;

  constructor(startTimer: StartTimer, timeoutMs: number, respondToExpiry: () => void) {
    this.#startTimer = startTimer;
    this.#timeoutMs = timeoutMs;
    this.#respondToExpiry = respondToExpiry;
    this.restart();
  }

  get hasExpired(): boolean {
    return this.#state === 'expired';
  }

  /** Throws `timed_out` if the deadline has expired. */
  throwIfExpired(): void {
    if (this.hasExpired) throw new PorticoError('timed_out');
  }

  beginCommit(): void {
    this.settle();
    this.throwIfExpired();
  }

  onExpired(callback: () => void): () => void {
    if (this.hasExpired) callback();
    else (this.#expiryCallbacks ??= new Set()).add(callback);
    return () => this.#expiryCallbacks?.delete(callback);
  }

  /** Prevents the deadline from expiring, because the response is known. Returns false if it has already expired. */
  settle(): boolean {
    if (this.#state === 'open') this.#state = 'settled';
    this.suspend();
    return !this.hasExpired;
  }

  /** Stops the clock while the client is still sending its body. */
  suspend(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Restarts the clock with the full duration. */
  restart(): void {
    if (this.#state === 'open') this.#cancel ??= this.#startTimer(this.#timeoutMs, () => this.#expire());
  }

  /** Lets the deadline expire without sending a response, because the client no longer waits for one. */
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
    for (const callback of this.#expiryCallbacks ?? []) callback();
    this.#expiryCallbacks = null;
  }
}
