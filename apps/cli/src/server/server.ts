import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../terminal.ts';
import type { ServerCredential } from './credential.ts';
import { refusalOf, ServerRefusal } from './refusals.ts';

/** A Portico service, as commands call it. */
export interface Server {
  /** Without its last slash. */
  readonly address: string;
  /**
   * Returns the JSON value of a 2xx answer. Throws a `ServerRefusal` for a refusal, and an `OperatorError` if there is
   * no answer. Waits where the server asks for it; repeats what may be repeated if the connection breaks.
   */
  ask(request: ServerRequest): Promise<unknown>;
  /** The same for a list that comes page by page: returns the lines of all pages. */
  askAll(request: ServerRequest): Promise<readonly unknown[]>;
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the server's address on, with a slash first. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Whether sending it twice does no harm though it is a POST. */
  readonly repeatable?: boolean;
  /** The scope that a service account needs for it; null for what none may do. */
  readonly scope: string | null;
}

export interface ServerFacts {
  readonly address: string;
  readonly credential: () => Promise<ServerCredential>;
  /** Tells the operator about a wait. */
  readonly note: (text: string) => void;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/** How often a request is sent at most. */
const attemptsMax = 5;
const redirectsMax = 5;
const firstPauseMs = 500;
/** The longest that a server may ask to wait, once. */
const retryAfterSecondsMax = 300;
/** A service begins its answer within 10 s of the last byte; a large document may travel for a while. */
const attemptMs = 120_000;

export const createServer = ({ address, credential, note, wait = pause }: ServerFacts): Server => {
  const exchange = async (request: ServerRequest): Promise<Outcome> => {
    const carried = await credential();
    for (let attempt = 1; ; attempt++) {
      const answer = await sent(address, request, carried).catch((error: unknown) => brokenBy(error));
      const again = attempt < attemptsMax ? pauseBefore(request, answer, attempt) : null;
      if (again === null) return outcomeOf(answer, { address, request, credential: carried });
      if (again >= 1_000) note(`${address} ${reasonOf(answer)}: trying again in ${Math.ceil(again / 1_000)} s`);
      await wait(again);
    }
  };
  return {
    address,
    ask: async (request) => (await exchange(request)).value,
    askAll: async (request) => {
      const lines: unknown[] = [];
      for (let next: ServerRequest | null = request; next !== null;) {
        const { value, nextQuery }: Outcome = await exchange(next);
        if (!Array.isArray(value)) throw new OperatorError(`${address} does not answer with a list: is it Portico?`);
        lines.push(...(value as unknown[]));
        next = nextQuery === null ? null : { ...request, query: nextQuery };
      }
      return lines;
    },
  };
};

interface Outcome {
  readonly value: unknown;
  /** The query of the next page (RFC 8288); null if this is the last. */
  readonly nextQuery: Readonly<Record<string, string>> | null;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

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
const pauseBefore = (request: ServerRequest, answer: Answer | Broken, attempt: number): number | null => {
  const mayRepeat = request.method !== 'POST' || request.repeatable === true;
  const backOffMs = firstPauseMs * 2 ** (attempt - 1);
  if (answer instanceof Broken) return mayRepeat ? backOffMs : null;
  const asked = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const askedMs = asked >= 0 && asked <= retryAfterSecondsMax ? asked * 1_000 : null;
  // A request that was refused for its number has done nothing.
  if (answer.status === 429) return askedMs;
  if ([502, 503, 504].includes(answer.status)) return mayRepeat ? (askedMs ?? backOffMs) : null;
  return null;
};

const reasonOf = (answer: Answer | Broken): string => {
  if (answer instanceof Broken) return answer.why;
  return answer.status === 429 ? 'takes no more requests for now' : `answered ${answer.status}`;
};

const sent = async (
  address: string,
  { method, path, query = {}, body }: ServerRequest,
  { token }: ServerCredential,
): Promise<Answer> => {
  const search = new URLSearchParams(query).toString();
  let url = new URL(`${address}${path}${search === '' ? '' : `?${search}`}`);
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

interface Asked {
  readonly address: string;
  readonly request: ServerRequest;
  readonly credential: ServerCredential;
}

const outcomeOf = (answer: Answer | Broken, { address, request, credential }: Asked): Outcome => {
  if (answer instanceof Broken) throw new OperatorError(`${address} ${answer.why}`);
  const value = jsonOf(answer.text);
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (isSuccess && value !== undefined) return { value, nextQuery: nextQueryIn(answer.headers.get('link')) };
  const detail = (value as { readonly detail?: unknown } | null | undefined)?.detail;
  const { status } = answer;
  if (isSuccess || typeof detail !== 'string')
    throw new OperatorError(`${address} does not answer as Portico does (status ${status}): is the address right?`);
  throw new ServerRefusal(
    status,
    detail,
    refusalOf({
      status,
      detail,
      address,
      scope: request.scope,
      credential,
      requestId: answer.headers.get('x-request-id'),
    }),
  );
};

const nextQueryIn = (link: string | null): Outcome['nextQuery'] => {
  const [, query] = /<[^>?]*\?([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  return query === undefined ? null : Object.fromEntries(new URLSearchParams(query));
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // It was sent by something else than Portico.
    return undefined;
  }
};
