import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { toPlainLine } from '../line.ts';
import type { AuthenticationScheme } from '../collections/collection.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { buildExampleBody, fileValue, toPlaceholder } from './example-body.ts';
import {
  isFormMediaType,
  isJsonMediaType,
  isMultipart,
  parametersOf,
  requestBodyOf,
  type Parameter,
} from './operation-parts.ts';
import type { Source } from './references.ts';

const curlMax = 2_000;

/** The maximum length of an example body in the command line, in characters; a longer one is reduced or omitted. */
const bodyMax = 1_000;

/**
 * Returns a command line for a POSIX shell that calls the operation once its placeholders, in upper case, are filled
 * in; null if it would be too long. All text from the document is in single quotes, without control characters, and is
 * never in a position where curl would read it as an option or a file name.
 */
export function buildOperationCurl(
  source: Source,
  operation: DocumentOperation,
  { baseUrl, authentication }: { readonly baseUrl: string; readonly authentication: AuthenticationScheme },
): string | null {
  if (operation.path.length > curlMax) return null;
  const required = parametersOf(source.document, operation).filter((parameter) => parameter.required);
  const credential = credentialOf(authentication);
  const valuesFor = (location: Parameter['in']): [string, string][] => [
    ...required
      .filter((parameter) => parameter.in === location && !isAlreadySet(parameter.name, location, credential))
      .map(({ name }): [string, string] => [name, toPlaceholder(name)]),
    ...(credential?.in === location ? [[credential.name, credential.value] as [string, string]] : []),
  ];
  const query = valuesFor('query').map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const cookies = valuesFor('cookie').map(([name, value]) => `${toToken(name)}=${value}`);
  const headers = valuesFor('header').flatMap(([name, value]) => (toToken(name) ? [`${toToken(name)}: ${value}`] : []));
  const url = buildUrl(baseUrl, operation.path) + (query.length > 0 ? `?${query.join('&')}` : '');
  const start = ['curl', ...methodOptionsOf(operation.method), quote(url)];
  start.push(...headers.map((header) => `-H ${quote(header)}`));
  if (cookies.length > 0) start.push(`-b ${quote(cookies.join('; '))}`);
  const line = [...start, ...bodyOptionsOf(source, operation)].join(' ');
  return line.length <= curlMax ? line : null;
}

/** Returns curl's options for a method. `-X HEAD` would wait for a body that never comes. */
const methodOptionsOf = (method: string): string[] =>
  method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', method];

interface Credential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

function credentialOf({ type, name, in: location }: AuthenticationScheme): Credential | null {
  switch (type) {
    case 'bearer':
      return { in: 'header', name: name ?? 'Authorization', value: 'Bearer ACCESS_TOKEN' };
    case 'basic':
      return { in: 'header', name: name ?? 'Authorization', value: 'Basic BASE64_OF_USER_AND_PASSWORD' };
    case 'apiKey':
      return name === null ? null : { in: location ?? 'header', name, value: 'API_KEY' };
    case 'none':
      return null;
  }
}

/** Whether the credential or the body's options already set the parameter (OpenAPI 3.1, section 4.8.12.2). */
function isAlreadySet(name: string, location: string, credential: Credential | null): boolean {
  if (location === 'header' && /^(accept|content-type)$/i.test(name)) return true;
  return credential?.in === location && credential.name.toLowerCase() === name.toLowerCase();
}

/** Returns the URL, which starts with `http`, so that it is never an option or a different protocol. */
function buildUrl(baseUrl: string, path: string): string {
  const base = /^https?:\/\//i.test(baseUrl) ? baseUrl : `https://HOST/${baseUrl.startsWith('/') ? baseUrl : ''}`;
  const url = toPlainLine(`${base}/${path}`).replace(/\{([^{}]{0,200})\}/g, (_, name: string) => toPlaceholder(name));
  const scheme = url.indexOf('://') + 3;
  const hostAndPath = url.slice(scheme).replace(/\/{2,}/g, '/');
  // Escapes characters that curl reads as a pattern, and those that a URL cannot contain.
  return url.slice(0, scheme) + hostAndPath.replace(/[[\]{}\s"<>\\^`|]/g, encodeURIComponent);
}

function bodyOptionsOf(source: Source, operation: DocumentOperation): string[] {
  const body = requestBodyOf(source.document, operation);
  const content = body?.content;
  if (!body || !content) return [];
  const { mediaType, schema } = content;
  const example = buildExampleBody(source, schema, bodyMax);
  if (isMultipart(mediaType)) {
    // With `--form-string`, a value is never read as a file name, regardless of how it begins.
    return fieldsOf(example).map(([name, value]) => {
      return `${value === fileValue ? '-F' : '--form-string'} ${quote(`${toFieldName(name)}=${value}`)}`;
    });
  }
  const type = `-H ${quote(`Content-Type: ${toPlainLine(mediaType)}`)}`;
  if (isFormMediaType(mediaType)) {
    const fields = fieldsOf(example).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
    return fields.length > 0 ? [`-d ${quote(fields.join('&'))}`] : [];
  }
  if (isJsonMediaType(mediaType) || /\bjson\b/i.test(mediaType)) {
    return [type, `-d ${quote(toPlainLine(JSON.stringify(example)))}`];
  }
  return [type, `--data-binary '@FILE'`];
}

const fieldsOf = (example: Json): [string, string][] =>
  isJsonObject(example) ? Object.entries(example).map(([name, value]) => [name, toFieldValue(value)]) : [];

const toFieldValue = (value: Json): string =>
  isJsonObject(value) || isJsonArray(value) ? JSON.stringify(value) : `${value}`;

/** Returns the name of a form field, without the characters that separate it from its value. */
const toFieldName = (name: string): string => toPlainLine(name).replace(/[=;@<"\\]/g, '_');

/**
 * Returns only the characters allowed in the name of a header or cookie (RFC 9110, section 5.6.2), none of which curl
 * reads as an option.
 */
const toToken = (name: string): string => toPlainLine(name).replace(/[^A-Za-z0-9!#$%&'*+.^_`|~-]/g, '');

const percentEncode = (text: string): string => encodeURIComponent(text.toWellFormed());

/**
 * Quotes a text for the shell: single quotes preserve everything except a single quote (POSIX shell, section 2.2.2).
 */
const quote = (text: string): string => `'${toPlainLine(text).replaceAll("'", `'\\''`)}'`;
