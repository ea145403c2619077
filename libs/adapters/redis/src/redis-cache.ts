import { createHash } from 'node:crypto';
import { type Cache, cacheValueBytesMax, cacheEntriesMax, cacheTtlMs } from '@portico/domain';
import type { RedisConnection } from './redis-connection.ts';

export interface RedisCacheOptions {
  readonly redis: Pick<RedisConnection, 'run'>;
  /** The id of the installation, whose processes share the entries. */
  readonly installation: string;
}

/**
 * Caches values in Redis, shared by all processes. A key's digest selects one of 16,384 slots of at most 4 KB each,
 * which limits the total to 64 MB; a new value replaces the previous value in its slot. A slot contains a digest of key
 * and value, followed by the value. If the digest does not match, the value belongs to a different key or is damaged,
 * and the read is a miss. While Redis is unavailable, every read is a miss.
 */
export const createRedisCache = ({ redis, installation }: RedisCacheOptions): Cache => ({
  async get(key) {
    const entry = await redis.run((client) => client.getBuffer(cacheKey(installation, key))).catch(() => null);
    if (!entry) return null;
    const value = Uint8Array.from(entry.subarray(digestBytes));
    return digestOf(key, value).equals(entry.subarray(0, digestBytes)) ? value : null;
  },
  async put(key, value) {
    if (value.length > cacheValueBytesMax) return;
    const entry = Buffer.concat([digestOf(key, value), value]);
    await redis.run((client) => client.set(cacheKey(installation, key), entry, 'PX', cacheTtlMs)).catch(() => null);
  },
});

const digestBytes = 32;

const digestOf = (key: string, value: Uint8Array): Buffer =>
  createHash('sha256').update(`${key.length} ${key}`).update(value).digest();

/** Returns the Redis key of the slot. The 1 is the version of the layout. */
export const cacheKey = (installation: string, key: string): string => {
  const slot = createHash('sha256').update(key).digest().readUInt32BE() % cacheEntriesMax;
  return `portico:${installation}:cache:1:${slot}`;
};
