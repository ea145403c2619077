import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../terminal.ts';
import { createApi, type Api, type ApiResponse, type ApiRequest } from './api.ts';
import type { ServerCredential } from './credential.ts';
import { explainRefusal } from './refusals.ts';

export interface ServerFacts {
  /** The server's address, without a trailing slash. */
  readonly address: string;
  readonly credential: () => Promise<ServerCredential>;
  /** Prints a note to the operator about a wait. */
  readonly note: (text: string) => void;
}

/** The maximum number of times a request is sent. */
const attemptsMax = 5;
const redirectsMax = 5;
const firstPauseMs = 500;
/** The longest wait that a server may request at a time. */
const retryAfterSecondsMax = 300;
/**
 * The timeout of one attempt. A service starts its response within 10 s of the request's last byte, but transferring a
 * large document may take a while.
 */
const attemptMs = 120_000;

/**
 * Creates the API of a service, called as the credential's owner. Waits if the server requests it. If the connection
 * breaks, repeats requests that are safe to repeat.
 */
export const apiOverHttp = ({ address, credential, note }: ServerFacts): Api =>
  createApi({
    name: address,
    explain: async (refused) => explainRefusal({ ...refused, address, credential: await credential() }),
    send: async (request) => {
      const carriedCredential = await credential();
      for (let attempt = 1; ; attempt++) {
        const response = await sendOnce(address, request, carriedCredential).catch((error: unknown) => brokenBy(error));
        const pauseMs = attempt < attemptsMax ? pauseBefore(request, response, attempt) : null;
        if (pauseMs !== null) {
          if (pauseMs >= 1_000)
            note(`${address} ${reasonOf(response)}: trying again in ${Math.ceil(pauseMs / 1_000)} s`);
          await pause(pauseMs);
        } else if (response instanceof Broken) throw new OperatorError(`${address} ${response.why}`);
        else return response;
      }
    },
  });

/** The outcome of a request whose connection broke or could not be established. */
class Broken {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const brokenBy = (error: unknown): Broken => {
  if (error instanceof OperatorError) throw error;
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return new Broken(`did not respond within ${attemptMs / 1_000} s`);
  // The `cause` of a fetch error contains the reason.
  if (!(error instanceof TypeError)) throw error;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return new Broken(`cannot be reached (${code ?? message})`);
};

/** Returns how long to wait before repeating the request, in milliseconds; null to accept the response as it is. */
const pauseBefore = (request: ApiRequest, response: ApiResponse | Broken, attempt: number): number | null => {
  const mayRepeat = request.method !== 'POST' || request.repeatable;
  const backOffMs = firstPauseMs * 2 ** (attempt - 1);
  if (response instanceof Broken) return mayRepeat ? backOffMs : null;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs =
    retryAfterSeconds >= 0 && retryAfterSeconds <= retryAfterSecondsMax ? retryAfterSeconds * 1_000 : null;
  // A rate-limited request has had no effect.
  if (response.status === 429) return retryAfterMs;
  if ([502, 503, 504].includes(response.status)) return mayRepeat ? (retryAfterMs ?? backOffMs) : null;
  return null;
};

const reasonOf = (response: ApiResponse | Broken): string => {
  if (response instanceof Broken) return response.why;
  return response.status === 429 ? 'accepts no more requests for now' : `returned status ${response.status}`;
};

const sendOnce = async (
  address: string,
  { method, path, body }: ApiRequest,
  { token }: ServerCredential,
): Promise<ApiResponse> => {
  let url = new URL(`${address}${path}`);
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptMs),
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      return { status: response.status, headers: response.headers, text: await response.text() };
    await response.body?.cancel();
    url = redirected(url, location);
  }
  throw new OperatorError(`${address} redirects in a circle: is this the address of Portico?`);
};

/** Returns the redirect's target. Throws for a different origin, which must never receive the credential. */
const redirected = (from: URL, location: string): URL => {
  const to = URL.parse(location, from.href);
  if (to?.origin === from.origin) return to;
  throw new OperatorError(
    `${from.origin} redirects to ${to?.origin ?? 'nowhere'}, which does not get the credential. If Portico is there, pass that address as --server`,
  );
};
