import { isPlainLine } from '../line.ts';
import type { ApiCredential } from './credentials.ts';

/** The content of a file: its bytes in base64, or the path of a file that a sample refers to. */
export type FileContent = { readonly base64: string } | { readonly path: string };

/** A part of a multipart body. */
export interface RequestPart {
  readonly name: string;
  readonly contentType: string | null;
  readonly fileName: string | null;
  readonly content: string | FileContent;
}

export type HttpBody =
  | { readonly kind: 'content'; readonly contentType: string; readonly content: string | FileContent }
  | { readonly kind: 'multipart'; readonly contentType: string; readonly parts: readonly RequestPart[] };

/** A request without the values of its credentials. */
export interface HttpRequest {
  readonly method: string;
  /** Encoded; without a host if the document names none. */
  readonly url: string;
  /** Without `Content-Type`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The cookies, encoded, without those of credentials. */
  readonly cookies: readonly (readonly [name: string, value: string])[];
  readonly body: HttpBody | null;
  /** The credentials to add. */
  readonly credentials: readonly ApiCredential[];
}

/** A request as it is sent: all its headers, and its body as text or, if it contains other bytes, in base64. */
export interface WireRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string } | { readonly base64: string } | null;
}

/** Encodes a request for sending. */
export function toWireRequest({ headers, cookies, body }: HttpRequest): WireRequest {
  const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ');
  const allHeaders = cookie === '' ? headers : [...headers, ['Cookie', cookie] as const];
  if (!body) return { headers: allHeaders, body: null };
  if (body.kind === 'content') {
    const { content, contentType } = body;
    return {
      headers: [...allHeaders, ['Content-Type', contentType]],
      body: typeof content === 'string' ? { text: content } : { base64: base64Of(content) },
    };
  }
  const boundary = findBoundary(body.parts);
  const chunks = body.parts.flatMap((part) => [`--${boundary}\r\n${headOf(part)}\r\n\r\n`, part.content, '\r\n']);
  chunks.push(`--${boundary}--\r\n`);
  const isText = chunks.every((chunk) => typeof chunk === 'string');
  return {
    headers: [...allHeaders, ['Content-Type', `${body.contentType}; boundary=${boundary}`]],
    body: isText ? { text: chunks.join('') } : { base64: btoa(chunks.map(toBinary).join('')) },
  };
}

/** Returns the lines before a part's content (RFC 7578, section 4.2). */
function headOf({ name, contentType, fileName }: RequestPart): string {
  const escape = (text: string): string =>
    text
      .toWellFormed()
      .replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  const disposition = `Content-Disposition: form-data; name="${escape(name)}"`;
  return [
    fileName === null ? disposition : `${disposition}; filename="${escape(fileName)}"`,
    ...(contentType === null || !isPlainLine(contentType) ? [] : [`Content-Type: ${contentType}`]),
  ].join('\r\n');
}

/** Returns a boundary that no text of the parts contains. Base64 decodes to it only by intent, so it is searched too. */
function findBoundary(parts: readonly RequestPart[]): string {
  // Collects the numbers in one pass: a text can contain very many of them.
  const numbers = new Set<string>();
  for (const { content } of parts)
    for (const [, digits = ''] of toBinary(content).matchAll(/portico-(\d{1,9})/g))
      for (let length = 1; length <= digits.length; length++) numbers.add(digits.slice(0, length));
  let count = 0;
  while (numbers.has(`${count}`)) count++;
  return `portico-${count}`;
}

/** In a sample, the content of a file is its placeholder. */
const base64Of = (content: FileContent): string => ('base64' in content ? content.base64 : btoa(`@${content.path}`));

/** Returns the bytes as a string of characters up to U+00FF. */
const toBinary = (content: string | FileContent): string =>
  typeof content === 'string'
    ? Array.from(new TextEncoder().encode(content.toWellFormed()), (byte) => String.fromCharCode(byte)).join('')
    : atob(base64Of(content));

/** Parts of every runtime that the domain's library does not declare. */
declare const atob: (base64: string) => string;
declare const btoa: (binary: string) => string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
