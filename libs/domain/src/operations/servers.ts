import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { toPlainLine, toShortLine } from '../line.ts';
import type { ServerSettings } from './call-settings.ts';
import { isNumber } from './numbers.ts';
import { textAt } from './operation-parts.ts';

export interface ServerVariable {
  readonly name: string;
  /** Null if there is neither a setting nor a default. */
  readonly value: string | null;
  readonly default: string | null;
  readonly enum: readonly string[] | null;
  readonly description: string | null;
}

export interface Server {
  /** With the values of the variables; variables without a value are left in braces. */
  readonly url: string;
  readonly description: string | null;
  readonly variables: readonly ServerVariable[];
}

/** The maximum length of a server's URL, in UTF-16 units; a longer one is ignored, as in `baseUrlOf`. */
const urlMax = 4_000;

/**
 * Returns the servers of an operation, or else of its path, or else of the document (OpenAPI 3.1, section 4.8.5). If
 * there are none, the only server is `/`. The collection's base URL replaces those of the document; relative ones of an
 * operation or a path are resolved with it.
 */
export function serversOf(
  document: Json,
  { pathItem, operation }: DocumentOperation,
  { baseUrl, serverVariables }: ServerSettings,
): readonly Server[] {
  const own = [operation, pathItem]
    .map((owner) => listServers(owner, serverVariables))
    .find(({ length }) => length > 0);
  if (own) return baseUrl === null ? own : own.map((server) => ({ ...server, url: resolveUrl(server.url, baseUrl) }));
  if (baseUrl !== null) return [{ url: baseUrl, description: null, variables: [] }];
  const servers = listServers(document, serverVariables);
  return servers.length > 0 ? servers : [{ url: '/', description: null, variables: [] }];
}

/** Resolves the relative URL of a server with an absolute one (RFC 3986, section 5.2); returns any other unchanged. */
export const resolveUrl = (url: string, base: string): string => {
  const [origin = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(base) ?? [];
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|[{}]/i.test(url)) return url;
  const segments = url.startsWith('/') ? [] : base.slice(origin.length).split('/').slice(1, -1);
  for (const segment of url.replace(/^\//, '').split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return `${origin}/${segments.join('/')}`;
};

/** Returns warnings about values of variables that the document does not list. */
export const warnOfVariables = ({ variables }: Server): readonly string[] =>
  variables.flatMap(({ name, value, enum: values }) =>
    value === null || values === null || values.includes(value)
      ? []
      : [
          `The value ${toShortLine(value, 100)} of the server variable ${toShortLine(name, 100)} is not one of ` +
            `${toShortLine(values.join(', '), 200)}.`,
        ],
  );

const listServers = (owner: Json, settings: ServerSettings['serverVariables']): Server[] => {
  const servers = memberOf(owner, 'servers');
  return (isJsonArray(servers) ? servers : []).flatMap((server) => {
    const url = isJsonObject(server) ? textAt(server, 'url') : null;
    if (url === null || !isJsonObject(server)) return [];
    const variables = variablesOf(url, memberOf(server, 'variables'), settings);
    const values = new Map(variables.map(({ name, value }) => [name, value]));
    const text = url.trim().replace(/\{([^{}]*)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
    const address = withoutUserInfo(toPlainLine(text).trim());
    return address.length > urlMax
      ? []
      : [{ url: address || '/', description: textAt(server, 'description'), variables }];
  });
};

/** Returns the variables that a URL contains, in its order, with those that the document does not declare. */
function variablesOf(
  url: string,
  declarations: Json | undefined,
  settings: ServerSettings['serverVariables'],
): ServerVariable[] {
  const names = new Set([...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name));
  return [...names].map((name): ServerVariable => {
    const declaration = memberOf(declarations, name);
    const defaultValue = toText(memberOf(declaration, 'default'));
    const values = memberOf(declaration, 'enum');
    return {
      name,
      value: (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? defaultValue,
      default: defaultValue,
      enum: isJsonArray(values) ? values.flatMap((value) => toText(value) ?? []) : null,
      description: isJsonObject(declaration) ? textAt(declaration, 'description') : null,
    };
  });
}

const toText = (value: Json | undefined): string | null =>
  typeof value === 'string'
    ? value.toWellFormed()
    : isNumber(value) || typeof value === 'boolean'
      ? JSON.stringify(value)
      : null;

/** The URL of an operation, and warnings about parts of the document's URL that it does not contain. */
export interface OperationUrl {
  /** With placeholders for path parameters, such as `{id}`. */
  readonly url: string;
  /** Whether the URL has a host, and a protocol that a client can call. */
  readonly isCallable: boolean;
  readonly warnings: readonly string[];
}

/**
 * Joins a server's URL and a path as URLs: a query in either stays a query, a fragment is not part of a request, and a
 * URL without a protocol gets `https`.
 */
export function joinUrl(server: string, path: string): OperationUrl {
  const warnings: string[] = [];
  const [pathWithQuery = '', fragment] = splitAt(path, '#');
  if (fragment !== undefined)
    warnings.push(`The path in the document ends with the fragment #${fragment}, which a request does not contain.`);
  const [ownPath = '', query] = splitAt(pathWithQuery, '?');
  const [serverWithQuery = ''] = splitAt(server, '#');
  const [base = '', serverQuery] = splitAt(serverWithQuery, '?');
  const queries = [serverQuery, query].filter((part) => part !== undefined && part !== '');
  const absoluteBase = base.startsWith('//') ? `https:${base}` : base;
  let end = absoluteBase.length;
  while (absoluteBase[end - 1] === '/') end--;
  const joined = `${absoluteBase.slice(0, end)}/${ownPath.replace(/^\/+/, '')}`;
  const protocol = /^([a-z][a-z0-9+.-]*):\/\/[^/]/i.exec(joined)?.[1]?.toLowerCase();
  if (protocol === undefined)
    warnings.push(
      'The document names no host for this operation: an administrator of the catalog can set a base URL for the API.',
    );
  else if (protocol !== 'http' && protocol !== 'https') warnings.push(`The protocol ${protocol} is not HTTP.`);
  const host = /^https?:\/\/([^/]+)/i.exec(joined)?.[1];
  const isWrongHost = host !== undefined && !/[{}]/.test(host) && !hostPattern.test(host);
  if (isWrongHost) warnings.push(`The host ${toShortLine(host, 100)} of the server's URL is not valid.`);
  const names = new Set([...server.matchAll(/\{[^{}]*\}/g)].map(([placeholder]) => placeholder));
  if (names.size > 0)
    warnings.push(
      `The server's URL contains variables without a value: ${toShortLine([...names].join(', '), 200)}. An administrator of the catalog can set them.`,
    );
  return {
    url: queries.length > 0 ? `${joined}?${queries.join('&')}` : joined,
    isCallable: (protocol === 'http' || protocol === 'https') && !isWrongHost,
    warnings,
  };
}

/** A name with labels that are not empty, or an IPv6 address; and a port. */
const hostPattern = /^(?:\[[0-9a-f:.]+\]|[^.:[\]\s\\@]+(?:\.[^.:[\]\s\\@]+)*\.?)(?::\d{1,5})?$/i;

const splitAt = (text: string, separator: string): [string, string | undefined] => {
  const index = text.indexOf(separator);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
};

/** Leaves a user name and a password out: a document is no place for a credential. */
const withoutUserInfo = (url: string): string => url.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)[^/?#]*@/i, '$1');
