import type { PreparedRequest } from '../../src/calls-check/product.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Where an argument goes: `[in, name]`, and the body's media type in `type`. */
export interface SimpleOperation {
  readonly method: string;
  readonly path: string;
  readonly type: 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';
  readonly places: Readonly<Record<string, readonly [location: string, name: string]>>;
}

/** Also encodes the reserved characters that `encodeURIComponent` leaves (RFC 3986, section 2.2). */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
const textOf = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const boundary = 'simple-boundary';

/**
 * Prepares requests of the few kinds that the tests of the echo check use: lists as repeated fields, objects in the query
 * as `deepObject`, texts under `file` as files in base64.
 */
export function prepareSimply(
  { method, path, type, places }: SimpleOperation,
  args: Readonly<Record<string, Json>>,
): PreparedRequest {
  const valuesIn = (location: string): (readonly [name: string, value: Json])[] =>
    Object.entries(args).flatMap(([key, value]) =>
      places[key]?.[0] === location ? [[places[key][1], value] as const] : [],
    );
  const pathValues = new Map(valuesIn('path'));
  const target = path.replace(/\{([^{}]+)\}/g, (_, name: string) => encode(textOf(pathValues.get(name) ?? '')));
  const query = valuesIn('query').flatMap(([name, value]) => toFields(name, value));
  const url = `https://things.example/v1${target}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const cookies = valuesIn('cookie').map(([name, value]) => `${name}=${textOf(value)}`);
  const body = bodyOf(type, Object.fromEntries(valuesIn('body')));
  const contentType = type === 'multipart/form-data' ? `${type}; boundary=${boundary}` : type;
  const headers = [
    ...valuesIn('header').map(([name, value]) => [name, textOf(value)] as const),
    ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
    ['Content-Type', contentType] as const,
  ];
  const request = {
    method,
    url,
    headers,
    body: { base64: Buffer.from(body, 'latin1').toString('base64') },
    credentials: [],
    warnings: [],
  };
  return { ...request, curl: toCurl(request, body, args) };
}

const toFields = (name: string, value: Json): string[] => {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => `${encode(name)}=${encode(textOf(item))}`);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([key, item]) => `${encode(`${name}[${key}]`)}=${encode(textOf(item))}`);
  return [`${encode(name)}=${encode(textOf(value))}`];
};

/** Returns the bytes of the body as Latin-1. */
function bodyOf(type: SimpleOperation['type'], members: Readonly<Record<string, Json>>): string {
  const toBytes = (text: string): string => Buffer.from(text).toString('latin1');
  if (type === 'application/json') return toBytes(JSON.stringify(members));
  if (type === 'application/x-www-form-urlencoded')
    return Object.entries(members)
      .flatMap(([name, value]) => toFields(name, value))
      .join('&');
  const parts = Object.entries(members).map(([name, value]) => {
    const [file, content] =
      name === 'file'
        ? ['; filename="FILE"', Buffer.from(textOf(value), 'base64').toString('latin1')]
        : ['', toBytes(textOf(value))];
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function toCurl(
  { method, url, headers }: Pick<PreparedRequest, 'method' | 'url' | 'headers'>,
  body: string,
  args: object,
): string {
  const isMultipart = headers.some(([, value]) => value.startsWith('multipart/'));
  const lines = headers
    .filter(([name]) => !isMultipart || name !== 'Content-Type')
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const fields = Object.entries(args).flatMap(([name, value]) =>
    name === 'file' ? [`-F 'file=@FILE'`] : [`--form-string ${quote(`${name}=${String(value)}`)}`],
  );
  const data = isMultipart ? fields : [`--data-binary ${quote(Buffer.from(body, 'latin1').toString())}`];
  return ['curl', '-g', '-X', method, quote(url), ...lines, ...data].join(' ');
}
