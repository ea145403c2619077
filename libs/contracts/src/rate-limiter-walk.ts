import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { LimitRule, RateLimiter } from '@portico/domain';
import { AdmissionLog } from './admission-log.ts';

/** One step of a random walk. `Own` is an event that only one implementation has, such as a restart. */
export type LimiterStep<Own> =
  | { readonly do: 'consume' | 'peek'; readonly times: number }
  | { readonly do: 'rule'; readonly rule: LimitRule }
  | { readonly do: 'pass'; readonly microseconds: number }
  | { readonly do: 'own'; readonly own: Own };

type SendRequest = (rule: LimitRule, way: 'consume' | 'peek') => Promise<void>;

/** The limiter that a walk drives, for one subject. */
export interface WalkedLimiter<Own> {
  readonly limiter: Pick<RateLimiter, 'consume' | 'peek'>;
  /** Returns the time that has passed for the limiter, in microseconds. */
  now(): number;
  pass(microseconds: number): void;
  /** Performs the event. `ask` sends a request as the walk itself does, under `rule` or a different rule. */
  perform(own: Own, ask: SendRequest, rule: LimitRule): Promise<void>;
}

const rulesOf = (...numbers: readonly number[]): LimitRule[] =>
  numbers.flatMap((allowed) => [1, 2, 7, 30].map((windowSeconds) => ({ allowed, windowSeconds })));

/**
 * The rules for which a limiter is exact. Walks start with a `consume` in the longest window, so that nothing is lost.
 */
export const exactRules = rulesOf(1, 2, 3, 10, 40, 999, 1000);
export const allRules = [...exactRules, ...rulesOf(1001, 1200, 2500, 10_000)];
export const longestRule: LimitRule = { allowed: 1000, windowSeconds: 30 };

const subject = 'ada';

const walk = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
  send: SendRequest,
): Promise<void> => {
  await send(longestRule, 'consume');
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
        await walked.perform(step.own, send, rule);
        break;
      default:
        for (let i = 0; i < step.times; i++) await send(rule, step.do);
    }
  }
};

/** Asserts that every result equals that of the definition, for rules that allow up to 1,000 requests. */
export const assertExactWalk = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(walked, first, steps, async (rule, way) => {
    const expected = log[way](walked.now(), rule);
    const quota = await walked.limiter[way](subject, rule);
    // Several rules together may admit more than 1,000 requests in a window. In that case, the reset is that of the
    // oldest request that is still known.
    const exceedsExactRange = log.admissionsInWindow(walked.now(), rule).length > 1000;
    if (exceedsExactRange) ok(quota.resetSeconds >= expected.resetSeconds);
    deepStrictEqual(exceedsExactRange ? { ...quota, resetSeconds: expected.resetSeconds } : quota, expected);
  });
};

/** Asserts, for any rules, that no window ever contains more requests than the current rule allows. */
export const assertWalkWithinLimit = async <Own>(
  walked: WalkedLimiter<Own>,
  first: LimitRule,
  steps: readonly LimiterStep<Own>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(walked, first, steps, async (rule, way) => {
    const { admitted, remaining } = await walked.limiter[way](subject, rule);
    if (way === 'consume' && admitted) log.record(walked.now());
    const count = log.admissionsInWindow(walked.now(), rule).length;
    if (way === 'peek') ok(remaining <= Math.max(0, rule.allowed - count), `${remaining} remain after ${count}`);
    else ok(!admitted || count <= rule.allowed, `${count} in a window of ${rule.allowed}`);
  });
};

/** Asserts that no request counts once the longest window has passed. */
export const assertNothingCounted = async <Own>(walked: WalkedLimiter<Own>): Promise<void> => {
  walked.pass(longestRule.windowSeconds * 1_000_000);
  for (const rule of allRules) strictEqual((await walked.limiter.peek(subject, rule)).remaining, rule.allowed);
};
