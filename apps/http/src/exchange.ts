import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CountedRequest, ProfileId } from '@portico/domain';
import type { ReadClientAddress } from './requests/client-address.ts';

const givenRequestId = /^[A-Za-z0-9._-]{1,128}$/;

const lastOn = new WeakMap<Socket, Exchange>();

/** Begins an exchange, the last one on its connection. */
export const beginExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  readAddress: ReadClientAddress,
): Exchange => {
  const exchange = new Exchange(request, response, readAddress);
  lastOn.set(request.socket, exchange);
  return exchange;
};

/** The last exchange that began on this connection. */
export const exchangeOn = (socket: Socket): Exchange | null => lastOn.get(socket) ?? null;

/** What came over a connection and could not be read as a request. */
export interface Unreadable {
  readonly status: number;
  /** Node's code for what is wrong with it. */
  readonly errorCode: string;
}

/** One request with its response, and what becomes known of it on the way. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** The template of the path, for the log and the metrics; never the path itself. */
  route = 'unknown';
  /** Whether its route is asked every few seconds, so that an answer 200 is not worth a line of the log. */
  isProbe = false;
  /** What the request was counted as, once it was. */
  counted: CountedRequest | null = null;
  profileId: ProfileId | null = null;
  /** Whether nothing is done before the whole body is there. */
  takesBody = false;
  /** What it was answered by without its response, where its body could not be read. */
  unreadable: Unreadable | null = null;
  readonly #readAddress: ReadClientAddress;

  constructor(request: IncomingMessage, response: ServerResponse, readAddress: ReadClientAddress) {
    this.request = request;
    this.response = response;
    this.#readAddress = readAddress;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && givenRequestId.test(given) ? given : randomUUID();
  }

  /** What callers without valid credentials are counted by. Worked out only where it is asked for. */
  get address(): string {
    const forwardedFor = this.request.headers['x-forwarded-for'];
    return this.#readAddress(
      this.request.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    );
  }
}
