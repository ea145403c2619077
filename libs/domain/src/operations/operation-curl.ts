import { toPlainLine } from '../line.ts';
import { appendQuery, buildRequest, UnsendableError } from './build-request.ts';
import type { ApiCredential } from './credentials.ts';
import { toWireRequest, type HttpBody, type HttpRequest, type RequestPart } from './http-request.ts';
import { isFormMediaType } from './operation-parts.ts';
import { percentEncode } from './parameter-styles.ts';
import type { RequestDescription } from './request-description.ts';
import { createSampleValues, toPlaceholder } from './sample-values.ts';

/** The maximum length of the command line of a sample, in characters. */
const sampleMax = 2_000;

/**
 * Returns a command line for a POSIX shell that calls the operation once its placeholders, in upper case, are filled
 * in; null if it would be too long, or the operation cannot be called over HTTP.
 */
export function buildOperationCurl(description: RequestDescription): string | null {
  if (description.operation.path.length > sampleMax) return null;
  try {
    const request = buildRequest(description, createSampleValues(description));
    const line = printCurl({
      ...request,
      url: request.url.replace(/\{([^{}]*)\}/g, (_, name: string) => toPlaceholder(name)),
    });
    return line !== null && line.length <= sampleMax && !/\p{Cc}/u.test(line) ? line : null;
  } catch (error) {
    // The document's own example is not allowed at its position, or a name is not.
    if (error instanceof UnsendableError) return null;
    throw error;
  }
}

/**
 * Returns a command line that sends a request, with placeholders for its credentials. All text from the document is in
 * single quotes, and is never in a position where curl would read it as an option or a file name. Returns null if the
 * URL has a protocol other than HTTP.
 */
export function printCurl(request: HttpRequest): string | null {
  const credentials = request.credentials.flatMap((credential) => toCredentialValue(credential, request.credentials));
  const valuesIn = (location: ApiCredential['in']) => credentials.filter((credential) => credential.in === location);
  const url = toAbsoluteUrl(
    appendQuery(
      request.url,
      valuesIn('query').map(({ name, value }) => [percentEncode(name), value]),
    ),
  );
  if (url === null) return null;
  const headers = [...valuesIn('header').map(({ name, value }) => [name, value] as const), ...request.headers];
  const cookies = [...request.cookies, ...valuesIn('cookie').map(({ name, value }) => [name, value] as const)];
  const start = ['curl', ...methodOptionsOf(request), quote(url)];
  // An empty field would be removed; with a semicolon, it is sent.
  for (const [name, value] of headers)
    start.push(`-H ${quote(value === '' ? `${toToken(name)};` : `${toToken(name)}: ${value}`)}`);
  if (cookies.length > 0) start.push(`-b ${quote(cookies.map(([name, value]) => `${name}=${value}`).join('; '))}`);
  const { body, method } = request;
  if (!body || method === 'HEAD') return start.join(' ');
  return printBody(start, body);
}

function printBody(start: readonly string[], body: HttpBody): string {
  if (body.kind === 'multipart' && body.parts.length > 0 && body.parts.every(isPrintable)) {
    const type = /^multipart\/form-data$/i.test(body.contentType)
      ? []
      : [`-H ${quote(`Content-Type: ${body.contentType}`)}`];
    return [...start, ...type, ...body.parts.map(printPart)].join(' ');
  }
  const { headers, body: content } =
    body.kind === 'content' && typeof body.content !== 'string' && 'path' in body.content
      ? { headers: [['Content-Type', body.contentType] as const], body: null }
      : toWireRequest({ method: '', url: '', headers: [], cookies: [], credentials: [], body });
  const [, contentType = ''] = headers.find(([name]) => name === 'Content-Type') ?? [];
  const isDefault = isFormMediaType(contentType) && !contentType.includes(';');
  const type = isDefault ? [] : [`-H ${quote(`Content-Type: ${contentType}`)}`];
  if (content === null) return [...start, ...type, `--data-binary '@FILE'`].join(' ');
  if ('base64' in content)
    return `printf %s ${quote(content.base64)} | base64 -d | ${[...start, ...type, '--data-binary @-'].join(' ')}`;
  // With `--data-raw`, an at sign at the beginning is not the start of a file's name.
  const option = content.text.startsWith('@') ? '--data-raw' : '-d';
  return [...start, ...type, `${option} ${quote(content.text)}`].join(' ');
}

/** Whether curl can write a part from an option: a name with such characters would end early. */
const isPrintable = ({ name, content }: RequestPart): boolean =>
  !/[=;"\\\p{Cc}]/u.test(name) && (typeof content === 'string' || 'path' in content);

function printPart({ name, contentType, fileName, content }: RequestPart): string {
  const type = contentType === null ? '' : `;type=${toPlainLine(contentType).replace(/["\\]/g, '')}`;
  if (typeof content !== 'string')
    return `-F ${quote(`${name}=@FILE${type === ';type=application/octet-stream' ? '' : type}`)}`;
  // With `--form-string`, a value is never read as a file name, regardless of how it begins.
  if (type === '' && fileName === null) return `--form-string ${quote(`${name}=${content}`)}`;
  const file = fileName === null ? '' : `;filename="${fileName.replace(/["\\]/g, '_')}"`;
  // Without these characters, curl reads the content up to the next option.
  if (file === '' && !/^["@<(=]|[;\r\n]/.test(content)) return `-F ${quote(`${name}=${content}${type}`)}`;
  return `-F ${quote(`${name}="${content.replace(/["\\]/g, (character) => `\\${character}`)}"${file}${type}`)}`;
}

/** Returns curl's options for a method. `-X HEAD` would wait for a body that never comes. */
const methodOptionsOf = ({ method, body }: HttpRequest): string[] =>
  method === 'HEAD' ? ['-I'] : method === 'GET' && !body ? [] : ['-X', method];

/** Returns a URL that curl calls over HTTP; without a host, it contains a placeholder for one. */
export function toAbsoluteUrl(url: string): string | null {
  const protocol = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (protocol !== undefined && protocol !== 'http' && protocol !== 'https') return null;
  const absolute = protocol === undefined ? `https://HOST/${url.replace(/^\/+/, '')}` : url;
  // Escapes characters that curl reads as a pattern, and those that a URL cannot contain.
  return toPlainLine(absolute).replace(/[[\]{}\s"<>\\^`|]/g, encodeURIComponent);
}

export interface CredentialValue {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

/** Returns where a credential is sent, with a placeholder; nothing if it is not a part of the request. */
export function toCredentialValue(credential: ApiCredential, all: readonly ApiCredential[]): CredentialValue[] {
  const { type, in: location, name, prefix } = credential;
  if (location === null || name === null) return [];
  // The credential of two schemes may be the same header.
  const first = all.find((other) => other.in === location && other.name === name);
  if (first !== credential) return [];
  const keys = all.filter((other) => other.type === 'apiKey');
  const value =
    type === 'basic'
      ? 'BASE64_OF_USER_AND_PASSWORD'
      : type !== 'apiKey'
        ? 'ACCESS_TOKEN'
        : keys.length > 1
          ? toPlaceholder(name)
          : 'API_KEY';
  return [{ in: location, name, value: `${prefix ?? ''}${value}` }];
}

/**
 * Returns only the characters allowed in the name of a header or cookie (RFC 9110, section 5.6.2), none of which curl
 * reads as an option.
 */
export const toToken = (name: string): string => toPlainLine(name).replace(/[^A-Za-z0-9!#$%&'*+.^_`|~-]/g, '');

/** Quotes a text for the shell: single quotes preserve everything except a single quote (POSIX, section 2.2.2). */
const quote = (text: string): string => `'${text.toWellFormed().replaceAll("'", `'\\''`)}'`;
