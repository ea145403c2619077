import type { RedisConnection } from './redis-connection.ts';

/** How long a body is cached. A change gets a new key, so this only bounds memory. */
export const keptSeconds = 60;
/** A larger body is not cached. */
export const bodyBytesMax = 262_144;
/** How much one process may write within the lifetime of a body; anything beyond that is not cached. */
export const writtenBytesMax = 4_194_304;
/** Overhead of an entry in Redis, its key and expiry included: measured as about 200, rounded up. */
const entryOverheadBytes = 256;

export interface RedisBodyStoreOptions {
  readonly redis: Pick<RedisConnection, 'ask'>;
  /** For tests: a clock in milliseconds, in place of the process's. */
  readonly timeOfTests?: () => number;
}

/** A cache of bodies shared by all processes. A key is never reused for another body. */
export interface RedisBodyStore {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, body: Uint8Array): Promise<void>;
}

/**
 * A cache of bodies in Redis. While Redis is away, every read misses and nothing is stored: the connection tells the
 * operator, callers see no error and wait for one command at most. Redis must not evict (`noeviction`, for its jobs and
 * counts), so memory is bounded by lifetime and write budget: 8 MiB per process, because two lifetimes can overlap.
 */
export const createRedisBodyStore = ({ redis, timeOfTests }: RedisBodyStoreOptions): RedisBodyStore => {
  const isWithinBudget = createBudget(timeOfTests ?? (() => performance.now()));
  return {
    get: (key) =>
      unlessAway(
        redis.ask(async (client) => {
          const entry = await client.getBuffer(redisKey(key));
          return entry ? bodyOf(key, entry) : undefined;
        }),
      ),
    async set(key, body) {
      if (body.byteLength > bodyBytesMax) return;
      const entry = entryOf(key, body);
      if (!isWithinBudget(entry.byteLength + entryOverheadBytes)) return;
      await unlessAway(redis.ask((client) => client.set(redisKey(key), entry, 'EX', keptSeconds)));
    },
  };
};

/** Returns a function that tells whether that many more bytes may be written, and if so counts them. */
const createBudget = (time: () => number) => {
  let beganAt = Number.NEGATIVE_INFINITY;
  let written = 0;
  return (bytes: number): boolean => {
    const now = time();
    if (now - beganAt >= keptSeconds * 1000) [beganAt, written] = [now, 0];
    if (written + bytes > writtenBytesMax) return false;
    written += bytes;
    return true;
  };
};

/** The connection reports failures to the operator; for the caller a failure is a miss. */
const unlessAway = async <Reply>(reply: Promise<Reply>): Promise<Reply | undefined> => {
  try {
    return await reply;
  } catch {
    return undefined;
  }
};

/** The 1 is the version of the entry's layout: a new layout gets a new key. */
const redisKey = (key: string): string => `portico:cache:1:${key}`;

const lengthBytes = 4;

/**
 * The body, prefixed with its key. Data of one caller must never reach another, even if a connection is out of step and
 * returns the reply to another command.
 */
const entryOf = (key: string, body: Uint8Array): Buffer => {
  const name = Buffer.from(key);
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(name.length);
  return Buffer.concat([length, name, body]);
};

const bodyOf = (key: string, entry: unknown): Uint8Array => {
  const name = Buffer.from(key);
  const start = lengthBytes + name.length;
  const isOfKey =
    Buffer.isBuffer(entry) &&
    entry.length >= start &&
    entry.readUInt32BE() === name.length &&
    entry.subarray(lengthBytes, start).equals(name);
  if (!isOfKey) throw new Error('the reply belongs to another key');
  return new Uint8Array(entry.subarray(start));
};
