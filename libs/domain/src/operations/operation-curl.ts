import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { plainLine } from '../line.ts';
import type { AuthenticationScheme } from '../collections/collection.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { exampleBody, fileValue, placeholder } from './example-body.ts';
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

/** An example of a body is left out of the line beyond this size. */
const bodyMax = 1_000;

/**
 * A line for a POSIX shell that calls the operation once its placeholders, in capitals, are filled in; null if it would
 * be too long. Whatever the document says stands in single quotes, without control characters, and not where curl would
 * read it as an option or as the name of a file.
 */
export function operationCurl(
  source: Source,
  operation: DocumentOperation,
  { baseUrl, authentication }: { readonly baseUrl: string; readonly authentication: AuthenticationScheme },
): string | null {
  if (operation.path.length > curlMax) return null;
  const required = parametersOf(source.document, operation).filter((parameter) => parameter.required);
  const credential = credentialOf(authentication);
  const of = (place: Parameter['in']): [string, string][] => [
    ...required
      .filter((one) => one.in === place && !isTaken(one.name, place, credential))
      .map(({ name }): [string, string] => [name, placeholder(name)]),
    ...(credential?.in === place ? [[credential.name, credential.value] as [string, string]] : []),
  ];
  const query = of('query').map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const cookies = of('cookie').map(([name, value]) => `${token(name)}=${value}`);
  const headers = of('header').flatMap(([name, value]) => (token(name) ? [`${token(name)}: ${value}`] : []));
  const address = addressOf(baseUrl, operation.path) + (query.length > 0 ? `?${query.join('&')}` : '');
  const start = ['curl', ...methodOptions(operation.method), quoted(address)];
  start.push(...headers.map((header) => `-H ${quoted(header)}`));
  if (cookies.length > 0) start.push(`-b ${quoted(cookies.join('; '))}`);
  const line = [...start, ...bodyOptions(source, operation)].join(' ');
  return line.length <= curlMax ? line : null;
}

/** HEAD by name would wait for a body that never comes. */
const methodOptions = (method: string): string[] =>
  method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', method];

interface Credential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

function credentialOf({ type, name, in: place }: AuthenticationScheme): Credential | null {
  switch (type) {
    case 'bearer':
      return { in: 'header', name: name ?? 'Authorization', value: 'Bearer ACCESS_TOKEN' };
    case 'basic':
      return { in: 'header', name: name ?? 'Authorization', value: 'Basic BASE64_OF_USER_AND_PASSWORD' };
    case 'apiKey':
      return name === null ? null : { in: place ?? 'header', name, value: 'API_KEY' };
    case 'none':
      return null;
  }
}

/** Parameters that the credential or the body's options write (OpenAPI 3.1, section 4.8.12.2). */
function isTaken(name: string, place: string, credential: Credential | null): boolean {
  if (place === 'header' && /^(accept|content-type)$/i.test(name)) return true;
  return credential?.in === place && credential.name.toLowerCase() === name.toLowerCase();
}

/** Begins with `http`, so that it is never an option or another protocol. */
function addressOf(baseUrl: string, path: string): string {
  const base = /^https?:\/\//i.test(baseUrl) ? baseUrl : `https://HOST/${baseUrl.startsWith('/') ? baseUrl : ''}`;
  const whole = plainLine(`${base}/${path}`).replace(/\{([^{}]{0,200})\}/g, (_, name: string) => placeholder(name));
  const scheme = whole.indexOf('://') + 3;
  const rest = whole.slice(scheme).replace(/\/{2,}/g, '/');
  // Without what curl reads as a pattern, and what a URL does not hold.
  return whole.slice(0, scheme) + rest.replace(/[[\]{}\s"<>\\^`|]/g, encodeURIComponent);
}

function bodyOptions(source: Source, operation: DocumentOperation): string[] {
  const body = requestBodyOf(source.document, operation);
  const content = body?.content;
  if (!body || !content) return [];
  const { mediaType, schema } = content;
  const example = exampleBody(source, schema, bodyMax);
  if (isMultipart(mediaType)) {
    // As a string a value names no file, whatever it begins with.
    return fieldsOf(example).map(([name, value]) => {
      return `${value === fileValue ? '-F' : '--form-string'} ${quoted(`${field(name)}=${value}`)}`;
    });
  }
  const type = `-H ${quoted(`Content-Type: ${plainLine(mediaType)}`)}`;
  if (isFormMediaType(mediaType)) {
    const fields = fieldsOf(example).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    return fields.length > 0 ? [`-d ${quoted(fields.join('&'))}`] : [];
  }
  if (isJsonMediaType(mediaType) || /\bjson\b/i.test(mediaType)) {
    return [type, `-d ${quoted(plainLine(JSON.stringify(example)))}`];
  }
  return [type, `--data-binary '@FILE'`];
}

const fieldsOf = (example: Json): [string, string][] =>
  isJsonObject(example) ? Object.entries(example).map(([name, value]) => [name, fieldValue(value)]) : [];

const fieldValue = (value: Json): string =>
  isJsonObject(value) || isJsonArray(value) ? JSON.stringify(value) : `${value}`;

/** The name of a form's field, without what separates it from its value. */
const field = (name: string): string => plainLine(name).replace(/[=;@<"\\]/g, '_');

/** The characters of a header's or cookie's name (RFC 9110, section 5.6.2), none of them an option for curl. */
const token = (name: string): string => plainLine(name).replace(/[^A-Za-z0-9!#$%&'*+.^_`|~-]/g, '');

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Single quotes keep everything but a single quote as it is (POSIX shell, section 2.2.2). */
const quoted = (text: string): string => `'${plainLine(text).replaceAll("'", `'\\''`)}'`;
