import { createHash } from 'node:crypto';
import { type Cache, cachedBytesMax, cachedMax, cachedMs } from '@portico/domain';
import type { RedisConnection } from './redis-connection.ts';

export interface RedisCacheOptions {
  readonly redis: Pick<RedisConnection, 'ask'>;
  /** The id of the installation, whose processes share what is kept. */
  readonly installation: string;
}

/**
 * Keeps values in Redis, for all processes together. A key's digest chooses one of 16,384 places of at most 4 KB, so that
 * all together take no more than 64 MB: what is put there replaces what was there. A place holds a digest of key and value,
 * and the value. One that does not match is another key's, or damaged: it is missing. While Redis is away everything is.
 */
export const createRedisCache = ({ redis, installation }: RedisCacheOptions): Cache => ({
  async get(key) {
    const stored = await redis.ask((client) => client.getBuffer(cacheKey(installation, key))).catch(() => null);
    if (!stored) return null;
    const value = Uint8Array.from(stored.subarray(digestBytes));
    return digestOf(key, value).equals(stored.subarray(0, digestBytes)) ? value : null;
  },
  async put(key, value) {
    if (value.length > cachedBytesMax) return;
    const stored = Buffer.concat([digestOf(key, value), value]);
    await redis.ask((client) => client.set(cacheKey(installation, key), stored, 'PX', cachedMs)).catch(() => null);
  },
});

const digestBytes = 32;

const digestOf = (key: string, value: Uint8Array): Buffer =>
  createHash('sha256').update(`${key.length} ${key}`).update(value).digest();

/** The 1 is the version of the layout. */
export const cacheKey = (installation: string, key: string): string => {
  const place = createHash('sha256').update(key).digest().readUInt32BE() % cachedMax;
  return `portico:${installation}:cache:1:${place}`;
};
