import { startRedis } from '@portico/test-servers';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectRedis } from './inspect-redis.ts';
import { RedisUnavailable } from './redis-connection.ts';

const redis = await startRedis({ password: 'hunter2', args: ['--maxmemory-policy', 'volatile-lru'] });
afterAll(() => redis?.close());

describe.skipIf(!redis)('a Redis', () => {
  const url = redis?.url ?? '';
  const urlFor = (username: string, password: string) => Object.assign(new URL(url), { username, password }).href;

  test('reports version, policy and role', async () => {
    expect(await inspectRedis({ url })).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      isTooOld: false,
      maxmemoryPolicy: 'volatile-lru',
      losesJobs: true,
      isReplica: false,
      unusableModeReason: null,
      scriptError: null,
    });
  });

  test('that forbids INFO has unknown properties, and causes no warning', async () => {
    const client = new Redis(url);
    await client.call('ACL', 'SETUSER', 'quiet', 'on', '>secret', '~*', '+@all', '-info');
    client.disconnect();
    expect(await inspectRedis({ url: urlFor('quiet', 'secret') })).toEqual({
      version: null,
      isTooOld: false,
      maxmemoryPolicy: null,
      losesJobs: false,
      isReplica: false,
      unusableModeReason: null,
      scriptError: null,
    });
  });

  test.each([
    ['is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0'], /^OOM /],
    [
      'denies the keys of jobs',
      ['ACL', 'SETUSER', 'default', 'resetkeys', '~portico:*'],
      ['ACL', 'SETUSER', 'default', '~*'],
      /^(NOPERM|ERR) .*(key|permission)/,
    ],
  ])('that %s is reported with its error', async (_, begin, end, message) => {
    await redis?.send(...begin);
    const { scriptError } = await inspectRedis({ url }).finally(() => redis?.send(...end));
    expect(scriptError).toMatch(message);
  });

  test('of a Cluster is reported as such', async () => {
    const node = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    const inspection = await inspectRedis({ url: node?.url ?? '' });
    await node?.close();
    expect(inspection.unusableModeReason).toContain('Cluster');
    expect(inspection.scriptError).toMatch(/^CLUSTERDOWN /);
  });

  test('that rejects the login causes an error without the password', async () => {
    const inspection = inspectRedis({ url: urlFor('', 'hunter3') });
    await expect(inspection).rejects.toThrow(RedisUnavailable);
    await expect(inspection).rejects.toThrow(/^Redis at [^ ]+ is unavailable: (NOAUTH|WRONGPASS)(?!.*hunter)/);
  });

  test('is not changed', async () => {
    const client = new Redis(url);
    await client.set('one', '1');
    await inspectRedis({ url });
    expect(await client.keys('*')).toEqual(['one']);
    client.disconnect();
  });
});
