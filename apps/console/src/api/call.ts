import type { Calls } from '@portico/http/calls';
import { Problem } from './problem.ts';
import { tokens } from '../session/tokens.ts';

export type CallName = keyof Calls;
export type CallResult<Name extends CallName> = Calls[Name]['response'];

/** The input of a call, limited to the parts that the call has. */
export type CallInput<Name extends CallName> = {
  readonly query?: Calls[Name]['query'];
  readonly signal?: AbortSignal;
  readonly accept?: string;
  /** Error statuses whose body is returned as a result, such as the 503 of a health check. */
  readonly allow?: readonly number[];
} & ([keyof Calls[Name]['params']] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Calls[Name]['params'] }) &
  ([Calls[Name]['body']] extends [never]
    ? { readonly body?: undefined }
    : { readonly body?: Calls[Name]['body'] | TextOf<Calls[Name]['body']> });

/** The JSON text of a body that contains a document. It is sent exactly as written, including the numbers. */
type TextOf<Body> = 'openapi_spec' extends keyof Body ? Blob : never;

interface AnyInput {
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string | undefined;
  readonly allow?: readonly number[] | undefined;
}

/** A response body with its text and headers. */
export interface FullResponse<Body> {
  readonly body: Body;
  /** The body as it was sent. */
  readonly text: string;
  readonly headers: Headers;
}

/** Calls the service as the signed-in person. Throws `Problem` unless the call succeeds. */
export const call = async <const Name extends CallName>(
  name: Name,
  ...[input]: Record<never, never> extends CallInput<Name> ? [CallInput<Name>?] : [CallInput<Name>]
): Promise<CallResult<Name>> => (await callWithHeaders(name, input ?? ({} as CallInput<Name>))).body;

/** Like `call`, but also returns the response headers, which contain the next page's cursor, for example. */
export const callWithHeaders = async <const Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
): Promise<FullResponse<CallResult<Name>>> => {
  const response = await send(name, input ?? {});
  const text = await response.text();
  const body = (isJson(response) ? JSON.parse(text) : text) as CallResult<Name>;
  return { body, text, headers: response.headers };
};

/** Returns the bytes of a response, to be saved as a file. */
export const callForFile = async <const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Blob> =>
  (await send(name, input)).blob();

const send = async (name: CallName, input: AnyInput): Promise<Response> => {
  const response = await request(name, input, await tokens.getCurrentToken());
  if (response.status !== 401) return requireSuccess(response, input);
  // The token may have expired in the meantime, or the service's clock may be ahead: retry once with a fresh token.
  return requireSuccess(await request(name, input, await tokens.renew()), input);
};

const request = async (name: CallName, input: AnyInput, token: string | null): Promise<Response> => {
  const [method = 'GET', path = '/'] = name.split(' ');
  const address = path.replace(/:(\w+)/g, (_match, key: string) => toPathSegment(input.params?.[key] ?? ''));
  const headers = {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(input.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(input.accept ? { Accept: input.accept } : {}),
  };
  try {
    return await fetch(`${address}${queryOf(input.query)}`, {
      method,
      headers,
      body: input.body === undefined ? null : input.body instanceof Blob ? input.body : JSON.stringify(input.body),
      signal: input.signal ?? null,
      credentials: 'omit',
    });
  } catch (error) {
    if (input.signal?.aborted) throw error;
    throw new Problem(0, null, null);
  }
};

/**
 * Rejects values that cannot be a path segment: dots would address the parent resource, and an empty segment would
 * address all resources.
 */
const toPathSegment = (value: string): string => {
  if (['', '.', '..'].includes(value)) throw new Problem(404, null, null);
  return encodeURIComponent(value);
};

const queryOf = (query: AnyInput['query']): string => {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const parameters = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  return entries.length === 0 ? '' : `?${parameters.toString()}`;
};

const isJson = (response: Response): boolean =>
  response.headers.get('Content-Type')?.startsWith('application/json') ?? false;

const requireSuccess = async (response: Response, { allow = [] }: AnyInput): Promise<Response> => {
  if (response.ok || (allow.includes(response.status) && isJson(response))) return response;
  const body: unknown = isJson(response) ? await response.json().catch(() => null) : null;
  const { detail = null, retry_after: retryAfter = null } = (body ?? {}) as { detail?: string; retry_after?: number };
  throw new Problem(response.status, messageOf(detail), response.headers.get('X-Request-Id'), retryAfter);
};

/** Returns the message; a 422 lists an error for each invalid field. */
const messageOf = (detail: unknown): string | null => {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return null;
  return detail.map(({ loc, msg }: { loc?: string[]; msg?: string }) => `${loc?.at(-1) ?? ''} ${msg ?? ''}`).join('; ');
};
