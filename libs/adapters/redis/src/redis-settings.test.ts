import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@portico/test-servers';
import { describe, expect, test } from 'vitest';
import { openObservedConnection, type ObservedConnection } from '../test/observed-connection.ts';
import { connectTimeoutMs } from './redis-connection.ts';
import { limitKeys, replyErrorPauseMs } from './redis-rate-limiter.ts';

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
    check: (connection: ObservedConnection, label: string) => Promise<void>,
    changeUrl: (url: string) => string = (url) => url,
  ) => {
    const server = await start(options);
    const connection = await openObservedConnection(changeUrl(server!.url));
    try {
      await check(connection, server!.label);
    } finally {
      await connection.close();
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
      async ({ time, redis, warnings, waitUntilAvailable }, label) => {
        await time.pollInRealTime(() => expect(warnings).not.toEqual([]));
        redis.client.disconnect(true);
        await time.pollInRealTime(() => expect(redis.client.status).not.toBe('ready'));
        await waitUntilAvailable();
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
  ])('a server with INFO %s is used, without a warning about unknown properties', async (_, args) => {
    const check = async ({ limiter, fallbacks, warnings, redis }: ObservedConnection) => {
      await expect(redis.client.info()).rejects.toThrow(/NOPERM|unknown command/);
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect(await redis.client.exists(limitKeys('here', 'ada').log)).toBe(1);
      expect([warnings, fallbacks]).toEqual([[], []]);
    };
    await withServer({ args }, check, (url) => withPassword(url, 'sesame'));
  });

  test('a server that responds to PING but rejects the script fails the check', async () => {
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
    const slowLoadingArgs = ['--key-load-delay', '50000', '--loading-process-events-interval-bytes', '1024'];
    const server = await startRedis({ args: ['--dir', folder, '--rdbcompression', 'no', ...slowLoadingArgs] });
    const connectionBefore = await openObservedConnection(server!.url);
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => connectionBefore.redis.client.set(`key ${i}`, 'x'.repeat(2048))),
    );
    await connectionBefore.redis.client.save();
    await connectionBefore.close();
    await server!.control!.stop('immediate');
    const startup = server!.control!.start();
    let connection = await openObservedConnection(server!.url);
    while (!connection.warnings.some((warning) => warning.includes(' is unavailable: LOADING '))) {
      await connection.close();
      connection = await openObservedConnection(server!.url);
    }
    expect((await connection.limiter.consume('ada', rule)).remaining).toBe(4);
    expect(connection.fallbacks).toEqual([true]);
    await startup;
    await connection.waitUntilAvailable();
    expect(await connection.redis.client.exists('key 59')).toBe(1);
    expect(connection.warnings.filter((warning) => warning.includes(' is unavailable: '))).toHaveLength(1);
    await connection.close();
    await server!.close();
    rmSync(folder, { recursive: true });
  });

  test('if its memory is full, this process counts alone and logs that', async () => {
    await withServer({ args: ['--maxmemory', '1'] }, async (connection, label) => {
      const { time, redis, limiter, fallbacks, warnings } = connection;
      expect((await limiter.consume('ada', rule)).remaining).toBe(4);
      expect((await limiter.consume('ada', rule)).remaining).toBe(3);
      // Redis would serve this read, but a limiter that counts only half of the requests is worse than none.
      expect((await limiter.peek('ada', rule)).remaining).toBe(3);
      expect(fallbacks).toEqual([true]);
      expect(warnings).toEqual([
        expect.stringMatching(new RegExp(`^Redis at ${label} rejects commands: .*OOM`)),
        expect.stringMatching(/^Rate limits are counted by this process alone: .*OOM/),
      ]);
      await redis.client.config('SET', 'maxmemory', '0');
      await time.advance(replyErrorPauseMs - 1);
      await limiter.consume('ada', rule);
      expect(fallbacks).toEqual([true]);
      await time.advance(1);
      await limiter.consume('ada', rule);
      expect(fallbacks).toEqual([true, false]);
    });
  });

  test('a password is never revealed, not even if it is rejected', async () => {
    const wrongPassword = 'sesame%2Fsesame';
    const unknownCommandArgs = ['--rename-command', 'HELLO', '', '--rename-command', 'AUTH', ''];
    const servers = [
      { password },
      { password, args: unknownCommandArgs },
      { password: longPassword, args: unknownCommandArgs },
    ];
    for (const options of servers) {
      for (const encodedPassword of [encodeURIComponent(options.password), wrongPassword]) {
        const check = async ({ redis, limiter, warnings }: ObservedConnection) => {
          const problem = await redis.probe.check().then(
            () => null,
            (error: Error) => [error.message, error.stack, String(error.cause), JSON.stringify(error)],
          );
          await limiter.consume('ada', rule);
          const output = JSON.stringify([warnings, problem]);
          expect(output).not.toMatch(/hunter2|sesame|signs/);
          if (encodedPassword === wrongPassword)
            expect(warnings).toContainEqual(expect.stringContaining(' is unavailable: '));
        };
        await withServer(options, check, (url) => withPassword(url, encodedPassword));
      }
    }
  });
});

const withPassword = (url: string, encodedPassword: string): string => {
  const { host, pathname } = new URL(url);
  return `redis://:${encodedPassword}@${host}${pathname}`;
};
