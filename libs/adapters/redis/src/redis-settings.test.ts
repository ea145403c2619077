import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { describe, expect, test } from 'vitest';
import { openObserved, type ObservedConnection } from '../test/observed-connection.ts';
import { connectTimeoutMs } from './redis-connection.ts';
import { limitKeys, refusalPauseMs } from './redis-rate-limiter.ts';

const rule = { allowed: 5, windowSeconds: 60 };
const password = 'hunter2/with @ signs';
/** A password that is longer than the part of an unknown command that the server quotes. */
const longPassword = 'hunter2'.repeat(50);

const start = async (options: Parameters<typeof startRedis>[0]) => {
  const server = await startRedis(options);
  return server && { ...server, label: new URL(server.url).host };
};

const redis = await startRedis({ args: [] });
await redis?.close();

describe.skipIf(!redis)('the settings of a Redis', () => {
  const withServer = async (
    options: Parameters<typeof startRedis>[0],
    check: (observed: ObservedConnection, label: string) => Promise<void>,
    changeUrl: (url: string) => string = (url) => url,
  ) => {
    const server = await start(options);
    const observed = await openObserved(changeUrl(server!.url));
    try {
      await check(observed, server!.label);
    } finally {
      await observed.close();
      await server!.close();
    }
  };

  test('the recommended settings cause no warning', async () => {
    await withServer({ password }, async ({ time, redis, limiter, warnings }) => {
      const { stream } = redis.client;
      await redis.probe.check();
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      // The connection outlives all timeouts for connecting.
      await time.advance(2 * connectTimeoutMs);
      expect((await limiter.consume('ada', rule)).remaining).toBe(3);
      expect(redis.client.stream).toBe(stream);
      expect(warnings).toEqual([]);
    });
  });

  test('an evicting policy causes one warning', async () => {
    await withServer(
      { args: ['--maxmemory-policy', 'allkeys-lru'] },
      async ({ time, redis, warnings, untilHere }, label) => {
        await time.pollInRealTime(() => expect(warnings).not.toEqual([]));
        redis.client.disconnect(true);
        await time.pollInRealTime(() => expect(redis.client.status).not.toBe('ready'));
        await untilHere();
        await redis.client.info();
        expect(warnings.filter((warning) => warning.includes('maxmemory-policy'))).toEqual([
          expect.stringMatching(new RegExp(`^Redis at ${label} has maxmemory-policy allkeys-lru,.* noeviction$`)),
        ]);
      },
    );
  });

  test('a server that forbids CONFIG is used', async () => {
    const args = ['--rename-command', 'CONFIG', '', '--maxmemory-policy', 'volatile-lru'];
    await withServer({ args }, async ({ time, limiter, fallbacks, warnings }) => {
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect(fallbacks).toEqual([]);
      await time.pollInRealTime(() => expect(warnings.join()).toContain('volatile-lru'));
    });
  });

  test('a server without RESP 3 is used', async () => {
    await withServer({ args: ['--rename-command', 'HELLO', ''], password }, async ({ limiter, fallbacks }) => {
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect(fallbacks).toEqual([]);
    });
  });

  test.each([
    ['forbidden', ['--user', 'default', 'on', '>sesame', '~*', '&*', '+@all', '-info', '-config']],
    ['renamed', ['--rename-command', 'INFO', 'TELL', '--requirepass', 'sesame']],
  ])('a server with INFO %s is used, without a warning about unknown facts', async (_, args) => {
    const check = async ({ limiter, fallbacks, warnings, redis }: ObservedConnection) => {
      await expect(redis.client.info()).rejects.toThrow(/NOPERM|unknown command/);
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect(await redis.client.exists(limitKeys('here', 'ada').log)).toBe(1);
      expect([warnings, fallbacks]).toEqual([[], []]);
    };
    await withServer({ args }, check, (url) => withPassword(url, 'sesame'));
  });

  test('a server that responds to PING but refuses to count fails the check', async () => {
    const args = ['--user', 'default', 'on', '>sesame', '~other:*', '&*', '+@all'];
    const check = async ({ redis, limiter }: ObservedConnection) => {
      await redis.probe.check();
      await expect(limiter.probe.check()).rejects.toThrow(/NOPERM|permission/);
    };
    await withServer({ args }, check, (url) => withPassword(url, 'sesame'));
  });

  test('a server that forbids PING is not used, and the warning names the missing permission', async () => {
    const args = ['--user', 'default', 'on', '>sesame', '~*', '&*', '+@all', '-ping'];
    const check = async ({ limiter, fallbacks, warnings }: ObservedConnection) => {
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect(fallbacks).toEqual([true]);
      expect(warnings[0]).toMatch(/ is unavailable: NOPERM .*'ping'/);
    };
    await withServer({ args }, check, (url) => withPassword(url, 'sesame'));
  });

  test.skipIf(!redis?.control)('a server that is still loading its data is used as soon as it is ready', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-redis-data-'));
    // Loading is slow enough that a client can connect during it.
    const slowly = ['--key-load-delay', '50000', '--loading-process-events-interval-bytes', '1024'];
    const server = await startRedis({ args: ['--dir', folder, '--rdbcompression', 'no', ...slowly] });
    const before = await openObserved(server!.url);
    await Promise.all(Array.from({ length: 60 }, (_, i) => before.redis.client.set(`key ${i}`, 'x'.repeat(2048))));
    await before.redis.client.save();
    await before.close();
    await server!.control!.stop('immediate');
    const started = server!.control!.start();
    let observed = await openObserved(server!.url);
    while (!observed.warnings.some((warning) => warning.includes(' is unavailable: LOADING '))) {
      await observed.close();
      observed = await openObserved(server!.url);
    }
    expect((await observed.limiter.consume('ada', rule)).remaining).toBe(4);
    expect(observed.fallbacks).toEqual([true]);
    await started;
    await observed.untilHere();
    expect(await observed.redis.client.exists('key 59')).toBe(1);
    expect(observed.warnings.filter((warning) => warning.includes(' is unavailable: '))).toHaveLength(1);
    await observed.close();
    await server!.close();
    rmSync(folder, { recursive: true });
  });

  test('if its memory is full, this process counts alone and logs that', async () => {
    await withServer({ args: ['--maxmemory', '1'] }, async (observed, label) => {
      const { time, redis, limiter, fallbacks, warnings } = observed;
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect((await limiter.consume('ada', rule)).remaining).toBe(3);
      // Redis would serve this read, but a limiter that counts only half of the requests is worse than none.
      expect((await limiter.peek('ada', rule)).remaining).toBe(3);
      expect(fallbacks).toEqual([true]);
      expect(warnings).toEqual([
        expect.stringMatching(new RegExp(`^Redis at ${label} refuses commands: .*OOM`)),
        expect.stringMatching(/^Rate limits are counted by this process alone: .*OOM/),
      ]);
      await redis.client.config('SET', 'maxmemory', '0');
      await time.advance(refusalPauseMs - 1);
      await limiter.consume('ada', rule);
      expect(fallbacks).toEqual([true]);
      await time.advance(1);
      await limiter.consume('ada', rule);
      expect(fallbacks).toEqual([true, false]);
    });
  });

  test('a password is never revealed, not even if it is refused', async () => {
    const wrong = 'sesame%2Fsesame';
    const unknown = ['--rename-command', 'HELLO', '', '--rename-command', 'AUTH', ''];
    const servers = [{ password }, { password, args: unknown }, { password: longPassword, args: unknown }];
    for (const options of servers) {
      for (const encodedPassword of [encodeURIComponent(options.password), wrong]) {
        const check = async ({ redis, limiter, warnings }: ObservedConnection) => {
          const problem = await redis.probe.check().then(
            () => null,
            (error: Error) => [error.message, error.stack, String(error.cause), JSON.stringify(error)],
          );
          await limiter.consume('ada', rule);
          const output = JSON.stringify([warnings, problem]);
          expect(output).not.toMatch(/hunter2|sesame|signs/);
          if (encodedPassword === wrong) expect(warnings).toContainEqual(expect.stringContaining(' is unavailable: '));
        };
        await withServer(options, check, (url) => withPassword(url, encodedPassword));
      }
    }
  });
});

const withPassword = (url: string, encoded: string): string => {
  const { host, pathname } = new URL(url);
  return `redis://:${encoded}@${host}${pathname}`;
};
