import { recordLog } from '@portico/contracts';
import { livenessMs } from '@portico/dependencies';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { longTimeoutMs } from '../test/limiter-subject.ts';
import { openRedis } from './redis-connection.ts';
import { createRedisRoster, rosterKey } from './redis-roster.ts';

const redis = await startRedis();
const connection = redis && (await openRedis({ url: redis.url, log: recordLog(), timeoutMs: longTimeoutMs }));
afterAll(async () => {
  await connection?.close();
  await redis?.close();
});

describe.skipIf(!connection)('the users of a Redis', () => {
  test('are the processes of all installations that announced themselves within a minute and have not left', async () => {
    if (!connection) return;
    const roster = createRedisRoster({ redis: connection });
    const now = Date.now();
    const deadProcess = { installation: 'one', process: 'p1', at: now - livenessMs - 1 };
    const [oldProcess, currentProcess, leavingProcess] = ['p2', 'p3', 'p4'].map((process, i) => ({
      installation: i === 0 ? 'one' : 'other',
      process,
      at: now - (i === 0 ? livenessMs : 0),
    })) as [typeof deadProcess, typeof deadProcess, typeof deadProcess];
    for (const announcement of [deadProcess, oldProcess, leavingProcess]) await roster.announce(announcement);
    await roster.leave(leavingProcess);
    expect(await roster.listLiveProcesses(now)).toEqual([oldProcess]);
    await roster.announce({ ...currentProcess, at: now - 1 });
    await roster.announce(currentProcess);
    expect(await roster.listLiveProcesses(now)).toEqual([oldProcess, currentProcess]);
    // If this layout changes, the version in the key's name must change.
    expect(rosterKey).toBe('portico:living:1');
    expect(await connection.client.zrange(rosterKey, '0', '-1')).toEqual(['one p2', 'other p3']);
    expect(await connection.client.pttl(rosterKey)).toBeGreaterThan(livenessMs);
  });
});
