import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../terminal.ts';
import { createApi, type Api, type ApiResponse, type ApiRequest } from './api.ts';
import type { ServerCredential } from './credential.ts';
import { explainError } from './server-error.ts';

export interface HttpApiOptions {
  /** The server's address, without a trailing slash. */
  readonly address: string;
  readonly getCredential: () => Promise<ServerCredential>;
  /** Prints a note about a wait for the operator. */
  readonly printNote: (text: string) => void;
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
const attemptTimeoutMs = 120_000;

/**
 * Creates the API of a service, called as the credential's owner. Waits if the server requests it. If the connection
 * breaks, repeats requests that are safe to repeat.
 */
export const createHttpApi = ({ address, getCredential, printNote }: HttpApiOptions): Api =>
  createApi({
    name: address,
    explain: async (response) => explainError({ ...response, address, credential: await getCredential() }),
    send: async (request) => {
      const serverCredential = await getCredential();
      for (let attempt = 1; ; attempt++) {
        const response = await sendOnce(address, request, serverCredential).catch((error: unknown) =>
          toConnectionFailure(error),
        );
        const pauseMs = attempt < attemptsMax ? retryPauseMs(request, response, attempt) : null;
        if (pauseMs !== null) {
          if (pauseMs >= 1_000)
            printNote(`${address} ${reasonOf(response)}: trying again in ${Math.ceil(pauseMs / 1_000)} s`);
          await pause(pauseMs);
        } else if (response instanceof ConnectionFailure) throw new OperatorError(`${address} ${response.reason}`);
        else return response;
      }
    },
  });

/** The outcome of a request whose connection broke or could not be established. */
class ConnectionFailure {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const toConnectionFailure = (error: unknown): ConnectionFailure => {
  if (error instanceof OperatorError) throw error;
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return new ConnectionFailure(`did not respond within ${attemptTimeoutMs / 1_000} s`);
  // The `cause` of a fetch error contains the reason.
  if (!(error instanceof TypeError)) throw error;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return new ConnectionFailure(`cannot be reached (${code ?? message})`);
};

/** Returns how long to wait before repeating the request, in milliseconds; null to accept the response as it is. */
const retryPauseMs = (
  request: ApiRequest,
  response: ApiResponse | ConnectionFailure,
  attempt: number,
): number | null => {
  const mayRepeat = request.method !== 'POST' || request.repeatable;
  const backOffMs = firstPauseMs * 2 ** (attempt - 1);
  if (response instanceof ConnectionFailure) return mayRepeat ? backOffMs : null;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs =
    retryAfterSeconds >= 0 && retryAfterSeconds <= retryAfterSecondsMax ? retryAfterSeconds * 1_000 : null;
  // A rate-limited request has had no effect.
  if (response.status === 429) return retryAfterMs;
  if ([502, 503, 504].includes(response.status)) return mayRepeat ? (retryAfterMs ?? backOffMs) : null;
  return null;
};

const reasonOf = (response: ApiResponse | ConnectionFailure): string => {
  if (response instanceof ConnectionFailure) return response.reason;
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
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      return { status: response.status, headers: response.headers, text: await response.text() };
    await response.body?.cancel();
    url = resolveRedirect(url, location);
  }
  throw new OperatorError(`${address} redirects in a loop: is this the address of Portico?`);
};

/** Returns the redirect's target. Throws for a different origin, which must never receive the credential. */
const resolveRedirect = (currentUrl: URL, location: string): URL => {
  const targetUrl = URL.parse(location, currentUrl.href);
  if (targetUrl?.origin === currentUrl.origin) return targetUrl;
  throw new OperatorError(
    `${currentUrl.origin} redirects to ${targetUrl?.origin ?? 'nowhere'}; the credential is not sent there. If Portico is at that address, pass it as --server`,
  );
};
