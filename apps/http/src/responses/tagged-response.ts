import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import { createYielder } from '@portico/composition';
import { LRUCache } from 'lru-cache';
import { createNotModifiedResponse, toReadyResponse, type ReadyResponse } from './route-response.ts';
import { acceptsGzip, matchesIfNoneMatch } from './negotiation.ts';

/** A part of every entity tag. Increase it whenever the format of a response changes. */
export const formatVersion = 1;

export type Coding = 'gzip' | 'identity';

export const codingFor = ({ headers }: IncomingMessage): Coding =>
  acceptsGzip(headers['accept-encoding']) ? 'gzip' : 'identity';

/**
 * Returns the headers of a response that only the caller may cache, and must revalidate each time (specification,
 * section 1, "Caching headers").
 */
export const createCachingHeaders = (etag: string, coding: Coding) => ({
  'Cache-Control': 'private, no-cache',
  ETag: etag,
  Vary: 'Accept-Encoding',
  ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
});

/**
 * Returns a 304 if the caller has this body, otherwise null. The 304 has the headers of the 200, except
 * `Content-Encoding`.
 */
export const revalidate = ({ headers }: IncomingMessage, etag: string): ReadyResponse | null =>
  matchesIfNoneMatch(headers['if-none-match'], etag)
    ? createNotModifiedResponse(createCachingHeaders(etag, 'identity'))
    : null;

export const createTaggedResponse = (
  request: IncomingMessage,
  coding: Coding,
  { etag, bytes }: TaggedBody,
): ReadyResponse => revalidate(request, etag) ?? toReadyResponse(bytes, createCachingHeaders(etag, coding));

/** Returns a value as JSON, in this coding. */
export const encodeJson = (value: unknown, coding: Coding): Uint8Array => {
  const text = Buffer.from(JSON.stringify(value));
  return coding === 'gzip' ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text;
};

/** Returns a list as JSON, in this coding. Yields to the event loop if the list is long. */
export const encodeList = async (list: readonly unknown[], coding: Coding): Promise<Uint8Array> => {
  if (list.length <= itemsPerChunk) return encodeJson(list, coding);
  const yieldToEventLoop = createYielder();
  const parts: string[] = [];
  for (let offset = 0; offset < list.length; offset += itemsPerChunk) {
    parts.push(JSON.stringify(list.slice(offset, offset + itemsPerChunk)).slice(1, -1));
    await yieldToEventLoop();
  }
  const text = Buffer.from(`[${parts.join()}]`);
  return coding === 'gzip' ? gzipAsync(text, { level: constants.Z_BEST_SPEED }) : text;
};

/** About 200 KB of JSON, which takes about a millisecond to produce. */
const itemsPerChunk = 1_000;
/** Compresses in the thread pool. */
const gzipAsync = promisify(gzip);

export const entityTagOf = (bytes: Uint8Array): string =>
  `"${formatVersion}.${createHash('sha256').update(bytes).digest('base64url')}"`;

/** A body that is ready to be sent, with its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedBody {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** This process's cache of bodies. A name is never reused for a different body. */
export interface BodyCache {
  get(name: string): TaggedBody | undefined;
  set(name: string, body: TaggedBody): void;
}

export interface BodyCacheOptions {
  /** The maximum size of all bodies together; the least recently used are evicted first. */
  readonly bytesMax: number;
}

/** The memory overhead of an entry: name, tag, list node and map slot. */
const entryBytes = 500;

/**
 * Creates a cache. It does not cache bodies larger than a quarter of `bytesMax`, because one of these would evict too
 * many others.
 */
export const createBodyCache = ({ bytesMax }: BodyCacheOptions): BodyCache => {
  const bodies = new LRUCache<string, TaggedBody>({
    maxSize: bytesMax,
    maxEntrySize: bytesMax / 4,
    sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
  });
  return {
    get: (name) => bodies.get(name),
    set: (name, { etag, bytes }) => void bodies.set(name, { etag, bytes: detachBytes(bytes) }),
  };
};

/** Copies a view of a larger buffer, because the view would keep the whole buffer in memory. */
const detachBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
