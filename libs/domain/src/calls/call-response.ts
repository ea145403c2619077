import type { Redactor } from './redactor.ts';

/** The body of a response: as text, or in base64 if it is not text. */
export type CallBody = { readonly text: string } | { readonly base64: string };

/** The response of an API, as the caller sees it. */
export interface CallResponse {
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if it is empty. */
  readonly body: CallBody | null;
  readonly isTruncated: boolean;
}

interface UpstreamResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly isTruncated: boolean;
}

/** The maximum length of a header's value, in UTF-16 units. */
const headerMax = 4_096;

/**
 * The headers that callers see: about the content, caching, paging, limits, redirects, authentication, and the
 * request's id. All others, such as cookies, stay in the service.
 */
const visibleHeaders = new RegExp(
  `^(?:${[
    'accept-ranges|allow|cache-control|content-(?:disposition|language|location|range|type)|date|deprecation|etag',
    'expires|last-modified|link|location|preference-applied|retry-after|sunset|vary|warning|www-authenticate',
    '(?:x-)?(?:[a-z0-9]+-)*request-id|(?:x-)?correlation-id|(?:x-)?trace-id|idempotency-[a-z-]+',
    '(?:x-)?(?:[a-z0-9]+-)*rate-?limit(?:-[a-z0-9-]+)?',
    'x-(?:[a-z0-9]+-)*(?:count|cursor|limit|next|offset|pages?|per-page|prev|previous|total|version)',
  ].join('|')})$`,
);

/** Returns the parts of a response that the caller sees, without the secrets of its request. */
export const toCallResponse = (
  { status, headers, body, isTruncated }: UpstreamResponse,
  redactor: Redactor,
  bodyBytesMax: number,
): CallResponse => {
  const visiblePairs = headers.filter(([name]) => visibleHeaders.test(name));
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return {
    status,
    headers: Object.fromEntries(
      [...Map.groupBy(visiblePairs, ([name]) => name)].map(([name, pairs]) => [
        name,
        redactor.redact(pairs.map(([, value]) => value).join(', ')).slice(0, headerMax),
      ]),
    ),
    body: body.length === 0 ? null : toBody(body, contentType, redactor, bodyBytesMax),
    isTruncated: isTruncated || body.length > bodyBytesMax,
  };
};

const toBody = (bytes: Uint8Array, contentType: string, redactor: Redactor, bytesMax: number): CallBody => {
  const isCut = bytes.length > bytesMax;
  const decode = createDecoder(contentType);
  const text = decode?.(bytes, isCut);
  if (decode && text != null) {
    const end = isCut ? (decode(bytes.subarray(0, bytesMax), true) ?? '').length : text.length;
    return { text: redactor.redact(text, end) };
  }
  return { base64: btoa(redactor.redact(toBinary(bytes), Math.min(bytes.length, bytesMax))) };
};

/** Decodes bytes, without an incomplete character at the end if they are cut; returns null if they are not text. */
type Decode = (bytes: Uint8Array, isCut: boolean) => string | null;

/** Returns a decoder for the character encoding of a media type, UTF-8 by default; null if it is unknown. */
const createDecoder = (contentType: string): Decode | null => {
  const [, label = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? [];
  try {
    new TextDecoder(label, { fatal: true });
  } catch {
    return null;
  }
  return (bytes, isCut) => {
    try {
      const text = new TextDecoder(label, { fatal: true }).decode(bytes, { stream: isCut });
      // Binary formats contain this character, and texts do not.
      return text.includes('\0') ? null : text;
    } catch {
      return null;
    }
  };
};

/** Returns the bytes as characters up to U+00FF. */
const toBinary = (bytes: Uint8Array): string => {
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes)
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + chunkBytes)));
  return chunks.join('');
};

const chunkBytes = 8_192;

/** Parts of every runtime that the domain's library does not declare. */
declare const btoa: (binary: string) => string;
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean },
) => { decode(bytes: Uint8Array, options: { readonly stream: boolean }): string };
