import { PorticoError, type EgressRequest } from '@portico/domain';
import { unreachable } from './failures.ts';

/** A request whose parts are valid. Its address is not checked yet. */
export interface CheckedRequest {
  readonly origin: string;
  readonly hasTls: boolean;
  /** With brackets if it is an IPv6 address. */
  readonly hostname: string;
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  /** Names and values in turn, as undici takes them. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  /** Whether the connection is closed afterwards: a server that ignores the body would take it for a request. */
  readonly closesConnection: boolean;
}

const methodsWithBody = ['POST', 'PUT', 'PATCH'];
/** TRACE sends the headers back, and CONNECT makes the connection a tunnel. */
const refusedMethods = ['CONNECT', 'TRACE'];

/** Headers of the connection, which only this adapter sets (RFC 9110, section 7.6.1; RFC 9112). */
const refusedHeaders = [
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'expect'],
  ...['http2-settings'],
];
/** Replaces the header of the caller: the adapter decodes the body, and these two are cheap for most servers. */
const acceptedCodings = 'gzip, br';

/**
 * Checks a request. Throws `upstream_unreachable` for a URL that is not allowed, and `invalid_arguments` for a method
 * or header that is not valid.
 */
export const checkRequest = ({ method, url, headers, body }: EgressRequest): CheckedRequest => {
  const { protocol, origin, hostname, pathname, search } = parseUrl(url);
  const isEmpty = body === null || body.byteLength === 0;
  return {
    ...{ origin, hostname, path: `${pathname}${search}`, hasTls: protocol === 'https:' },
    method: checkMethod(method),
    headers: [...headers.flatMap(checkHeader), 'accept-encoding', acceptedCodings],
    body: isEmpty ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    closesConnection: !isEmpty && !methodsWithBody.includes(method),
  };
};

/** Control characters, spaces and backslashes are refused, because `URL` removes or replaces them. */
const urlPattern = /^https?:\/\/[^\s\\@/?#]+([/?][^\s\\#]*)?$/i;
const controlCharacter = /\p{Cc}/u;

const parseUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (!url || !urlPattern.test(text) || controlCharacter.test(text)) {
    throw unreachable('its URL is not an http or https URL without a user name and a fragment');
  }
  return url;
};

const checkMethod = (method: string): string => {
  if (!/^[A-Z]+(-[A-Z]+)*$/.test(method) || refusedMethods.includes(method)) {
    throw new PorticoError('invalid_arguments', { reason: 'the method of the request is not allowed' });
  }
  return method;
};

const tokenPattern = /^[!#$%&'*+.^_`|~\w-]+$/;
/** RFC 9110, section 5.5: no control characters but the tab, and nothing that a byte cannot represent. */
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

const checkHeader = ([name, value]: readonly [string, string]): readonly string[] => {
  if (!tokenPattern.test(name) || !valuePattern.test(value)) {
    throw new PorticoError('invalid_arguments', { reason: 'a header of the request is not valid in HTTP' });
  }
  const lowerCaseName = name.toLowerCase();
  if (refusedHeaders.includes(lowerCaseName) || lowerCaseName.startsWith('proxy-')) {
    throw new PorticoError('invalid_arguments', { reason: 'a header of the request belongs to the connection' });
  }
  return lowerCaseName === 'accept-encoding' ? [] : [name, value];
};
