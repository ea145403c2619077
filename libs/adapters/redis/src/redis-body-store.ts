import type { RedisConnection } from './redis-connection.ts';

/** How long a body is kept. What changes gets a new key, so that this bounds memory and nothing else. */
export const keptSeconds = 60;
/** A larger body is not kept. */
export const bodyBytesMax = 262_144;
/** How much a process writes in the time that a body is kept; what is beyond it is not kept. */
export const writtenBytesMax = 4_194_304;
/** What an entry takes in Redis beside its bytes, its key and its expiry included: about 200 as measured, and some. */
const entryOverheadBytes = 256;

export interface RedisBodyStoreOptions {
  readonly redis: Pick<RedisConnection, 'ask'>;
  /** For tests: milliseconds of a clock in place of the process's. */
  readonly timeOfTests?: () => number;
}

/** Bodies that all processes share, each under a key that is never given to another one. */
export interface RedisBodyStore {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, body: Uint8Array): Promise<void>;
}

/**
 * A store of bodies in Redis. While Redis is away nothing is found or kept: the connection tells the operator, callers see no
 * error and wait for one command at most. Redis must not evict (`noeviction`, for its jobs and counts), so the lifetime of a body
 * bounds the memory together with what a process may write in it: 8 MiB each, because two lifetimes can overlap.
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

/** Says of so many bytes whether they may still be written, and then counts them. */
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

/** The connection has told the operator of a failure; to the caller it is a miss. */
const unlessAway = async <Reply>(reply: Promise<Reply>): Promise<Reply | undefined> => {
  try {
    return await reply;
  } catch {
    return undefined;
  }
};

/** The 1 is the layout of the entry: a new one gets a new key. */
const redisKey = (key: string): string => `portico:cache:1:${key}`;

const lengthBytes = 4;

/**
 * The body behind its key: what belongs to one caller is never handed to another, not even where a connection is out
 * of step and the reply is one to another question.
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
  if (!isOfKey) throw new Error('the answer is not that of the key');
  return new Uint8Array(entry.subarray(start));
};
