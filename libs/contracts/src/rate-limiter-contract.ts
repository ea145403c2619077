import assert from 'node:assert/strict';
import type { LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A limiter that has counted nothing, and its clock. */
export interface RateLimiterSubject {
  readonly limiter: RateLimiter;
  /** Advances the clock that the limiter counts by. */
  readonly advance: (milliseconds: number) => Promise<void>;
}

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

/** Sends this many requests one after the other; returns how many were admitted. */
const admittedOf = async (limiter: RateLimiter, rule: LimitRule, times: number, subject = 'ada'): Promise<number> => {
  let admitted = 0;
  for (let i = 0; i < times; i++) {
    if ((await limiter.consume(subject, rule)).admitted) admitted++;
  }
  return admitted;
};

const factsOf = ({ admitted, remaining, resetSeconds, retryAfterSeconds }: RateLimitResult) =>
  [admitted, remaining, resetSeconds, retryAfterSeconds] as const;

/** Sends 24 requests every 100 ms for 60 seconds, after 5 quiet ones; returns when each was admitted, in milliseconds. */
const admissionsUnderLoad = async (
  { limiter, advance }: RateLimiterSubject,
  rule: LimitRule,
): Promise<readonly number[]> => {
  const admissions: number[] = [];
  await advance(5000);
  for (let now = 0; now < 60_000; now += 100) {
    const admitted = await admittedOf(limiter, rule, 24);
    for (let i = 0; i < admitted; i++) admissions.push(now);
    await advance(100);
  }
  return admissions;
};

const counting = {
  'a limit admits exactly as many requests as it allows': async ({ limiter }) => {
    for (const allowed of [1, 2, 17, 1000]) {
      const admitted = await admittedOf(limiter, ruleOf(allowed, 60), allowed + 5, `limit ${allowed}`);
      assert.equal(admitted, allowed);
    }
  },

  'a new subject has the whole limit and need not wait': async ({ limiter }) => {
    assert.deepEqual(factsOf(await limiter.peek('ada', ruleOf(5, 60))), [true, 5, 0, 0]);
  },

  'remaining falls by one with each admitted request': async ({ limiter }) => {
    const remaining: number[] = [];
    for (let i = 0; i < 5; i++) remaining.push((await limiter.consume('ada', ruleOf(3, 60))).remaining);
    assert.deepEqual(remaining, [2, 1, 0, 0, 0]);
  },

  'a refused request consumes nothing': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    await admittedOf(limiter, rule, 2);
    await advance(6000);
    await admittedOf(limiter, rule, 20);
    await advance(4000);
    assert.equal(await admittedOf(limiter, rule, 5), 2);
  },

  'a result names the rule that judged': async ({ limiter }) => {
    for (const rule of [ruleOf(3, 60), ruleOf(1, 10), ruleOf(5000, 7)]) {
      const [taken, seen] = [await limiter.consume('ada', rule), await limiter.peek('ada', rule)];
      assert.deepEqual({ ...taken.rule }, rule);
      assert.deepEqual({ ...seen.rule }, rule);
    }
  },

  'subjects are counted apart': async ({ limiter }) => {
    const rule = ruleOf(2, 60);
    for (const subject of ['ada', 'Ada', 'ada ', 'bob', '']) {
      assert.equal(await admittedOf(limiter, rule, 3, subject), 2, JSON.stringify(subject));
    }
  },

  'of concurrent requests, no more are admitted than the limit allows': async ({ limiter }) => {
    const quotas = await Promise.all(Array.from({ length: 60 }, () => limiter.consume('ada', ruleOf(20, 60))));
    assert.equal(quotas.filter(({ admitted }) => admitted).length, 20);
  },

  'a peek counts nothing': async ({ limiter }) => {
    const rule = ruleOf(3, 60);
    await limiter.consume('ada', rule);
    for (let i = 0; i < 5; i++) assert.equal((await limiter.peek('ada', rule)).remaining, 2);
    assert.equal(await admittedOf(limiter, rule, 5), 2);
  },

  'peeks of many subjects are those of each, in their order': async ({ limiter, advance }) => {
    const asked = Array.from({ length: 250 }, (_, at) => ({
      subject: `subject ${at % 240}`,
      rule: ruleOf(5 + at, 60),
    }));
    for (const [at, { subject, rule }] of asked.entries())
      if (at % 7 < 3) await admittedOf(limiter, rule, at % 7, subject);
    await advance(1500);
    const each: RateLimitResult[] = [];
    for (const { subject, rule } of asked) each.push(await limiter.peek(subject, rule));
    assert.deepEqual((await limiter.peekEach(asked)).results, each);
    assert.deepEqual((await limiter.peekEach([])).results, []);
  },

  'peeks of many subjects count nothing': async ({ limiter }) => {
    const rule = ruleOf(3, 60);
    await limiter.consume('ada', rule);
    const asked = ['ada', 'bob', 'ada'].map((subject) => ({ subject, rule }));
    for (let i = 0; i < 5; i++) {
      const { results } = await limiter.peekEach(asked);
      assert.deepEqual(
        results.map(({ remaining }) => remaining),
        [2, 3, 2],
      );
    }
    assert.equal(await admittedOf(limiter, rule, 5), 2);
    assert.equal(await admittedOf(limiter, rule, 5, 'bob'), 3);
  },

  'a peek says whether a consume would be admitted, and after how long': async ({ limiter, advance }) => {
    const rule = ruleOf(1, 10);
    await limiter.consume('ada', rule);
    await advance(2500);
    const seen = await limiter.peek('ada', rule);
    assert.deepEqual(factsOf(seen), [false, 0, 8, 8]);
    assert.deepEqual(factsOf(await limiter.consume('ada', rule)), factsOf(seen));
  },
} satisfies Contract<RateLimiterSubject>;

const sliding = {
  'a request counts until it is exactly one window old': async ({ limiter, advance }) => {
    const rule = ruleOf(1, 10);
    await limiter.consume('ada', rule);
    await advance(9999);
    assert.equal((await limiter.consume('ada', rule)).admitted, false);
    await advance(1);
    assert.equal((await limiter.consume('ada', rule)).admitted, true);
  },

  "a burst counts in every window that contains it, even at a window's edge": async ({ limiter, advance }) => {
    const rule = ruleOf(10, 10);
    await advance(9000);
    assert.equal(await admittedOf(limiter, rule, 10), 10);
    for (const milliseconds of [1000, 1000, 4000, 3999]) {
      await advance(milliseconds);
      assert.equal(await admittedOf(limiter, rule, 10), 0);
    }
  },

  'the reset is the time until the oldest counted request leaves the window': async ({ limiter, advance }) => {
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

  'a request is admitted after exactly the announced wait, not a second earlier': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    await limiter.consume('ada', rule);
    await advance(3200);
    await limiter.consume('ada', rule);
    await advance(1200);
    const waits = [(await limiter.consume('ada', rule)).retryAfterSeconds];
    await advance(5000);
    waits.push((await limiter.consume('ada', rule)).retryAfterSeconds);
    await advance(1000);
    const last = await limiter.consume('ada', rule);
    assert.deepEqual([...waits, last.admitted], [6, 1, true]);
  },

  'the last admitted request already says how long to wait for the next': async ({ limiter, advance }) => {
    const rule = ruleOf(2, 10);
    assert.equal((await limiter.consume('ada', rule)).retryAfterSeconds, 0);
    await advance(1500);
    assert.deepEqual(factsOf(await limiter.consume('ada', rule)), [true, 0, 9, 9]);
  },

  'a refused request waits at least one second': async ({ limiter, advance }) => {
    const rule = ruleOf(1, 1);
    await limiter.consume('ada', rule);
    await advance(999);
    assert.equal((await limiter.consume('ada', rule)).retryAfterSeconds, 1);
  },
} satisfies Contract<RateLimiterSubject>;

const changing = {
  'a lowered limit judges what the higher one admitted': async ({ limiter, advance }) => {
    assert.equal(await admittedOf(limiter, ruleOf(10, 10), 4), 4);
    await advance(2000);
    assert.equal(await admittedOf(limiter, ruleOf(10, 10), 4), 4);
    assert.deepEqual(factsOf(await limiter.consume('ada', ruleOf(3, 10))), [false, 0, 8, 10]);
    await advance(10_000);
    assert.equal(await admittedOf(limiter, ruleOf(3, 10), 5), 3);
  },

  'a raised limit counts what the lower one admitted': async ({ limiter }) => {
    assert.equal(await admittedOf(limiter, ruleOf(4, 60), 4), 4);
    assert.equal(await admittedOf(limiter, ruleOf(10, 60), 20), 6);
  },

  'a longer window still counts what left the shorter one': async ({ limiter, advance }) => {
    assert.equal(await admittedOf(limiter, ruleOf(5, 10), 5), 5);
    await advance(5000);
    assert.equal(await admittedOf(limiter, ruleOf(6, 60), 5), 1);
    await advance(54_999);
    assert.equal(await admittedOf(limiter, ruleOf(6, 60), 5), 0);
    await advance(1);
    assert.equal(await admittedOf(limiter, ruleOf(6, 60), 10), 5);
  },

  'a shorter window no longer counts what the longer one held': async ({ limiter, advance }) => {
    assert.equal(await admittedOf(limiter, ruleOf(5, 60), 5), 5);
    await advance(10_000);
    assert.equal(await admittedOf(limiter, ruleOf(5, 10), 9), 5);
  },

  'the history survives a limit that rises above 1,000 and falls again': async ({ limiter, advance }) => {
    const [low, high] = [ruleOf(1000, 60), ruleOf(2000, 60)];
    assert.equal(await admittedOf(limiter, low, 600), 600);
    await advance(1000);
    const more = await admittedOf(limiter, high, 2000);
    assert.ok(more <= 1400 && more >= 0.98 * 2000 - 600, `${more} besides the first 600`);
    assert.equal((await limiter.consume('ada', low)).admitted, false);
    await advance(57_000);
    assert.equal((await limiter.consume('ada', low)).admitted, false);
    await advance(4000);
    assert.equal((await limiter.consume('ada', low)).admitted, true);
  },
} satisfies Contract<RateLimiterSubject>;

const large = {
  'above 1,000, no window holds more than the limit': async (subject) => {
    const rule = ruleOf(1500, 10);
    const admissions = await admissionsUnderLoad(subject, rule);
    for (const [index, admittedAt] of admissions.entries()) {
      const earliest = admissions[index - rule.allowed];
      assert.ok(earliest === undefined || admittedAt - earliest >= 10_000, `too many up to ${admittedAt} ms`);
    }
  },

  'above 1,000, at least 98 % of the limit is admitted': async (subject) => {
    const rule = ruleOf(1500, 10);
    const admissions = await admissionsUnderLoad(subject, rule);
    const inSixWindows = admissions.length;
    assert.ok(inSixWindows >= 0.98 * 6 * rule.allowed, `${inSixWindows} of ${6 * rule.allowed}`);
  },

  'above 1,000, a request is admitted after the announced wait': async ({ limiter, advance }) => {
    const rule = ruleOf(1001, 10);
    await admittedOf(limiter, rule, 500);
    await advance(2500);
    await admittedOf(limiter, rule, 600);
    const { admitted, remaining, retryAfterSeconds } = await limiter.consume('ada', rule);
    assert.deepEqual([admitted, remaining], [false, 0]);
    assert.ok(retryAfterSeconds >= 8 && retryAfterSeconds <= 9, `${retryAfterSeconds} s`);
    await advance(retryAfterSeconds * 1000);
    assert.equal((await limiter.consume('ada', rule)).admitted, true);
  },
} satisfies Contract<RateLimiterSubject>;

export const rateLimiterContract = {
  ...counting,
  ...sliding,
  ...changing,
  ...large,
} satisfies Contract<RateLimiterSubject>;
