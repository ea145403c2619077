import { proofsOf, rateLimiterContract, type RateLimiterSubject, type Sabotages } from '@portico/contracts';
import type { LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts';

const createSubject = (): RateLimiterSubject => {
  const clock = createMemoryClock();
  const made = createInProcessRateLimiter({ clock });
  const limiter: RateLimiter = {
    consume: async (subject, rule) => (await made).consume(subject, rule),
    peek: async (subject, rule) => (await made).peek(subject, rule),
    peekEach: async (asked) => (await made).peekEach(asked),
  };
  return { limiter, advance: async (milliseconds) => clock.advance(milliseconds) };
};

type Sabotage = (subject: RateLimiterSubject) => RateLimiterSubject;

/** Overrides methods of the limiter. */
const over =
  (change: (limiter: RateLimiter) => Partial<RateLimiter>): Sabotage =>
  (subject) => ({ ...subject, limiter: { ...subject.limiter, ...change(subject.limiter) } });

/** Judges by another rule than the given one, but reports the given one. */
const judgingBy = (change: (rule: LimitRule) => LimitRule): Sabotage =>
  over((limiter) => ({
    consume: async (subject, rule) => ({ ...(await limiter.consume(subject, change(rule))), rule }),
    peek: async (subject, rule) => ({ ...(await limiter.peek(subject, change(rule))), rule }),
  }));

const saying = (change: (quota: RateLimitResult) => Partial<RateLimitResult>): Sabotage =>
  over((limiter) => ({
    consume: async (subject, rule) => withChange(await limiter.consume(subject, rule), change),
    peek: async (subject, rule) => withChange(await limiter.peek(subject, rule), change),
  }));
const withChange = (
  quota: RateLimitResult,
  change: (quota: RateLimitResult) => Partial<RateLimitResult>,
): RateLimitResult => ({ ...quota, ...change(quota) });

const countingBy = (change: (subject: string, rule: LimitRule) => string): Sabotage =>
  over((limiter) => ({
    consume: (subject, rule) => limiter.consume(change(subject, rule), rule),
    peek: (subject, rule) => limiter.peek(change(subject, rule), rule),
  }));

/** Counts in fixed windows from the start of the clock, which lets a burst at an edge through. */
const inFixedWindows: Sabotage = (subject) => {
  let now = 0;
  return {
    limiter: {
      consume: (name, rule) =>
        subject.limiter.consume(`${name} ${Math.floor(now / (rule.windowSeconds * 1000))}`, rule),
      peek: (name, rule) => subject.limiter.peek(name, rule),
      peekEach: (asked) => subject.limiter.peekEach(asked),
    },
    advance: async (milliseconds) => {
      now += milliseconds;
      await subject.advance(milliseconds);
    },
  };
};

/** Remembers the first rule of a subject. */
const byTheFirstRule = (keep: (first: LimitRule, rule: LimitRule) => LimitRule): Sabotage =>
  over((limiter) => {
    let first: LimitRule | null = null;
    return {
      consume: async (subject, rule) => {
        first ??= rule;
        return limiter.consume(subject, keep(first, rule));
      },
    };
  });

const byRule = countingBy((subject, rule) => `${subject} ${rule.allowed}/${rule.windowSeconds}`);

const sabotages: Sabotages<typeof rateLimiterContract, RateLimiterSubject> = {
  'a limit admits exactly as many requests as it allows': judgingBy((rule) => ({
    ...rule,
    allowed: rule.allowed === 1000 ? 1001 : rule.allowed,
  })),
  'a new subject has the whole limit and need not wait': saying(({ rule }) => ({
    resetSeconds: rule.windowSeconds,
  })),
  'remaining falls by one with each admitted request': saying(({ remaining }) => ({ remaining: remaining + 1 })),
  'a refused request consumes nothing': over((limiter) => ({
    consume: async (subject, rule) => {
      const quota = await limiter.consume(subject, rule);
      if (!quota.admitted) await limiter.consume(subject, { ...rule, allowed: rule.allowed + 5 });
      return quota;
    },
  })),
  'a result names the rule that judged': byTheFirstRule((first) => first),
  'subjects are counted apart': countingBy((subject) => subject.trim()),
  'of concurrent requests, no more are admitted than the limit allows': over((limiter) => ({
    consume: async (subject, rule) => {
      const { admitted } = await limiter.peek(subject, rule);
      await new Promise(setImmediate);
      return { ...(await limiter.consume(subject, { ...rule, allowed: rule.allowed + 1000 })), admitted };
    },
  })),
  'a peek counts nothing': over((limiter) => ({ peek: (subject, rule) => limiter.consume(subject, rule) })),
  'peeks of many subjects are those of each, in their order': over((limiter) => ({
    peekEach: async (asked) => limiter.peekEach(asked.toReversed()),
  })),
  'peeks of many subjects count nothing': over((limiter) => ({
    peekEach: async (asked) => ({
      results: await Promise.all(asked.map(({ subject, rule }) => limiter.consume(subject, rule))),
      scope: 'process',
    }),
  })),
  'a peek says whether a consume would be admitted, and after how long': over((limiter) => ({
    peek: async (subject, rule) => ({ ...(await limiter.peek(subject, rule)), retryAfterSeconds: 0 }),
  })),

  'a request counts until it is exactly one window old': (subject) => ({
    ...subject,
    advance: (milliseconds) => subject.advance(milliseconds === 1 ? 0 : milliseconds),
  }),
  "a burst counts in every window that contains it, even at a window's edge": inFixedWindows,
  'the reset is the time until the oldest counted request leaves the window': saying(({ resetSeconds, rule }) => ({
    resetSeconds: resetSeconds && rule.windowSeconds,
  })),
  'a request is admitted after exactly the announced wait, not a second earlier': saying(({ retryAfterSeconds }) => ({
    retryAfterSeconds: retryAfterSeconds && retryAfterSeconds - 1,
  })),
  'the last admitted request already says how long to wait for the next': saying(({ admitted }) =>
    admitted ? { retryAfterSeconds: 0 } : {},
  ),
  'a refused request waits at least one second': saying(({ retryAfterSeconds }) => ({
    retryAfterSeconds: Math.max(0, retryAfterSeconds - 1),
  })),

  'a lowered limit judges what the higher one admitted': byRule,
  'a raised limit counts what the lower one admitted': byRule,
  'a longer window still counts what left the shorter one': byTheFirstRule((first, rule) => ({
    ...rule,
    windowSeconds: first.windowSeconds,
  })),
  'a shorter window no longer counts what the longer one held': byTheFirstRule((first, rule) => ({
    ...rule,
    windowSeconds: first.windowSeconds,
  })),
  'the history survives a limit that rises above 1,000 and falls again': countingBy((subject, rule) =>
    rule.allowed > 1000 ? `${subject} above` : subject,
  ),

  'above 1,000, no window holds more than the limit': inFixedWindows,
  'above 1,000, at least 98 % of the limit is admitted': judgingBy((rule) => ({
    ...rule,
    allowed: Math.floor(rule.allowed * 0.97),
  })),
  'above 1,000, a request is admitted after the announced wait': saying(({ retryAfterSeconds }) => ({
    retryAfterSeconds: retryAfterSeconds && retryAfterSeconds - 1,
  })),
};

for (const [name, run] of proofsOf(rateLimiterContract, sabotages, createSubject)) test(name, run);
