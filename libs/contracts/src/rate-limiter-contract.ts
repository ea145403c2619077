import assert from 'node:assert/strict';
import type { LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A limiter that has not counted any requests, and its clock. */
export interface RateLimiterSubject {
  readonly limiter: RateLimiter;
  /** Advances the limiter's clock. */
  readonly advance: (milliseconds: number) => Promise<void>;
}

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

/** Sends this many requests one after another. Returns the number of requests that were admitted. */
const countAdmitted = async (
  limiter: RateLimiter,
  rule: LimitRule,
  requestCount: number,
  subject = 'ada',
): Promise<number> => {
  let admittedCount = 0;
  for (let i = 0; i < requestCount; i++) {
    if ((await limiter.consume(subject, rule)).isAdmitted) admittedCount++;
  }
  return admittedCount;
};

const valuesOf = ({ isAdmitted, remaining, resetSeconds, retryAfterSeconds }: RateLimitResult) =>
  [isAdmitted, remaining, resetSeconds, retryAfterSeconds] as const;

/**
 * Sends 24 requests every 100 ms for 60 s, after 5 idle seconds. Returns the time of each admission in milliseconds.
 */
const collectAdmissionsUnderLoad = async (
  { limiter, advance }: RateLimiterSubject,
  rule: LimitRule,
): Promise<readonly number[]> => {
  const admissions: number[] = [];
  await advance(5000);
  for (let now = 0; now < 60_000; now += 100) {
    const admittedCount = await countAdmitted(limiter, rule, 24);
    for (let i = 0; i < admittedCount; i++) admissions.push(now);
    await advance(100);
  }
  return admissions;
};

const countingCases = {
  'a limit admits exactly as many requests as it allows': async ({ limiter }) => {
    for (const allowed of [1, 2, 17, 1000]) {
      const admittedCount = await countAdmitted(limiter, ruleOf(allowed, 60), allowed + 5, `limit ${allowed}`);
      assert.equal(admittedCount, allowed);
    }
  },

  'a new subject has its full limit and does not have to wait': async ({ limiter }) => {
    assert.deepEqual(valuesOf(await limiter.peek('ada', ruleOf(5, 60))), [true, 5, 0, 0]);
  },

  'remaining decreases by one with each admitted request': async ({ limiter }) => {
    const remaining: number[] = [];
    for (let i = 0; i < 5; i++) remaining.push((await limiter.consume('ada', ruleOf(3, 60))).remaining);
    assert.deepEqual(remaining, [2, 1, 0, 0, 0]);
  },

  'a rejected request consumes nothing': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    await countAdmitted(limiter, rule, 2);
    await advance(6000);
    await countAdmitted(limiter, rule, 20);
    await advance(4000);
    assert.equal(await countAdmitted(limiter, rule, 5), 2);
  },

  'a result names the rule that was applied': async ({ limiter }) => {
    for (const rule of [ruleOf(3, 60), ruleOf(1, 10), ruleOf(5000, 7)]) {
      const [consumeResult, peekResult] = [await limiter.consume('ada', rule), await limiter.peek('ada', rule)];
      assert.deepEqual({ ...consumeResult.rule }, rule);
      assert.deepEqual({ ...peekResult.rule }, rule);
    }
  },

  'subjects are counted separately': async ({ limiter }) => {
    const rule = ruleOf(2, 60);
    for (const subject of ['ada', 'Ada', 'ada ', 'bob', '']) {
      assert.equal(await countAdmitted(limiter, rule, 3, subject), 2, JSON.stringify(subject));
    }
  },

  'concurrent requests are not admitted beyond the limit': async ({ limiter }) => {
    const results = await Promise.all(Array.from({ length: 60 }, () => limiter.consume('ada', ruleOf(20, 60))));
    assert.equal(results.filter(({ isAdmitted }) => isAdmitted).length, 20);
  },

  'peeking does not count as a request': async ({ limiter }) => {
    const rule = ruleOf(3, 60);
    await limiter.consume('ada', rule);
    for (let i = 0; i < 5; i++) assert.equal((await limiter.peek('ada', rule)).remaining, 2);
    assert.equal(await countAdmitted(limiter, rule, 5), 2);
  },

  'peeking at many subjects returns the same results as peeking at each of them, in the given order': async ({
    limiter,
    advance,
  }) => {
    const queries = Array.from({ length: 250 }, (_, index) => ({
      subject: `subject ${index % 240}`,
      rule: ruleOf(5 + index, 60),
    }));
    for (const [index, { subject, rule }] of queries.entries())
      if (index % 7 < 3) await countAdmitted(limiter, rule, index % 7, subject);
    await advance(1500);
    const expected: RateLimitResult[] = [];
    for (const { subject, rule } of queries) expected.push(await limiter.peek(subject, rule));
    assert.deepEqual((await limiter.peekMany(queries)).results, expected);
    assert.deepEqual((await limiter.peekMany([])).results, []);
  },

  'peeking at many subjects does not count as a request': async ({ limiter }) => {
    const rule = ruleOf(3, 60);
    await limiter.consume('ada', rule);
    const queries = ['ada', 'bob', 'ada'].map((subject) => ({ subject, rule }));
    for (let i = 0; i < 5; i++) {
      const { results } = await limiter.peekMany(queries);
      assert.deepEqual(
        results.map(({ remaining }) => remaining),
        [2, 3, 2],
      );
    }
    assert.equal(await countAdmitted(limiter, rule, 5), 2);
    assert.equal(await countAdmitted(limiter, rule, 5, 'bob'), 3);
  },

  'peeking shows whether a request would be admitted, and how long it would have to wait': async ({
    limiter,
    advance,
  }) => {
    const rule = ruleOf(1, 10);
    await limiter.consume('ada', rule);
    await advance(2500);
    const peekResult = await limiter.peek('ada', rule);
    assert.deepEqual(valuesOf(peekResult), [false, 0, 8, 8]);
    assert.deepEqual(valuesOf(await limiter.consume('ada', rule)), valuesOf(peekResult));
  },
} satisfies Contract<RateLimiterSubject>;

const slidingCases = {
  'a request counts until it is exactly one window old': async ({ limiter, advance }) => {
    const rule = ruleOf(1, 10);
    await limiter.consume('ada', rule);
    await advance(9999);
    assert.equal((await limiter.consume('ada', rule)).isAdmitted, false);
    await advance(1);
    assert.equal((await limiter.consume('ada', rule)).isAdmitted, true);
  },

  'a burst counts in every window that contains it, even at the edge of a window': async ({ limiter, advance }) => {
    const rule = ruleOf(10, 10);
    await advance(9000);
    assert.equal(await countAdmitted(limiter, rule, 10), 10);
    for (const milliseconds of [1000, 1000, 4000, 3999]) {
      await advance(milliseconds);
      assert.equal(await countAdmitted(limiter, rule, 10), 0);
    }
  },

  'the reset time is the time until the oldest counted request leaves the window': async ({ limiter, advance }) => {
    const rule = ruleOf(3, 10);
    const resets = [(await limiter.consume('ada', rule)).resetSeconds];
    await advance(4500);
    resets.push((await limiter.consume('ada', rule)).resetSeconds);
    await advance(5500);
    resets.push((await limiter.peek('ada', rule)).resetSeconds);
    await advance(4500);
    resets.push((await limiter.peek('ada', rule)).resetSeconds);
    assert.deepEqual(resets, [10, 6, 5, 0]);
  },

  'a request is admitted after exactly the announced wait, and not a second earlier': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    await limiter.consume('ada', rule);
    await advance(3200);
    await limiter.consume('ada', rule);
    await advance(1200);
    const waits = [(await limiter.consume('ada', rule)).retryAfterSeconds];
    await advance(5000);
    waits.push((await limiter.consume('ada', rule)).retryAfterSeconds);
    await advance(1000);
    const lastResult = await limiter.consume('ada', rule);
    assert.deepEqual([...waits, lastResult.isAdmitted], [6, 1, true]);
  },

  'the result of the last admitted request already shows the wait for the next one': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    assert.equal((await limiter.consume('ada', rule)).retryAfterSeconds, 0);
    await advance(1500);
    assert.deepEqual(valuesOf(await limiter.consume('ada', rule)), [true, 0, 9, 9]);
  },

  'a rejected request waits at least one second': async ({ limiter, advance }) => {
    const rule = ruleOf(1, 1);
    await limiter.consume('ada', rule);
    await advance(999);
    assert.equal((await limiter.consume('ada', rule)).retryAfterSeconds, 1);
  },
} satisfies Contract<RateLimiterSubject>;

const changeCases = {
  'a lowered limit counts the requests that the higher one admitted': async ({ limiter, advance }) => {
    assert.equal(await countAdmitted(limiter, ruleOf(10, 10), 4), 4);
    await advance(2000);
    assert.equal(await countAdmitted(limiter, ruleOf(10, 10), 4), 4);
    assert.deepEqual(valuesOf(await limiter.consume('ada', ruleOf(3, 10))), [false, 0, 8, 10]);
    await advance(10_000);
    assert.equal(await countAdmitted(limiter, ruleOf(3, 10), 5), 3);
  },

  'a raised limit counts the requests that the lower one admitted': async ({ limiter }) => {
    assert.equal(await countAdmitted(limiter, ruleOf(4, 60), 4), 4);
    assert.equal(await countAdmitted(limiter, ruleOf(10, 60), 20), 6);
  },

  'a longer window still counts requests that have left the shorter one': async ({ limiter, advance }) => {
    assert.equal(await countAdmitted(limiter, ruleOf(5, 10), 5), 5);
    await advance(5000);
    assert.equal(await countAdmitted(limiter, ruleOf(6, 60), 5), 1);
    await advance(54_999);
    assert.equal(await countAdmitted(limiter, ruleOf(6, 60), 5), 0);
    await advance(1);
    assert.equal(await countAdmitted(limiter, ruleOf(6, 60), 10), 5);
  },

  'a shorter window no longer counts the older requests of the longer one': async ({ limiter, advance }) => {
    assert.equal(await countAdmitted(limiter, ruleOf(5, 60), 5), 5);
    await advance(10_000);
    assert.equal(await countAdmitted(limiter, ruleOf(5, 10), 9), 5);
  },

  'the history is kept when the limit rises above 1,000 and falls again': async ({ limiter, advance }) => {
    const [lowRule, highRule] = [ruleOf(1000, 60), ruleOf(2000, 60)];
    assert.equal(await countAdmitted(limiter, lowRule, 600), 600);
    await advance(1000);
    const admittedCount = await countAdmitted(limiter, highRule, 2000);
    assert.ok(
      admittedCount <= 1400 && admittedCount >= 0.98 * 2000 - 600,
      `${admittedCount} in addition to the first 600`,
    );
    assert.equal((await limiter.consume('ada', lowRule)).isAdmitted, false);
    await advance(57_000);
    assert.equal((await limiter.consume('ada', lowRule)).isAdmitted, false);
    await advance(4000);
    assert.equal((await limiter.consume('ada', lowRule)).isAdmitted, true);
  },
} satisfies Contract<RateLimiterSubject>;

const largeLimitCases = {
  'above 1,000, no window has more requests than the limit': async (subject) => {
    const rule = ruleOf(1500, 10);
    const admissions = await collectAdmissionsUnderLoad(subject, rule);
    for (const [index, admittedAt] of admissions.entries()) {
      const earliest = admissions[index - rule.allowed];
      assert.ok(earliest === undefined || admittedAt - earliest >= 10_000, `too many up to ${admittedAt} ms`);
    }
  },

  'above 1,000, at least 98 % of the limit is admitted': async (subject) => {
    const rule = ruleOf(1500, 10);
    const admissions = await collectAdmissionsUnderLoad(subject, rule);
    const admittedCount = admissions.length;
    assert.ok(admittedCount >= 0.98 * 6 * rule.allowed, `${admittedCount} of ${6 * rule.allowed}`);
  },

  'above 1,000, a request is admitted after the announced wait': async ({ limiter, advance }) => {
    const rule = ruleOf(1001, 10);
    await countAdmitted(limiter, rule, 500);
    await advance(2500);
    await countAdmitted(limiter, rule, 600);
    const { isAdmitted, remaining, retryAfterSeconds } = await limiter.consume('ada', rule);
    assert.deepEqual([isAdmitted, remaining], [false, 0]);
    assert.ok(retryAfterSeconds >= 8 && retryAfterSeconds <= 9, `${retryAfterSeconds} s`);
    await advance(retryAfterSeconds * 1000);
    assert.equal((await limiter.consume('ada', rule)).isAdmitted, true);
  },
} satisfies Contract<RateLimiterSubject>;

export const rateLimiterContract = {
  ...countingCases,
  ...slidingCases,
  ...changeCases,
  ...largeLimitCases,
} satisfies Contract<RateLimiterSubject>;
