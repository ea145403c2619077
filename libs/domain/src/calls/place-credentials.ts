import { toBase64 } from '../base64.ts';
import { PorticoError } from '../errors.ts';
import { appendQuery } from '../operations/build-request.ts';
import type { ApiCredential } from '../operations/credentials.ts';
import { percentEncode } from '../operations/parameter-styles.ts';
import type { PreparedRequest } from '../operations/prepare-request.ts';

/** A credential of a request, with the value that is sent after its prefix. */
export interface CredentialValue {
  readonly credential: ApiCredential;
  readonly value: string;
}

/** A request that can be sent. It contains the credentials: never log it. */
export interface CallRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Adds the credentials to a request, each where its security scheme says. Throws `invalid_arguments` if an argument
 * takes the place of one.
 */
export const placeCredentials = (
  { method, url, headers }: Pick<PreparedRequest, 'method' | 'url' | 'headers'>,
  values: readonly CredentialValue[],
): CallRequest => values.reduce<CallRequest>(placeCredential, { method, url, headers });

const placeCredential = (request: CallRequest, { credential, value }: CredentialValue): CallRequest => {
  const { in: location, name } = credential;
  const text = `${credential.prefix ?? ''}${value}`;
  if (name === null || location === null) throw new Error('The credential is not a part of a request.');
  switch (location) {
    case 'header':
      return {
        ...request,
        headers: [...request.headers.filter((header) => !isSameName(header[0], name)), [name, text]],
      };
    case 'query':
      if (queryNamesOf(request.url).includes(name)) throw createPlaceError(name);
      return { ...request, url: appendQuery(request.url, [[percentEncode(name), percentEncode(text)]]) };
    case 'cookie': {
      const cookies = request.headers.filter((header) => isSameName(header[0], 'Cookie')).map(([, cookie]) => cookie);
      const isTaken = cookies.some((cookie) => cookie.split(/; */).some((pair) => pair.startsWith(`${name}=`)));
      if (isTaken) throw createPlaceError(name);
      return {
        ...request,
        headers: [
          ...request.headers.filter((header) => !isSameName(header[0], 'Cookie')),
          ['Cookie', [...cookies, `${name}=${toCookieValue(text)}`].join('; ')],
        ],
      };
    }
  }
};

/** Encodes a value only if it contains characters that a cookie cannot have (RFC 6265, section 4.1.1). */
const toCookieValue = (text: string): string =>
  /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(text) ? text : percentEncode(text);

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Arguments can contain any name: the members of an object are sent as parameters of their own. */
const queryNamesOf = (url: string): readonly string[] =>
  (/\?([^#]*)/.exec(url)?.[1] ?? '').split('&').map((pair) => decode(pair.split('=', 1)[0] ?? ''));

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const createPlaceError = (name: string): PorticoError =>
  new PorticoError('invalid_arguments', {
    reason: `${name} is the credential, which the catalog adds`,
    errors: [{ pointer: '', message: `must not contain ${name}: the catalog adds the credential` }],
  });

/** Returns the value of a stored credential as it is sent: without a prefix, which the scheme adds. */
export const toSentValue = (type: ApiCredential['type'], value: string): string => {
  if (type === 'basic') return encodeBasic(value.replace(/^basic /i, ''));
  return type === 'apiKey' ? value : value.replace(/^bearer /i, '');
};

/**
 * Returns the texts that a response must not contain if it answers a request with this stored value: as it is sent, as
 * it is stored, and the password of basic authentication.
 */
export const secretsOf = (type: ApiCredential['type'], value: string): readonly string[] => {
  const sentValue = toSentValue(type, value);
  if (type !== 'basic') return [sentValue, value];
  return [sentValue, value, passwordOf(sentValue)];
};

/** Returns the password; an empty text if there is none. */
const passwordOf = (sentValue: string): string => {
  try {
    const bytes = Uint8Array.from(atob(sentValue), (character) => character.charCodeAt(0));
    return /:(.*)$/s.exec(new TextDecoder().decode(bytes))?.[1] ?? '';
  } catch {
    return '';
  }
};

/** Encodes `user:password` (RFC 7617). Any other value is encoded already: base64 never contains a colon. */
const encodeBasic = (value: string): string => (value.includes(':') ? toBase64(value) : value);

/** Parts of every runtime that the domain's library does not declare. */
declare const atob: (base64: string) => string;
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };
