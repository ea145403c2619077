import { createHash } from 'node:crypto';
import { AdmissionLog, rateLimiterContract, recordLog } from '@portico/contracts';
import type { LimitRule, RateLimiter } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { createSubjects, noFallback, longTimeoutMs } from '../test/limiter-subject.ts';
import { openRedis } from './redis-connection.ts';
import { createRedisRateLimiter, limitKeys, slidingWindowScript } from './redis-rate-limiter.ts';

/** The memory limit per subject: 8 KB, including the keys (specification, section 7). */
const subjectBytesMax = 8_000;
const profile = 'client:0d1d2b40-6f5c-4b80-93d3-2a4a4b5f7e11';

const redis = await startRedis();
const subjects = redis && (await createSubjects(redis.url));
afterAll(async () => {
  await subjects?.close();
  await redis?.close();
});

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

const countAdmitted = async (limiter: RateLimiter, rule: LimitRule, times: number, name = 'ada') => {
  const quotas = await Promise.all(Array.from({ length: times }, () => limiter.consume(name, rule)));
  return quotas.filter(({ isAdmitted }) => isAdmitted).length;
};

describe.skipIf(!subjects)('the limiter in Redis', () => {
  const nextSubject = () => subjects!.next();
  const bytesOf = (name: string, { keysOf }: ReturnType<typeof nextSubject>) => subjects!.bytesOf(keysOf(name));

  test('the script parses, and Redis stores it unchanged', async () => {
    const digest = await subjects!.client.script('LOAD', slidingWindowScript);
    expect(digest).toBe(createHash('sha1').update(slidingWindowScript).digest('hex'));
  });

  for (const [title, check] of Object.entries(rateLimiterContract)) {
    test(title, () => check(nextSubject()));
  }

  test('a client with the largest exact limit uses at most 8 KB, with any history', async () => {
    const subject = nextSubject();
    const { limiter, advance } = subject;
    const sizes: number[] = [];
    for (let request = 0; request < 4000; request++) {
      await limiter.consume(profile, ruleOf(1000, 1));
      await advance(1.7);
      if (request % 50 === 0) sizes.push(await bytesOf(profile, subject));
    }
    expect(Math.max(...sizes)).toBeGreaterThan(6_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(subjectBytesMax);
  });

  test('a client with a larger limit uses at most 8 KB, with any history', async () => {
    const subject = nextSubject();
    const { limiter, advance } = subject;
    const sizes: number[] = [];
    for (let request = 0; request < 2000; request++) {
      await limiter.consume(profile, ruleOf(1_000_000_000, 10));
      await advance(31);
      if (request % 50 === 0) sizes.push(await bytesOf(profile, subject));
    }
    expect(Math.max(...sizes)).toBeGreaterThan(1_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(subjectBytesMax);
  });

  test('a client with one request uses almost no memory', async () => {
    const subject = nextSubject();
    const { limiter } = subject;
    await limiter.consume(profile, ruleOf(600, 60));
    expect(await bytesOf(profile, subject)).toBeLessThan(300);
  });

  test('above 1,000 a steady load just over the limit uses over 98 % of the limit', async () => {
    const { limiter, advance } = nextSubject();
    const rule = ruleOf(2000, 10);
    let admittedCount = 0;
    for (let request = 0; request < 12_000; request++) {
      if (request === 3000) admittedCount = 0;
      admittedCount += await countAdmitted(limiter, rule, 1);
      await advance(4.9);
    }
    const windows = (9000 * 4.9) / 10_000;
    expect(admittedCount).toBeGreaterThan(0.98 * windows * rule.allowed);
  });

  test('a peek by a rule of a different kind uses the whole history', async () => {
    const { limiter, advance } = nextSubject();
    for (let minute = 0; minute < 3; minute++) {
      expect(await countAdmitted(limiter, ruleOf(1000, 60), 1000)).toBe(1000);
      await advance(60_000);
    }
    expect((await limiter.peek('ada', ruleOf(5000, 3600))).remaining).toBe(2000);
    await countAdmitted(limiter, ruleOf(5000, 3600), 1);
    await advance(420_000);
    expect((await limiter.peek('ada', ruleOf(5000, 300))).remaining).toBe(5000);
    expect((await limiter.peek('ada', ruleOf(10, 3600))).remaining).toBe(0);
  });

  test('a peek by a different rule keeps the history exact', async () => {
    const { limiter, advance } = nextSubject();
    const rule = ruleOf(3, 600);
    for (let i = 0; i < 3; i++) {
      await limiter.consume('ada', rule);
      await advance(1);
    }
    await limiter.peek('ada', ruleOf(5000, 600));
    await advance(599_997);
    expect(await countAdmitted(limiter, rule, 3)).toBe(1);
    await advance(1);
    expect(await countAdmitted(limiter, rule, 3)).toBe(1);
  });

  test('no request is admitted a millisecond too early, and the announced wait is that of the window', async () => {
    const { limiter, advance } = nextSubject();
    const rule = ruleOf(1, 1);
    await advance(0.9);
    expect(await limiter.consume('ada', rule)).toMatchObject({
      isAdmitted: true,
      resetSeconds: 1,
      retryAfterSeconds: 1,
    });
    await advance(999.2);
    expect(await limiter.consume('ada', rule)).toMatchObject({ isAdmitted: false, retryAfterSeconds: 1 });
    await advance(1);
    expect(await limiter.consume('ada', rule)).toMatchObject({ isAdmitted: true });
  });

  test('a peek at an unknown subject stores nothing', async () => {
    const { limiter, keysOf } = nextSubject();
    await limiter.peek('ada', ruleOf(5, 10));
    expect(await subjects!.client.exists(...Object.values(keysOf('ada')))).toBe(0);
  });

  test('a client that sends occasional requests for twenty years is limited in the same way as on the first day', async () => {
    const { limiter, advance } = nextSubject();
    const rule = ruleOf(2, 2_678_400);
    const log = new AdmissionLog();
    let now = 0;
    // Start with a busy hour, so that the log has capacity for all visits and none of them compacts the history.
    await countAdmitted(limiter, ruleOf(1000, 2_678_400), 600);
    for (let i = 0; i < 600; i++) log.record(now);
    for (let visit = 0; visit < 450; visit++) {
      expect(await limiter.consume('ada', rule)).toEqual(log.consume(now, rule));
      const days = [9, 16, 24, 30, 1][visit % 5]!;
      await advance(days * 86_400_000);
      now += days * 86_400_000_000;
    }
    expect(now / 86_400_000_000 / 365).toBeGreaterThan(18);
  });

  test('setting the server clock back by an hour neither resets nor blocks any client', async () => {
    const { limiter, advance } = nextSubject();
    for (const rule of [ruleOf(5, 60), ruleOf(1500, 60)]) {
      const name = `limit ${rule.allowed}`;
      expect(await countAdmitted(limiter, rule, rule.allowed + 1, name)).toBe(rule.allowed);
      await advance(-3_600_000);
      expect(await limiter.consume(name, rule)).toMatchObject({ isAdmitted: false, retryAfterSeconds: 60 });
      await advance(59_999);
      expect((await limiter.consume(name, rule)).isAdmitted).toBe(false);
      await advance(1);
      expect((await limiter.consume(name, rule)).isAdmitted).toBe(true);
    }
  });

  test('the script is sent again to a server that lost it', async () => {
    const { limiter } = nextSubject();
    const rule = ruleOf(5, 60);
    expect(await countAdmitted(limiter, rule, 2)).toBe(2);
    await subjects!.client.script('FLUSH');
    expect(await countAdmitted(limiter, rule, 9)).toBe(3);
  });

  test('a subject is stored as long as an evaluated window contains one of its requests', async () => {
    const { limiter, keysOf } = nextSubject();
    const ttlSecondsOf = async (name: string) => Math.round((await subjects!.client.pttl(keysOf(name).log)) / 1000);
    await limiter.consume('ada', ruleOf(1, 6000));
    expect(await ttlSecondsOf('ada')).toBeCloseTo(6000, -3);
    await limiter.consume('ada', ruleOf(1, 360_000));
    expect(await ttlSecondsOf('ada')).toBeCloseTo(360_000, -3);
    await limiter.peek('ada', ruleOf(1, 864_000));
    expect(await ttlSecondsOf('ada')).toBeCloseTo(864_000, -3);
    await limiter.consume('ada', ruleOf(1, 1));
    expect(await ttlSecondsOf('ada')).toBeCloseTo(864_000, -3);
  });
});

describe.skipIf(!subjects)("the limiter in Redis with the server's clock", () => {
  const openLimiter = async (installation = 'here') => {
    const connection = await openRedis({ url: redis!.url, log: recordLog(), timeoutMs: longTimeoutMs });
    const limiter = createRedisRateLimiter({
      redis: connection,
      fallback: noFallback,
      log: recordLog(),
      installation,
    });
    return { connection, limiter };
  };

  test('a denied client is admitted after the announced time, and its key finally expires', async () => {
    const { connection, limiter } = await openLimiter();
    const rule = ruleOf(2, 1);
    expect(await countAdmitted(limiter, rule, 2)).toBe(2);
    await expect.poll(() => countAdmitted(limiter, rule, 1)).toBe(1);
    await expect.poll(() => connection.client.exists(limitKeys('here', 'ada').log)).toBe(0);
    await connection.close();
  });

  test('two connections count together', async () => {
    const [firstOpened, secondOpened] = [await openLimiter(), await openLimiter()];
    const rule = ruleOf(5, 3600);
    expect(await countAdmitted(firstOpened.limiter, rule, 3, 'bob')).toBe(3);
    expect(await countAdmitted(secondOpened.limiter, rule, 9, 'bob')).toBe(2);
    expect(await countAdmitted(firstOpened.limiter, rule, 3, 'bob')).toBe(0);
    await Promise.all([firstOpened.connection.close(), secondOpened.connection.close()]);
  });

  test('two installations count separately', async () => {
    const [firstOpened, secondOpened] = [await openLimiter(), await openLimiter('there')];
    const rule = ruleOf(5, 3600);
    expect(await countAdmitted(firstOpened.limiter, rule, 9, 'eve')).toBe(5);
    expect(await countAdmitted(secondOpened.limiter, rule, 9, 'eve')).toBe(5);
    await Promise.all([firstOpened.connection.close(), secondOpened.connection.close()]);
  });
});
