import { gzipSync } from 'node:zlib';
import { respondInChunks, respondWith } from './hostile-api.ts';

type Encode = (secret: string) => string;

const toUnits = (format: (code: number) => string) => (secret: string) =>
  Array.from(secret, (character) => format(character.charCodeAt(0))).join('');
const toHex = (code: number): string => code.toString(16).padStart(2, '0');
const percentEncode = toUnits((code) => `%${toHex(code)}`);

/** The forms in which an API can reflect a text. */
export const encodings: Readonly<Record<string, Encode>> = {
  'as it is': (secret) => secret,
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in the base64 of a longer text': (secret) => Buffer.from(`{"a":"${secret}"}`).toString('base64'),
  'percent-encoded': percentEncode,
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'escaped in JSON': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in Unicode escapes': toUnits((code) => `\\u00${toHex(code)}`),
  'escaped in HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in character references': toUnits((code) => `&#${code};`),
};

/** A response that reflects a secret. */
export interface Reflection {
  readonly name: string;
  readonly respond: (secret: string) => Buffer;
  /** Whether the response arrives without the place that had the secret. */
  readonly isDropped?: boolean;
}

const inHeader = (name: string, toValue: Encode, status = '200 OK'): Reflection => ({
  name: `in the header ${name}`,
  respond: (secret) => respondWith('fine', [`${name}: ${toValue(secret)}`], status),
});

export const reflections: readonly Reflection[] = [
  ...Object.entries(encodings).map(([name, encode]) => ({
    name: `in the body, ${name}`,
    respond: (secret: string) => respondWith(`before ${encode(secret)} after`, ['Content-Type: text/plain']),
  })),
  {
    name: 'in UTF-16',
    respond: (secret) => respondWith(Buffer.from(`before ${secret} after`, 'utf16le'), ['Content-Type: image/png']),
  },
  {
    name: 'in UTF-16 with its charset',
    respond: (secret) =>
      respondWith(Buffer.from(`before ${secret} after`, 'utf16le'), ['Content-Type: text/plain; charset=utf-16le']),
  },
  { name: 'in chunks of one byte', respond: (secret) => respondInChunks(`before ${secret} after`, 1) },
  {
    name: 'in a compressed body',
    respond: (secret) => respondWith(gzipSync(`before ${secret} after`), ['Content-Encoding: gzip']),
  },
  {
    name: 'in an error',
    respond: (secret) => respondWith(`No such key: ${secret}`, [], '401 Unauthorized'),
  },
  inHeader('Location', (secret) => `/next?key=${encodeURIComponent(secret)}`, '302 Found'),
  inHeader('Link', (secret) => `</next?key=${encodeURIComponent(secret)}>; rel="next"`),
  inHeader('WWW-Authenticate', (secret) => `Bearer error_description="${secret}"`, '401 Unauthorized'),
  inHeader('ETag', (secret) => `"${Buffer.from(secret).toString('base64')}"`),
  { ...inHeader('Set-Cookie', (secret) => `session=${encodeURIComponent(secret)}`), isDropped: true },
  { ...inHeader('X-Debug', (secret) => secret), isDropped: true },
  {
    name: 'in a trailer',
    respond: (secret) => respondInChunks('fine', 4, [`X-Request-Id: ${secret}`]),
    isDropped: true,
  },
];

/** Returns the forms of a secret that a text or binary has; none if it is protected. */
export const findForms = (text: string, secret: string): readonly string[] => {
  const plainText = text.replaceAll('\0', '');
  return Object.entries(encodings)
    .filter(([name]) => name !== 'in the base64 of a longer text')
    .filter(([, encode]) => plainText.toLowerCase().includes(encode(secret).toLowerCase()))
    .map(([name]) => name);
};
