import { LRUCache } from 'lru-cache';

/** A body, ready to be sent, with its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedBody {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** The cache of this process. A name is never reused for another body. */
export interface BodyCache {
  get(name: string): TaggedBody | undefined;
  keep(name: string, body: TaggedBody): void;
}

export interface BodyCacheOptions {
  /** For all bodies together; the least recently used are evicted first. */
  readonly bytesMax: number;
}

/** What an entry takes besides its body: name, tag, list node and map slot. */
const entryBytes = 500;

/** Does not keep bodies larger than a quarter of `bytesMax`: one would evict too many others. */
export const createBodyCache = ({ bytesMax }: BodyCacheOptions): BodyCache => {
  const bodies = new LRUCache<string, TaggedBody>({
    maxSize: bytesMax,
    maxEntrySize: bytesMax / 4,
    sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
  });
  return {
    get: (name) => bodies.get(name),
    keep: (name, { etag, bytes }) => void bodies.set(name, { etag, bytes: ownBytes(bytes) }),
  };
};

/** Copies a view of a larger buffer, which it would keep alive. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
