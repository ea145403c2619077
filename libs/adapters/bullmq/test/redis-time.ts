import type { Redis } from 'ioredis';

/** Lets the given time pass for all keys that have an expiry, and deletes those that have expired. */
export const advanceRedisTime = async (client: Redis, ms: number): Promise<void> => {
  const advanceKey = async (key: string): Promise<void> => {
    const ttlMs = await client.pttl(key);
    if (ttlMs > ms) await client.pexpire(key, ttlMs - ms);
    else if (ttlMs >= 0) await client.del(key);
  };
  await Promise.all((await client.keys('*')).map(advanceKey));
};
