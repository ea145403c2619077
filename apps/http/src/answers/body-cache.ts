import { LRUCache } from 'lru-cache';

/** A body that is ready to be sent, with its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedBody {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** Where processes share bodies, each under a name that is never given to another one. It throws nothing: what is away has nothing. */
export interface SharedBodies {
  get(name: string): Promise<Uint8Array | undefined>;
  set(name: string, bytes: Uint8Array): Promise<void>;
}

/** Bodies of this process, each under a name that is never given to another one. */
export interface BodyCache {
  get(name: string): TaggedBody | undefined;
  keep(name: string, body: TaggedBody): void;
  /**
   * For bodies that cost more to make than to fetch: the one that this process has, else the one that another process has shared,
   * else what `make` returns, which is shared then. `tag` makes the entity tag of the bytes.
   */
  getOrMake(name: string, tag: (bytes: Uint8Array) => string, make: () => Promise<Uint8Array>): Promise<TaggedBody>;
}

export interface BodyCacheOptions {
  /** For all bodies together; of what is beyond it the least recently used go first. */
  readonly bytesMax: number;
  /** Null where no other process shares. */
  readonly shared: SharedBodies | null;
}

/** What a body takes beside itself: its name and tag, and its place in the list and in the map. */
const entryBytes = 500;

/** A body of more than a quarter of the room is not kept: it would drive out too many others. */
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

/** A part of a larger buffer is copied, since it would keep the whole of it alive. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
