import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import { createYielder } from '@portico/composition';
import { notModified, ready, type ReadyAnswer } from './answer.ts';
import type { TaggedBody } from './body-cache.ts';
import { acceptsGzip, namesEtag } from './negotiation.ts';

/** Part of every entity tag: increase it whenever the format of an answer changes. */
export const formatVersion = 1;

export type Coding = 'gzip' | 'identity';

export const codingFor = ({ headers }: IncomingMessage): Coding =>
  acceptsGzip(headers['accept-encoding']) ? 'gzip' : 'identity';

/** Only the caller may cache it, and revalidates it each time (specification, section 1, "Caching headers"). */
export const cachingHeaders = (etag: string, coding: Coding) => ({
  'Cache-Control': 'private, no-cache',
  ETag: etag,
  Vary: 'Accept-Encoding',
  ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
});

/** Returns a 304 if the caller has this body, else null. Its headers are those of the 200, except `Content-Encoding`. */
export const unchanged = ({ headers }: IncomingMessage, etag: string): ReadyAnswer | null =>
  namesEtag(headers['if-none-match'], etag) ? notModified(cachingHeaders(etag, 'identity')) : null;

export const taggedAnswer = (request: IncomingMessage, coding: Coding, { etag, bytes }: TaggedBody): ReadyAnswer =>
  unchanged(request, etag) ?? ready(bytes, cachingHeaders(etag, coding));

/** A value as JSON, in that coding. */
export const encodedJson = (value: unknown, coding: Coding): Uint8Array => {
  const text = Buffer.from(JSON.stringify(value));
  return coding === 'gzip' ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text;
};

/** The same of a list; yields to the event loop if it is long. */
export const encodedList = async (list: readonly unknown[], coding: Coding): Promise<Uint8Array> => {
  if (list.length <= itemsAtOnce) return encodedJson(list, coding);
  const yieldToEventLoop = createYielder();
  const parts: string[] = [];
  for (let from = 0; from < list.length; from += itemsAtOnce) {
    parts.push(JSON.stringify(list.slice(from, from + itemsAtOnce)).slice(1, -1));
    await yieldToEventLoop();
  }
  const text = Buffer.from(`[${parts.join()}]`);
  return coding === 'gzip' ? gzipped(text, { level: constants.Z_BEST_SPEED }) : text;
};

/** Some 200 KB, which take about a millisecond. */
const itemsAtOnce = 1_000;
/** In a thread. */
const gzipped = promisify(gzip);

export const digestTag = (bytes: Uint8Array): string =>
  `"${formatVersion}.${createHash('sha256').update(bytes).digest('base64url')}"`;
