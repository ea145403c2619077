import type { Calls } from '@portico/http/calls';
import { Problem } from './problem.ts';
import { tokens } from '../session/tokens.ts';

export type CallName = keyof Calls;
export type Answered<Name extends CallName> = Calls[Name]['answered'];

/** What a call takes, without the parts that it does not have. */
export type CallInput<Name extends CallName> = {
  readonly query?: Calls[Name]['query'];
  readonly signal?: AbortSignal;
  readonly accept?: string;
  /** Answers that are no success, but say as much as one: 503 of what tells how the service is. */
  readonly allow?: readonly number[];
} & ([keyof Calls[Name]['params']] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Calls[Name]['params'] }) &
  ([Calls[Name]['body']] extends [never]
    ? { readonly body?: undefined }
    : { readonly body?: Calls[Name]['body'] | TextOf<Calls[Name]['body']> });

/** The JSON text of a body with a document, which is sent as it was written, numbers included. */
type TextOf<Body> = 'openapi_spec' extends keyof Body ? Blob : never;

interface AnyInput {
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string | undefined;
  readonly allow?: readonly number[] | undefined;
}

/** An answer with what its headers say. */
export interface FullAnswer<Answer> {
  readonly answered: Answer;
  readonly headers: Headers;
}

/** Calls the service as the one who is signed in. Throws `Problem` for any answer that is no success. */
export const call = async <const Name extends CallName>(
  name: Name,
  ...[input]: Record<never, never> extends CallInput<Name> ? [CallInput<Name>?] : [CallInput<Name>]
): Promise<Answered<Name>> => (await callInFull(name, input ?? ({} as CallInput<Name>))).answered;

/** As `call`, with the headers of the answer, such as the cursor of the next page. */
export const callInFull = async <const Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
): Promise<FullAnswer<Answered<Name>>> => {
  const response = await send(name, input ?? {});
  const answered = (await (isJson(response) ? response.json() : response.text())) as Answered<Name>;
  return { answered, headers: response.headers };
};

/** The bytes of an answer, for a file. */
export const callForFile = async <const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Blob> =>
  (await send(name, input)).blob();

const send = async (name: CallName, input: AnyInput): Promise<Response> => {
  const first = await request(name, input, await tokens.current());
  if (first.status !== 401) return successOf(first, input);
  // The token may have ended meanwhile, or the service's clock may be ahead: once more with a fresh one.
  return successOf(await request(name, input, await tokens.renewed()), input);
};

const request = async (name: CallName, input: AnyInput, token: string | null): Promise<Response> => {
  const [method = 'GET', path = '/'] = name.split(' ');
  const address = path.replace(/:(\w+)/g, (_all, key: string) => segmentOf(input.params?.[key] ?? ''));
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

/** An address cannot name these: a segment of dots would name the resource above, and an empty one all of them. */
const segmentOf = (value: string): string => {
  if (['', '.', '..'].includes(value)) throw new Problem(404, null, null);
  return encodeURIComponent(value);
};

const queryOf = (query: AnyInput['query']): string => {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${parameters.toString()}`;
};

const isJson = (response: Response): boolean =>
  response.headers.get('Content-Type')?.startsWith('application/json') ?? false;

const successOf = async (response: Response, { allow = [] }: AnyInput): Promise<Response> => {
  if (response.ok || (allow.includes(response.status) && isJson(response))) return response;
  const said: unknown = isJson(response) ? await response.json().catch(() => null) : null;
  const { detail = null, retry_after: retryAfter = null } = (said ?? {}) as { detail?: string; retry_after?: number };
  throw new Problem(response.status, textOf(detail), response.headers.get('X-Request-Id'), retryAfter);
};

/** A 422 lists what is wrong with which field. */
const textOf = (detail: unknown): string | null => {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return null;
  return detail.map(({ loc, msg }: { loc?: string[]; msg?: string }) => `${loc?.at(-1) ?? ''} ${msg ?? ''}`).join('; ');
};
