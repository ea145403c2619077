import { cacheContract, recordLog } from '@portico/contracts';
import { cacheValueBytesMax, cacheTtlMs } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { longTimeoutMs } from '../test/limiter-subject.ts';
import { cacheKey, createRedisCache } from './redis-cache.ts';
import { openRedis } from './redis-connection.ts';

const redis = await startRedis();
const connection = redis && (await openRedis({ url: redis.url, log: recordLog(), timeoutMs: longTimeoutMs }));
afterAll(async () => {
  await connection?.close();
  await redis?.close();
});

let installationCount = 0;
const nextInstallation = () => `cache-${++installationCount}`;
const cacheOf = (installation = nextInstallation()) => createRedisCache({ redis: connection!, installation });
const value = Uint8Array.from([1, 2, 3, 4]);

describe.skipIf(!redis)('the cache in Redis', () => {
  for (const [title, check] of Object.entries(cacheContract)) test(title, () => check(cacheOf()));

  test('processes of an installation share it, and other installations do not see it', async () => {
    await cacheOf('one').put('a', value);
    expect(await cacheOf('one').get('a')).toEqual(value);
    expect(await cacheOf('two').get('a')).toBeNull();
  });

  test('a value is stored for seven days, in at most 4 KB', async () => {
    const installation = nextInstallation();
    await cacheOf(installation).put('a', new Uint8Array(cacheValueBytesMax));
    const key = cacheKey(installation, 'a');
    expect(await connection!.client.pttl(key)).toBeGreaterThan(cacheTtlMs - 3_600_000);
    expect(await connection!.client.pttl(key)).toBeLessThanOrEqual(cacheTtlMs);
    expect(await connection!.client.memory('USAGE', key)).toBeLessThanOrEqual(4_096);
  });

  test('damaged, truncated and foreign values are misses until they are stored again', async () => {
    const installation = nextInstallation();
    const [cache, key, { client }] = [cacheOf(installation), cacheKey(installation, 'a'), connection!];
    await cache.put('other', value);
    await cache.put('a', value);
    const storedValue = (await client.getBuffer(key))!;
    const damagedValue = Buffer.from(storedValue);
    damagedValue[35]! ^= 1;
    const valueOfOtherKey = (await client.getBuffer(cacheKey(installation, 'other')))!;
    for (const invalidValue of [
      damagedValue,
      storedValue.subarray(0, 35),
      storedValue.subarray(0, 3),
      Buffer.alloc(0),
      valueOfOtherKey,
    ]) {
      await client.set(key, invalidValue);
      expect(await cache.get('a')).toBeNull();
    }
    await cache.put('a', value);
    expect(await cache.get('a')).toEqual(value);
  });

  test('a key of a different type is a miss, and is replaced', async () => {
    const installation = nextInstallation();
    await connection!.client.lpush(cacheKey(installation, 'a'), 'x');
    const cache = cacheOf(installation);
    expect(await cache.get('a')).toBeNull();
    await cache.put('a', value);
    expect(await cache.get('a')).toEqual(value);
  });
});

test('while Redis is unavailable every read is an immediate miss, and nothing fails', async () => {
  const log = recordLog();
  const unreachableRedis = await openRedis({ url: 'redis://127.0.0.1:1', log });
  const cache = createRedisCache({ redis: unreachableRedis, installation: 'here' });
  await cache.put('a', value);
  expect(await cache.get('a')).toBeNull();
  expect(log.messages()).toEqual([expect.stringContaining('is unavailable')]);
  await unreachableRedis.close();
});
