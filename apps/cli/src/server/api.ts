import type { Calls } from '@portico/http/calls';
import { OperatorError } from '../terminal.ts';
import { ServerRefusal, type Refused } from './refusals.ts';

export type CallName = keyof Calls;
export type Answered<Name extends CallName> = Calls[Name]['answered'];
/** A line of an answered list. */
export type LineOf<Name extends CallName> = Answered<Name> extends readonly (infer Line)[] ? Line : never;

/** What a call takes, without the parts that it does not have; the types are those of the route table. */
export type CallInput<Name extends CallName> = {
  /** Told whoever lacks it. */
  readonly scope: Calls[Name]['scope'];
  /** What is undefined is left out. */
  readonly query?: { readonly [Parameter in keyof Calls[Name]['query']]?: Calls[Name]['query'][Parameter] | undefined };
  /** JSON text, instead of a body. */
  readonly text?: string;
  /** Whether sending it twice does no harm though it is a POST. */
  readonly repeatable?: boolean;
} & ([keyof Calls[Name]['params']] extends [never] ? object : { readonly params: Calls[Name]['params'] }) &
  ([Calls[Name]['body']] extends [never] ? object : { readonly body?: Calls[Name]['body'] });

/** Portico's HTTP API, wherever it answers. */
export interface Api {
  /** Throws a `ServerRefusal` for a refusal, and an `OperatorError` if there is no answer. */
  call<const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answered<Name>>;
  /** The same for a list that comes page by page: returns the lines of all pages. */
  callAll<const Name extends CallName>(name: Name, input: CallInput<Name>): Promise<readonly LineOf<Name>[]>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the API's address on, with a slash first and its query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly repeatable: boolean;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** How an API is reached. */
export interface Transport {
  /** Who answers, in words. */
  readonly name: string;
  readonly send: (request: ApiRequest) => Promise<ApiAnswer>;
  /** A refusal in words that tell what to do. */
  readonly explain: (refused: Refused) => string | Promise<string>;
}

/** What calls have in common, as text. */
interface AnyInput {
  readonly scope: string | null;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly repeatable?: boolean;
}

export const createApi = (transport: Transport): Api => {
  const ask = async (method: string, path: string, { scope, body, text, repeatable = false }: AnyInput) => {
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = { method: method as ApiRequest['method'], path, body: sent, repeatable };
    return valueOf(transport, await transport.send(request), scope);
  };
  return {
    call: async (name, input) => {
      const [method, path] = addressOf(name, input);
      return (await ask(method, path, input)).value;
    },
    callAll: async (name, input) => {
      const lines: unknown[] = [];
      const [method, first] = addressOf(name, input);
      for (let path: string | null = first; path !== null;) {
        const { value, nextQuery }: Outcome<unknown> = await ask(method, path, input);
        if (!Array.isArray(value)) throw new OperatorError(`${transport.name} does not answer with a list`);
        lines.push(...(value as unknown[]));
        path = nextQuery === null ? null : `${pathOf(first)}?${nextQuery}`;
      }
      return lines as never;
    },
  };
};

const addressOf = (name: string, { params = {}, query = {} }: AnyInput): readonly [method: string, path: string] => {
  const [method = 'GET', template = '/'] = name.split(' ');
  const path = template.replace(/:(\w+)/g, (_all, parameter: string) => segmentOf(params[parameter] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    given.map(([parameter, value]): [string, string] => [parameter, String(value)]),
  ).toString();
  return [method, search === '' ? path : `${path}?${search}`];
};

/** Throws for what an address cannot name: a segment of dots would name the resource above, and an empty one all of them. */
const segmentOf = (value: string): string => {
  if (['', '.', '..'].includes(value)) throw new OperatorError(`There is nothing named ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
};

const pathOf = (path: string): string => path.replace(/\?.*$/, '');

/** Its value is what the call promises, whatever that is. */
interface Outcome<Value = never> {
  readonly value: Value;
  /** The query of the next page (RFC 8288); null if this is the last. */
  readonly nextQuery: string | null;
}

const valueOf = async (
  { name, explain }: Transport,
  { status, headers, text }: ApiAnswer,
  scope: string | null,
): Promise<Outcome> => {
  const value = jsonOf(text);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && value !== undefined) return { value: value as never, nextQuery: nextQueryIn(headers.get('link')) };
  const detail = (value as { readonly detail?: unknown } | null | undefined)?.detail;
  if (isSuccess || typeof detail !== 'string')
    throw new OperatorError(`${name} does not answer as Portico does (status ${status}): is the address right?`);
  const refused = { status, detail, scope, requestId: headers.get('x-request-id') };
  throw new ServerRefusal(status, detail, await explain(refused));
};

const nextQueryIn = (link: string | null): string | null =>
  /<[^>?]*\?([^>]*)>; rel="next"/.exec(link ?? '')?.[1] ?? null;

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // It was sent by something else than Portico.
    return undefined;
  }
};
