import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import type { FileContent, HttpBody, HttpRequest, RequestPart } from './http-request.ts';
import { isMediaRange } from './operation-parts.ts';
import { encodeReserved, percentEncode, toPairs, toSegment, toText, type Pair } from './parameter-styles.ts';
import type { Parameter } from './parameters.ts';
import type { BodyContent, Encoding } from './request-body.ts';
import { credentialsOf, type RequestDescription } from './request-description.ts';
import { isFile } from './file-schema.ts';
import { joinUrl } from './servers.ts';

/** The values of a request: of its parameters, and of its body, undefined if it has none. */
export interface RequestValues {
  readonly parameters: readonly (readonly [Parameter, Json])[];
  readonly body: Json | undefined;
}

/** Thrown for a value that the request cannot contain. */
export class UnsendableError extends Error {
  readonly parameter: Parameter | null;

  constructor(parameter: Parameter | null, message: string) {
    super(message);
    this.parameter = parameter;
  }
}

/** In the values of a sample, the content of a file. */
export const sampleFile = '@FILE';

/**
 * Builds a request from values, serialised as the document states it. Throws `UnsendableError` for a value that is not
 * allowed at its position, even if its schema accepts it.
 */
export function buildRequest(description: RequestDescription, values: RequestValues): HttpRequest {
  const { operation, servers, accept, body } = description;
  const valuesIn = (location: Parameter['in']) => values.parameters.filter(([parameter]) => parameter.in === location);
  const segments = new Map(
    valuesIn('path').map(([parameter, value]) => [parameter.name, toPathSegment(parameter, value)]),
  );
  const path = operation.path.replace(
    /\{([^{}/]*)\}/g,
    (placeholder, name: string) => segments.get(name) ?? placeholder,
  );
  const { url } = joinUrl(servers[0]?.url ?? '/', path);
  const query = valuesIn('query').flatMap(([parameter, value]) => toQueryPairs(parameter, value));
  const headers = valuesIn('header').map(([parameter, value]) => toHeader(parameter, value));
  const hasAccept = headers.some(([name]) => name.toLowerCase() === 'accept');
  return {
    method: operation.method,
    url: encodeUrl(appendQuery(url, query)),
    headers: accept === null || hasAccept ? headers : [...headers, ['Accept', accept]],
    cookies: valuesIn('cookie').flatMap(([parameter, value]) => toQueryPairs(parameter, value)),
    body: values.body === undefined || !body?.content ? null : toBody(description, body.content, values.body),
    credentials: credentialsOf(description),
  };
}

export const appendQuery = (url: string, pairs: readonly Pair[]): string => {
  if (pairs.length === 0) return url;
  const separator = !url.includes('?') ? '?' : /[?&]$/.test(url) ? '' : '&';
  return `${url}${separator}${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
};

/** Encodes the characters after the host that a URL cannot contain. */
const encodeUrl = (url: string): string => {
  const hostEnd = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  const rest = url.slice(hostEnd).toWellFormed();
  return (
    url.slice(0, hostEnd) +
    rest.replace(/[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]|%(?![0-9A-Fa-f]{2})/gu, (character) =>
      encodeURIComponent(character),
    )
  );
};

function toPathSegment(parameter: Parameter, value: Json): string {
  const { name, style, explode, contentType } = parameter;
  const segment =
    contentType === null
      ? toSegment(name, value, { style, explode, encode: percentEncode })
      : percentEncode(toContentText(value, contentType));
  if (segment === '') throw new UnsendableError(parameter, 'must not be empty, because it is part of the path');
  // A client would resolve these as relative to the path, and call a different operation.
  if (segment === '.' || segment === '..')
    throw new UnsendableError(parameter, `must not be ${segment}, because it is part of the path`);
  return segment;
}

function toQueryPairs({ name, style, explode, allowReserved, contentType }: Parameter, value: Json): readonly Pair[] {
  if (value === null) return [];
  const encode = allowReserved ? encodeReserved : percentEncode;
  if (contentType !== null) return [[percentEncode(name), encode(toContentText(value, contentType))]];
  return toPairs(name, value, { style, explode, encode });
}

function toHeader(parameter: Parameter, value: Json): readonly [string, string] {
  const { name, style, explode, contentType } = parameter;
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    throw new UnsendableError(parameter, 'has a name in the document that a header cannot have');
  const text =
    contentType === null
      ? toSegment(name, value, { style, explode, encode: (part) => part })
      : toContentText(value, contentType);
  const trimmed = text.trim();
  // Fields are octets (RFC 9110, section 5.5): other characters have no agreed encoding.
  if (!isPlainLine(trimmed) || !/^[\x20-\x7e\xa0-\xff]*$/.test(trimmed))
    throw new UnsendableError(parameter, 'must be one line of Latin-1 characters, because it is a header');
  return [name, trimmed];
}

/** Returns the text of a value with a media type: JSON, unless it is a text of another type. */
const toContentText = (value: Json, contentType: string): string =>
  typeof value === 'string' && !/json/i.test(contentType) ? value : JSON.stringify(value);

function toBody(description: RequestDescription, content: BodyContent, value: Json): HttpBody {
  const { kind, contentType } = content;
  switch (kind) {
    case 'json':
      return { kind: 'content', contentType, content: JSON.stringify(value) };
    case 'form': {
      const pairs = Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
        toFormPairs(name, member, content.encoding.get(name)),
      );
      return { kind: 'content', contentType, content: pairs.map((pair) => pair.join('=')).join('&') };
    }
    case 'multipart': {
      const parts = Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
        toParts(description, content, name, member),
      );
      return { kind: 'multipart', contentType, parts };
    }
    case 'raw':
      return {
        kind: 'content',
        contentType,
        content: typeof value === 'string' ? toFileContent(value).content : JSON.stringify(value),
      };
  }
}

/** Returns a member of a form (OpenAPI 3.1, section 4.8.14.4): lists are repeated, and objects are JSON. */
function toFormPairs(name: string, value: Json, encoding: Encoding | undefined): readonly Pair[] {
  const encode = encoding?.allowReserved ? encodeReserved : percentEncode;
  if (value === null) return [];
  if (encoding?.style) return toPairs(name, value, { style: encoding.style, explode: encoding.explode, encode });
  const isJson = encoding?.contentType?.includes('json') ?? false;
  if (isJson) return [[encode(name), encode(JSON.stringify(value))]];
  if (isJsonObject(value)) return [[encode(name), encode(toText(value))]];
  return toPairs(name, value, { style: 'form', explode: true, encode });
}

/** Returns the parts of a member of a multipart body (OpenAPI 3.1, section 4.8.14.5): each item of a list is one. */
function toParts(description: RequestDescription, content: BodyContent, name: string, value: Json): RequestPart[] {
  if (value === null) return [];
  const encoding = content.encoding.get(name);
  const plainPart = { name, contentType: null, fileName: null };
  if (encoding?.style)
    return toPairs(name, value, { style: encoding.style, explode: encoding.explode, encode: (text) => text }).map(
      ([pairName, text]) => ({ ...plainPart, name: pairName, content: text }),
    );
  const declaredTypes = encoding?.contentType?.split(',').map((type) => type.trim()) ?? [];
  const declaredType = declaredTypes.find((type) => type !== '' && !isMediaRange(type)) ?? null;
  if (isJsonArray(value) && !declaredType?.includes('json'))
    return value.flatMap((item) =>
      isJsonArray(item) ? [toJsonPart(name, item, declaredType)] : toParts(description, content, name, item),
    );
  if (typeof value === 'string' && isFile(description.reader, content, name)) {
    const { content: file, mediaType } = toFileContent(value);
    const fileName = typeof file !== 'string' && 'path' in file ? null : name;
    const ownType = mediaType !== null && declaredTypes.includes(mediaType) ? mediaType : declaredType;
    return [{ name, contentType: ownType ?? mediaType ?? 'application/octet-stream', fileName, content: file }];
  }
  if (isJsonObject(value) || isJsonArray(value) || declaredType?.includes('json'))
    return [toJsonPart(name, value, declaredType)];
  return [{ ...plainPart, contentType: declaredType, content: toText(value) }];
}

const toJsonPart = (name: string, value: Json, contentType: string | null): RequestPart => ({
  name,
  contentType: contentType ?? 'application/json',
  fileName: null,
  content: JSON.stringify(value),
});

/** Returns the content of a file: a `data:` URL in base64 (RFC 2397) contains any bytes, all other texts are text. */
function toFileContent(text: string): { content: string | FileContent; mediaType: string | null } {
  if (text === sampleFile) return { content: { path: 'FILE' }, mediaType: null };
  const [start, mediaType] = /^data:([^,;]*)(?:;[^,;]*)*?;base64,/.exec(text) ?? [];
  if (start === undefined) return { content: text, mediaType: null };
  const base64 = text.slice(start.length);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw new UnsendableError(null, 'must not contain a data: URL whose base64 is invalid or not padded');
  return { content: { base64 }, mediaType: mediaType || null };
}
