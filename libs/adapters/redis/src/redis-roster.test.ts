import { recordLog } from '@portico/contracts';
import { livingMs } from '@portico/dependencies';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { patientMs } from '../test/limiter-subject.ts';
import { openRedis } from './redis-connection.ts';
import { createRedisRoster, rosterKey } from './redis-roster.ts';

const redis = await startRedis();
const connection = redis && (await openRedis({ url: redis.url, log: recordLog(), timeoutMs: patientMs }));
afterAll(async () => {
  await connection?.close();
  await redis?.close();
});

describe.skipIf(!connection)('who uses a Redis', () => {
  test('are the processes of all installations that said so within a minute and have not left', async () => {
    if (!connection) return;
    const roster = createRedisRoster({ redis: connection });
    const now = Date.now();
    const gone = { installation: 'one', process: 'p1', at: now - livingMs - 1 };
    const [last, here, left] = ['p2', 'p3', 'p4'].map((process, i) => ({
      installation: i === 0 ? 'one' : 'other',
      process,
      at: now - (i === 0 ? livingMs : 0),
    })) as [typeof gone, typeof gone, typeof gone];
    for (const each of [gone, last, left]) await roster.announce(each);
    await roster.leave(left);
    expect(await roster.living(now)).toEqual([last]);
    await roster.announce({ ...here, at: now - 1 });
    await roster.announce(here);
    expect(await roster.living(now)).toEqual([last, here]);
    // The version in the name of the key says that this is what it holds.
    expect(rosterKey).toBe('portico:living:1');
    expect(await connection.client.zrange(rosterKey, '0', '-1')).toEqual(['one p2', 'other p3']);
    expect(await connection.client.pttl(rosterKey)).toBeGreaterThan(livingMs);
  });
});
