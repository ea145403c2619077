import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../terminal.ts';
import { createApi, type Api, type ApiAnswer, type ApiRequest } from './api.ts';
import type { ServerCredential } from './credential.ts';
import { refusalOf } from './refusals.ts';

export interface ServerFacts {
  /** Without its last slash. */
  readonly address: string;
  readonly credential: () => Promise<ServerCredential>;
  /** Tells the operator about a wait. */
  readonly note: (text: string) => void;
}

/** How often a request is sent at most. */
const attemptsMax = 5;
const redirectsMax = 5;
const firstPauseMs = 500;
/** The longest that a server may ask to wait, once. */
const retryAfterSecondsMax = 300;
/** A service begins its answer within 10 s of the last byte; a large document may travel for a while. */
const attemptMs = 120_000;

/**
 * The API of a service, as who the credential stands for. Waits where the server asks for it; repeats what may be
 * repeated if the connection breaks.
 */
export const apiOverHttp = ({ address, credential, note }: ServerFacts): Api =>
  createApi({
    name: address,
    explain: async (refused) => refusalOf({ ...refused, address, credential: await credential() }),
    send: async (request) => {
      const carried = await credential();
      for (let attempt = 1; ; attempt++) {
        const answer = await sent(address, request, carried).catch((error: unknown) => brokenBy(error));
        const again = attempt < attemptsMax ? pauseBefore(request, answer, attempt) : null;
        if (again !== null) {
          if (again >= 1_000) note(`${address} ${reasonOf(answer)}: trying again in ${Math.ceil(again / 1_000)} s`);
          await pause(again);
        } else if (answer instanceof Broken) throw new OperatorError(`${address} ${answer.why}`);
        else return answer;
      }
    },
  });

/** The connection broke, or there was none. */
class Broken {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const brokenBy = (error: unknown): Broken => {
  if (error instanceof OperatorError) throw error;
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return new Broken(`gave no answer within ${attemptMs / 1_000} s`);
  // Of fetch: the reason is in the cause.
  if (!(error instanceof TypeError)) throw error;
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  return new Broken(`cannot be reached (${code ?? message})`);
};

/** Returns how long to wait before the request is sent again, in milliseconds; null to take the answer as it is. */
const pauseBefore = (request: ApiRequest, answer: ApiAnswer | Broken, attempt: number): number | null => {
  const mayRepeat = request.method !== 'POST' || request.repeatable;
  const backOffMs = firstPauseMs * 2 ** (attempt - 1);
  if (answer instanceof Broken) return mayRepeat ? backOffMs : null;
  const asked = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const askedMs = asked >= 0 && asked <= retryAfterSecondsMax ? asked * 1_000 : null;
  // A request that was refused for its number has done nothing.
  if (answer.status === 429) return askedMs;
  if ([502, 503, 504].includes(answer.status)) return mayRepeat ? (askedMs ?? backOffMs) : null;
  return null;
};

const reasonOf = (answer: ApiAnswer | Broken): string => {
  if (answer instanceof Broken) return answer.why;
  return answer.status === 429 ? 'takes no more requests for now' : `answered ${answer.status}`;
};

const sent = async (
  address: string,
  { method, path, body }: ApiRequest,
  { token }: ServerCredential,
): Promise<ApiAnswer> => {
  let url = new URL(`${address}${path}`);
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const answer = await fetch(url, {
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
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || location === null)
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    await answer.body?.cancel();
    url = redirected(url, location);
  }
  throw new OperatorError(`${address} redirects in a circle: is this the address of Portico?`);
};

/** Throws for another origin, which never gets the credential. */
const redirected = (from: URL, location: string): URL => {
  const to = URL.parse(location, from.href);
  if (to?.origin === from.origin) return to;
  throw new OperatorError(
    `${from.origin} redirects to ${to?.origin ?? 'nowhere'}, which does not get the credential. If Portico is there, pass that address as --server`,
  );
};
