import { LRUCache } from 'lru-cache';

/** A body, ready to be sent, with its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedBody {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** A cache shared by processes. A name is never reused for another body. Never throws: an unavailable cache is an empty one. */
export interface SharedBodies {
  get(name: string): Promise<Uint8Array | undefined>;
  set(name: string, bytes: Uint8Array): Promise<void>;
}

/** The cache of this process. A name is never reused for another body. */
export interface BodyCache {
  get(name: string): TaggedBody | undefined;
  keep(name: string, body: TaggedBody): void;
  /**
   * For bodies that cost more to make than to fetch: returns the body from this process, else from the shared cache,
   * else from `make`, and then shares it. `tag` makes the entity tag of the bytes.
   */
  getOrMake(name: string, tag: (bytes: Uint8Array) => string, make: () => Promise<Uint8Array>): Promise<TaggedBody>;
}

export interface BodyCacheOptions {
  /** For all bodies together; the least recently used are evicted first. */
  readonly bytesMax: number;
  /** Null if no cache is shared. */
  readonly shared: SharedBodies | null;
}

/** What an entry takes besides its body: name, tag, list node and map slot. */
const entryBytes = 500;

/** Does not keep bodies larger than a quarter of `bytesMax`: one would evict too many others. */
export const createBodyCache = ({ bytesMax, shared }: BodyCacheOptions): BodyCache => {
  const bodies = new LRUCache<string, TaggedBody>({
    maxSize: bytesMax,
    maxEntrySize: bytesMax / 4,
    sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
  });
  const keep: BodyCache['keep'] = (name, { etag, bytes }) => void bodies.set(name, { etag, bytes: ownBytes(bytes) });

  return {
    get: (name) => bodies.get(name),
    keep,
    async getOrMake(name, tag, make) {
      const near = bodies.get(name);
      if (near) return near;
      const found = await shared?.get(name);
      const bytes = found ?? (await make());
      const body = { etag: tag(bytes), bytes };
      keep(name, body);
      if (!found) await shared?.set(name, bytes);
      return body;
    },
  };
};

/** Copies a view of a larger buffer, which it would keep alive. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
