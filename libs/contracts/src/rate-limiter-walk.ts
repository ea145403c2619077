import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { LimitRule, RateLimiter } from '@portico/domain';
import { AdmissionLog } from './admission-log.ts';

/** One step of a random walk; `Own` is what only one implementation can meet, such as a restart. */
export type LimiterStep<Own> =
  | { readonly do: 'consume' | 'peek'; readonly times: number }
  | { readonly do: 'rule'; readonly rule: LimitRule }
  | { readonly do: 'pass'; readonly microseconds: number }
  | { readonly do: 'own'; readonly own: Own };

type Ask = (rule: LimitRule, way: 'consume' | 'peek') => Promise<void>;

/** The limiter that a walk drives, for one subject. */
export interface WalkedLimiter<Own> {
  readonly limiter: Pick<RateLimiter, 'consume' | 'peek'>;
  /** Microseconds that have passed for the limiter. */
  now(): number;
  pass(microseconds: number): void;
  /** `ask` sends a request as the walk itself does, under `rule` or another one. */
  meet(own: Own, ask: Ask, rule: LimitRule): Promise<void>;
}

const rulesOf = (...numbers: readonly number[]): LimitRule[] =>
  numbers.flatMap((allowed) => [1, 2, 7, 30].map((windowSeconds) => ({ allowed, windowSeconds })));

/** Within these a limiter is exact; walks start with a consume under the longest window, so that nothing is forgotten. */
export const exactRules = rulesOf(1, 2, 3, 10, 40, 999, 1000);
export const allRules = [...exactRules, ...rulesOf(1001, 1200, 2500, 10_000)];
export const longestRule: LimitRule = { allowed: 1000, windowSeconds: 30 };

const subject = 'ada';

const walk = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
  ask: Ask,
): Promise<void> => {
  await ask(longestRule, 'consume');
  let rule = first;
  for (const step of steps) {
    switch (step.do) {
      case 'rule':
        rule = step.rule;
        break;
      case 'pass':
        walked.pass(step.microseconds);
        break;
      case 'own':
        await walked.meet(step.own, ask, rule);
        break;
      default:
        for (let i = 0; i < step.times; i++) await ask(rule, step.do);
    }
  }
};

/** Asserts that every result equals the definition's; for rules up to 1,000. */
export const walkExactly = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(walked, first, steps, async (rule, way) => {
    const expected = log[way](walked.now(), rule);
    const quota = await walked.limiter[way](subject, rule);
    // Several rules together may admit more than 1,000 to a window; the reset is then that of the oldest one still
    // known.
    const beyondTheExact = log.counted(walked.now(), rule).length > 1000;
    if (beyondTheExact) ok(quota.resetSeconds >= expected.resetSeconds);
    deepStrictEqual(beyondTheExact ? { ...quota, resetSeconds: expected.resetSeconds } : quota, expected);
  });
};

/** Asserts that no window ever holds more than the current rule allows; for any rules. */
export const walkNeverOver = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(walked, first, steps, async (rule, way) => {
    const { admitted, remaining } = await walked.limiter[way](subject, rule);
    if (way === 'consume' && admitted) log.write(walked.now());
    const counted = log.counted(walked.now(), rule).length;
    if (way === 'peek') ok(remaining <= Math.max(0, rule.allowed - counted), `${remaining} remain after ${counted}`);
    else ok(!admitted || counted <= rule.allowed, `${counted} in a window of ${rule.allowed}`);
  });
};

/** Asserts that nothing counts any more once the longest window has passed. */
export const expectAllFree = async <Own>(walked: WalkedLimiter<Own>): Promise<void> => {
  walked.pass(longestRule.windowSeconds * 1_000_000);
  for (const rule of allRules) strictEqual((await walked.limiter.peek(subject, rule)).remaining, rule.allowed);
};
