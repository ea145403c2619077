import type { Calls } from '@portico/http/calls';
import { parseExactJson } from '@portico/domain';
import { OperatorError } from '../terminal.ts';
import { ServerError, type ErrorResponse } from './server-error.ts';

export type CallName = keyof Calls;
export type ResponseOf<Name extends CallName> = Calls[Name]['response'];
/** An item of a list response. */
export type LineOf<Name extends CallName> = ResponseOf<Name> extends readonly (infer Item)[] ? Item : never;

/** The input of a call, with only the parts that its route has. The types come from the route table. */
export type CallInput<Name extends CallName> = {
  /** The required scope, which is named in the error if the caller lacks it. */
  readonly scope: Calls[Name]['scope'];
  /** The query; undefined parameters are left out. */
  readonly query?: { readonly [Parameter in keyof Calls[Name]['query']]?: Calls[Name]['query'][Parameter] | undefined };
  /** JSON text, instead of `body`. */
  readonly text?: string;
  /** Whether a POST is safe to send twice. */
  readonly repeatable?: boolean;
} & ([keyof Calls[Name]['params']] extends [never] ? object : { readonly params: Calls[Name]['params'] }) &
  ([Calls[Name]['body']] extends [never] ? object : { readonly body?: Calls[Name]['body'] });

/** Portico's HTTP API, over any transport. */
export interface Api {
  /** Throws a `ServerError` for an error response, and an `OperatorError` if there is no response. */
  call<const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<ResponseOf<Name>>;
  /** Like `call`, but for a paginated list: returns the items of all pages. */
  callAll<const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<readonly LineOf<Name>[]>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path relative to the API's address, with a leading slash and the query. */
  readonly path: string;
  /** The body, as JSON text. */
  readonly body?: string | undefined;
  readonly repeatable: boolean;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The connection that an API uses. */
export interface Transport {
  /** The server's name in messages. */
  readonly name: string;
  readonly send: (request: ApiRequest) => Promise<ApiResponse>;
  /** Returns a message that describes an error response and says what to do. */
  readonly explain: (response: ErrorResponse) => string | Promise<string>;
}

/** The input that all calls have in common, untyped. */
interface AnyInput {
  readonly scope: string | null;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly repeatable?: boolean;
}

export const createApi = (transport: Transport): Api => {
  const send = async (method: string, path: string, { scope, body, text, repeatable = false }: AnyInput) => {
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = { method: method as ApiRequest['method'], path, body: content, repeatable };
    return readOutcome(transport, await transport.send(request), scope);
  };
  return {
    call: async (name, input) => {
      const [method, path] = methodAndPathOf(name, input);
      return (await send(method, path, input)).value;
    },
    callAll: async (name, input) => {
      const lines: unknown[] = [];
      const [method, firstPath] = methodAndPathOf(name, input);
      for (let path: string | null = firstPath; path !== null;) {
        const { value, nextQuery }: Outcome<unknown> = await send(method, path, input);
        if (!Array.isArray(value)) throw new OperatorError(`${transport.name} did not return a list`);
        lines.push(...(value as unknown[]));
        path = nextQuery === null ? null : `${pathOf(firstPath)}?${nextQuery}`;
      }
      return lines as never;
    },
  };
};

const methodAndPathOf = (
  name: string,
  { params = {}, query = {} }: AnyInput,
): readonly [method: string, path: string] => {
  const [method = 'GET', template = '/'] = name.split(' ');
  const path = template.replace(/:(\w+)/g, (_all, parameter: string) => segmentOf(params[parameter] ?? ''));
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  const queryString = new URLSearchParams(
    parameters.map(([parameter, value]): [string, string] => [parameter, String(value)]),
  ).toString();
  return [method, queryString === '' ? path : `${path}?${queryString}`];
};

/**
 * Encodes a name as a path segment. Throws for names that no path can contain: dots would refer to the current or
 * parent resource, and an empty segment to the list.
 */
const segmentOf = (value: string): string => {
  if (['', '.', '..'].includes(value)) throw new OperatorError(`There is nothing named ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
};

const pathOf = (path: string): string => path.replace(/\?.*$/, '');

/** `Value` is the type that the call promises. */
interface Outcome<Value = never> {
  readonly value: Value;
  /** The query of the next page (RFC 8288); null if this is the last page. */
  readonly nextQuery: string | null;
}

const readOutcome = async (
  { name, explain }: Transport,
  { status, headers, text }: ApiResponse,
  scope: string | null,
): Promise<Outcome> => {
  const value = status === 204 ? null : parseJson(text);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && value !== undefined) return { value: value as never, nextQuery: nextQueryIn(headers.get('link')) };
  const detail = (value as { readonly detail?: unknown } | null | undefined)?.detail;
  if (isSuccess || typeof detail !== 'string')
    throw new OperatorError(`${name} does not respond like Portico (status ${status}): is the address right?`);
  const errorResponse = { status, detail, scope, requestId: headers.get('x-request-id') };
  throw new ServerError(status, detail, await explain(errorResponse));
};

const nextQueryIn = (link: string | null): string | null =>
  /<[^>?]*\?([^>]*)>; rel="next"/.exec(link ?? '')?.[1] ?? null;

const parseJson = (text: string): unknown => {
  try {
    // Numbers keep their digits: the arguments of a call are shown as they will be sent.
    return parseExactJson(text);
  } catch {
    // The sender is not Portico.
    return undefined;
  }
};
