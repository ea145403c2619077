import type { EgressOptions, EgressResponse } from '@portico/domain';
import type { Dispatcher } from 'undici';
import { BodyCollector } from './body-collector.ts';
import type { CheckedRequest } from './checked-request.ts';
import type { Connection } from './connection.ts';
import { BodyDecoder, parseContentCodings } from './content-coding.ts';
import { timedOut, toPorticoError, unreachable } from './failures.ts';
import { receivedBytesMaxFor, type EgressLimits } from './limits.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Sends a request on a connection, and returns the response. Throws a `PorticoError`. The connection can be used again
 * only if the response is complete: the rest of a response would be taken for the next one.
 */
export const runExchange = (
  connection: Connection,
  request: CheckedRequest,
  options: EgressOptions,
  limits: EgressLimits,
): Promise<EgressResponse> =>
  new Promise((resolve, reject) => {
    const exchange = new Exchange(connection, request, options, limits, { resolve, reject });
    connection.dispatch(request, exchange);
  });

interface Outcome {
  resolve(response: EgressResponse): void;
  reject(error: Error): void;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: Connection;
  readonly #hasBody: boolean;
  readonly #limits: EgressLimits;
  readonly #outcome: Outcome;
  readonly #receivedBytesMax: number;
  readonly #collector: BodyCollector;
  readonly #timer: NodeJS.Timeout;
  #firstByteTimer: NodeJS.Timeout | null = null;
  #interimResponses = 0;
  #status = 0;
  #headers: Headers = [];
  #decoder: BodyDecoder | null = null;
  #isDone = false;
  #resume: () => void = () => {};

  constructor(
    connection: Connection,
    { method }: CheckedRequest,
    { timeoutMs, bodyBytesMax }: EgressOptions,
    limits: EgressLimits,
    outcome: Outcome,
  ) {
    this.#connection = connection;
    this.#hasBody = method !== 'HEAD';
    this.#limits = limits;
    this.#outcome = outcome;
    this.#receivedBytesMax = receivedBytesMaxFor(bodyBytesMax);
    this.#collector = new BodyCollector(bodyBytesMax);
    this.#timer = setTimeout(
      () => this.#fail(timedOut('the response was not complete in time: a longer timeout may help')),
      timeoutMs,
    );
  }

  onRequestStart(): void {
    this.#connection.limitReceivedBytes(this.#receivedBytesMax);
    this.#firstByteTimer = setTimeout(
      () => this.#fail(timedOut('it accepted the connection, but did not begin to respond in time')),
      this.#limits.firstByteMs,
    );
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    if (this.#isDone) return;
    if (status < 200) {
      this.#interimResponses += 1;
      if (this.#interimResponses > this.#limits.interimResponsesMax) {
        this.#fail(unreachable('it sends too many interim responses'));
      }
      return;
    }
    this.#clearFirstByteTimer();
    this.#status = status;
    this.#headers = parseHeaders(rawHeaders as readonly Buffer[]);
    if (this.#headers.length > this.#limits.responseHeadersMax) {
      this.#fail(unreachable('its response has too many headers'));
    } else if (this.#hasBody) {
      this.#prepareDecoder();
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDone) return;
    if (!this.#decoder) this.#collect(chunk);
    else if (!this.#decoder.write(chunk)) {
      controller.pause();
      this.#resume = () => controller.resume();
    }
  }

  onResponseEnd(): void {
    if (this.#isDone) return;
    if (this.#connection.hasFailed) this.#fail(unreachable('it reset the connection before the response was complete'));
    else if (this.#decoder) this.#decoder.end();
    else this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toPorticoError(error));
  }

  #prepareDecoder(): void {
    try {
      const values = this.#headers.filter(([name]) => name === 'content-encoding').map(([, value]) => value);
      const codings = parseContentCodings(values);
      if (codings.length === 0) return;
      this.#decoder = new BodyDecoder(codings, {
        onData: (chunk) => this.#collect(chunk),
        onEnd: () => this.#succeed(),
        onError: (error) =>
          this.#fail(unreachable('the body of its response does not match its Content-Encoding', error)),
        onDrain: () => this.#resume(),
      });
    } catch (error) {
      this.#fail(toPorticoError(error));
    }
  }

  #collect(chunk: Buffer): void {
    if (!this.#isDone && !this.#collector.add(chunk)) this.#succeed();
  }

  #succeed(): void {
    if (!this.#finish()) return;
    const { body, isTruncated } = this.#collector;
    if (isTruncated) void this.#connection.destroy();
    this.#outcome.resolve({ status: this.#status, headers: this.#headers, body, isTruncated });
  }

  #fail(error: Error): void {
    if (!this.#finish()) return;
    void this.#connection.destroy();
    this.#outcome.reject(error);
  }

  /** Returns whether this is the first outcome. */
  #finish(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#clearFirstByteTimer();
    this.#decoder?.destroy();
    return true;
  }

  #clearFirstByteTimer(): void {
    if (this.#firstByteTimer) clearTimeout(this.#firstByteTimer);
  }
}

const parseHeaders = (rawHeaders: readonly Buffer[]): Headers => {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toString('latin1').toLowerCase() ?? '';
    headers.push([name, trimEnd(rawHeaders[index + 1]?.toString('latin1') ?? '')]);
  }
  return headers;
};

/** The parser removes only the white space before a value (RFC 9112, section 5). */
const trimEnd = (value: string): string => {
  let end = value.length;
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end -= 1;
  return value.slice(0, end);
};
