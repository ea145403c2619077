import { proofsOf, rateLimiterContract, type RateLimiterSubject, type Sabotages } from '@portico/contracts';
import type { LimitRule, RateLimitResult, RateLimiter } from '@portico/domain';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts';

const createSubject = (): RateLimiterSubject => {
  const clock = createMemoryClock();
  const pending = createInProcessRateLimiter({ clock });
  const limiter: RateLimiter = {
    consume: async (subject, rule) => (await pending).consume(subject, rule),
    peek: async (subject, rule) => (await pending).peek(subject, rule),
    peekMany: async (queries) => (await pending).peekMany(queries),
  };
  return { limiter, advance: async (milliseconds) => clock.advance(milliseconds) };
};

type Sabotage = (subject: RateLimiterSubject) => RateLimiterSubject;

/** Overrides methods of the limiter. */
const overrideMethods =
  (change: (limiter: RateLimiter) => Partial<RateLimiter>): Sabotage =>
  (subject) => ({ ...subject, limiter: { ...subject.limiter, ...change(subject.limiter) } });

/** Applies a rule other than the requested one, but reports the requested one. */
const mapRule = (change: (rule: LimitRule) => LimitRule): Sabotage =>
  overrideMethods((limiter) => ({
    consume: async (subject, rule) => ({ ...(await limiter.consume(subject, change(rule))), rule }),
    peek: async (subject, rule) => ({ ...(await limiter.peek(subject, change(rule))), rule }),
  }));

const mapResult = (change: (quota: RateLimitResult) => Partial<RateLimitResult>): Sabotage =>
  overrideMethods((limiter) => ({
    consume: async (subject, rule) => withChange(await limiter.consume(subject, rule), change),
    peek: async (subject, rule) => withChange(await limiter.peek(subject, rule), change),
  }));
const withChange = (
  quota: RateLimitResult,
  change: (quota: RateLimitResult) => Partial<RateLimitResult>,
): RateLimitResult => ({ ...quota, ...change(quota) });

const mapSubject = (change: (subject: string, rule: LimitRule) => string): Sabotage =>
  overrideMethods((limiter) => ({
    consume: (subject, rule) => limiter.consume(change(subject, rule), rule),
    peek: (subject, rule) => limiter.peek(change(subject, rule), rule),
  }));

/** Counts in fixed windows that begin when the clock starts, which admits a burst at a window's edge. */
const inFixedWindows: Sabotage = (subject) => {
  let now = 0;
  return {
    limiter: {
      consume: (name, rule) =>
        subject.limiter.consume(`${name} ${Math.floor(now / (rule.windowSeconds * 1000))}`, rule),
      peek: (name, rule) => subject.limiter.peek(name, rule),
      peekMany: (queries) => subject.limiter.peekMany(queries),
    },
    advance: async (milliseconds) => {
      now += milliseconds;
      await subject.advance(milliseconds);
    },
  };
};

/** Combines each rule with the subject's first rule. */
const withFirstRule = (combine: (firstRule: LimitRule, rule: LimitRule) => LimitRule): Sabotage =>
  overrideMethods((limiter) => {
    let firstRule: LimitRule | null = null;
    return {
      consume: async (subject, rule) => {
        firstRule ??= rule;
        return limiter.consume(subject, combine(firstRule, rule));
      },
    };
  });

const perRule = mapSubject((subject, rule) => `${subject} ${rule.allowed}/${rule.windowSeconds}`);

const sabotages: Sabotages<typeof rateLimiterContract, RateLimiterSubject> = {
  'a limit admits exactly as many requests as it allows': mapRule((rule) => ({
    ...rule,
    allowed: rule.allowed === 1000 ? 1001 : rule.allowed,
  })),
  'a new subject has its full limit and does not have to wait': mapResult(({ rule }) => ({
    resetSeconds: rule.windowSeconds,
  })),
  'remaining decreases by one with each admitted request': mapResult(({ remaining }) => ({ remaining: remaining + 1 })),
  'a rejected request consumes nothing': overrideMethods((limiter) => ({
    consume: async (subject, rule) => {
      const quota = await limiter.consume(subject, rule);
      if (!quota.isAdmitted) await limiter.consume(subject, { ...rule, allowed: rule.allowed + 5 });
      return quota;
    },
  })),
  'a result names the rule that was applied': withFirstRule((firstRule) => firstRule),
  'subjects are counted separately': mapSubject((subject) => subject.trim()),
  'concurrent requests are not admitted beyond the limit': overrideMethods((limiter) => ({
    consume: async (subject, rule) => {
      const { isAdmitted } = await limiter.peek(subject, rule);
      await new Promise(setImmediate);
      return { ...(await limiter.consume(subject, { ...rule, allowed: rule.allowed + 1000 })), isAdmitted };
    },
  })),
  'peeking does not count as a request': overrideMethods((limiter) => ({
    peek: (subject, rule) => limiter.consume(subject, rule),
  })),
  'peeking at many subjects returns the same results as peeking at each of them, in the given order': overrideMethods(
    (limiter) => ({
      peekMany: async (queries) => limiter.peekMany(queries.toReversed()),
    }),
  ),
  'peeking at many subjects does not count as a request': overrideMethods((limiter) => ({
    peekMany: async (queries) => ({
      results: await Promise.all(queries.map(({ subject, rule }) => limiter.consume(subject, rule))),
      scope: 'process',
    }),
  })),
  'peeking shows whether a request would be admitted, and how long it would have to wait': overrideMethods(
    (limiter) => ({
      peek: async (subject, rule) => ({ ...(await limiter.peek(subject, rule)), retryAfterSeconds: 0 }),
    }),
  ),

  'a request counts until it is exactly one window old': (subject) => ({
    ...subject,
    advance: (milliseconds) => subject.advance(milliseconds === 1 ? 0 : milliseconds),
  }),
  'a burst counts in every window that contains it, even at the edge of a window': inFixedWindows,
  'the reset time is the time until the oldest counted request leaves the window': mapResult(
    ({ resetSeconds, rule }) => ({
      resetSeconds: resetSeconds && rule.windowSeconds,
    }),
  ),
  'a request is admitted after exactly the announced wait, and not a second earlier': mapResult(
    ({ retryAfterSeconds }) => ({
      retryAfterSeconds: retryAfterSeconds && retryAfterSeconds - 1,
    }),
  ),
  'the result of the last admitted request already shows the wait for the next one': mapResult(({ isAdmitted }) =>
    isAdmitted ? { retryAfterSeconds: 0 } : {},
  ),
  'a rejected request waits at least one second': mapResult(({ retryAfterSeconds }) => ({
    retryAfterSeconds: Math.max(0, retryAfterSeconds - 1),
  })),

  'a lowered limit counts the requests that the higher one admitted': perRule,
  'a raised limit counts the requests that the lower one admitted': perRule,
  'a longer window still counts requests that have left the shorter one': withFirstRule((firstRule, rule) => ({
    ...rule,
    windowSeconds: firstRule.windowSeconds,
  })),
  'a shorter window no longer counts the older requests of the longer one': withFirstRule((firstRule, rule) => ({
    ...rule,
    windowSeconds: firstRule.windowSeconds,
  })),
  'the history is kept when the limit rises above 1,000 and falls again': mapSubject((subject, rule) =>
    rule.allowed > 1000 ? `${subject} above` : subject,
  ),

  'above 1,000, no window has more requests than the limit': inFixedWindows,
  'above 1,000, at least 98 % of the limit is admitted': mapRule((rule) => ({
    ...rule,
    allowed: Math.floor(rule.allowed * 0.97),
  })),
  'above 1,000, a request is admitted after the announced wait': mapResult(({ retryAfterSeconds }) => ({
    retryAfterSeconds: retryAfterSeconds && retryAfterSeconds - 1,
  })),
};

for (const [name, run] of proofsOf(rateLimiterContract, sabotages, createSubject)) test(name, run);
