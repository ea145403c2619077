import type { Cache } from '@portico/domain';
import type { RedisConnection } from './redis-connection.ts';

/** A value is kept in Redis so long; what changes gets a new key, so that this bounds memory and nothing else. */
export const cachedSeconds = 60;
/** A larger value is kept near, and not in Redis. */
export const cachedBytesMax = 262_144;
/** How much a process puts into Redis in the time that a value is kept; what is beyond it is kept near. */
export const writtenBytesMax = 4_194_304;
/** What an entry takes in Redis beside its bytes, its key and its expiry included: about 200 as measured, and some. */
const entryOverheadBytes = 256;

export interface RedisCacheOptions {
  readonly redis: Pick<RedisConnection, 'ask'>;
  /** Looked at first, and kept filled: a value in this process's own memory. */
  readonly near: Cache;
  /** For tests: milliseconds of a clock in place of the process's. */
  readonly timeOfTests?: () => number;
}

/**
 * A cache that all processes share, behind one of this process. What cannot be had of Redis is a miss, and what cannot be
 * put there is not: the connection tells the operator, nobody who asks sees an error or waits longer than one command.
 *
 * Redis must not evict (`noeviction`: its jobs and counts would be lost), so that the lifetime of a value alone bounds the
 * memory, with what a process may write in it: 8 MiB a process, since two such times can meet.
 */
export const createRedisCache = ({ redis, near, timeOfTests }: RedisCacheOptions): Cache => {
  const isWithinBudget = createBudget(timeOfTests ?? (() => performance.now()));
  return {
    async get(key) {
      return (await near.get(key)) ?? (await fromRedis(redis, near, key));
    },

    async set(key, value) {
      await near.set(key, value);
      if (value.byteLength > cachedBytesMax) return;
      const entry = entryOf(key, value);
      if (!isWithinBudget(entry.byteLength + entryOverheadBytes)) return;
      await unlessAway(redis.ask((client) => client.set(cacheKey(key), entry, 'EX', cachedSeconds)));
    },
  };
};

/** Says of so many bytes whether they may still be written, and then counts them. */
const createBudget = (time: () => number) => {
  let beganAt = Number.NEGATIVE_INFINITY;
  let written = 0;
  return (bytes: number): boolean => {
    const now = time();
    if (now - beganAt >= cachedSeconds * 1000) [beganAt, written] = [now, 0];
    if (written + bytes > writtenBytesMax) return false;
    written += bytes;
    return true;
  };
};

const fromRedis = async (
  redis: RedisCacheOptions['redis'],
  near: Cache,
  key: string,
): Promise<Uint8Array | undefined> => {
  const value = await unlessAway(
    redis.ask(async (client) => {
      const entry = await client.getBuffer(cacheKey(key));
      return entry ? valueOf(key, entry) : undefined;
    }),
  );
  if (value) await near.set(key, value);
  return value;
};

/** What fails here was told by the connection, and is a miss to whoever asks. */
const unlessAway = async <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> => {
  try {
    return await answer;
  } catch {
    return undefined;
  }
};

/** The 1 is the layout of the entry: a new one gets a new key. */
const cacheKey = (key: string): string => `portico:cache:1:${key}`;

const lengthBytes = 4;

/**
 * The value behind its key: what belongs to one caller is never handed to another, not even where a connection is out
 * of step and the answer is one to another question.
 */
const entryOf = (key: string, value: Uint8Array): Buffer => {
  const name = Buffer.from(key);
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(name.length);
  return Buffer.concat([length, name, value]);
};

const valueOf = (key: string, entry: unknown): Uint8Array => {
  const name = Buffer.from(key);
  const start = lengthBytes + name.length;
  const isOfKey =
    Buffer.isBuffer(entry) &&
    entry.length >= start &&
    entry.readUInt32BE() === name.length &&
    entry.subarray(lengthBytes, start).equals(name);
  if (!isOfKey) throw new Error('the answer is not that of the key');
  return new Uint8Array(entry.subarray(start));
};
