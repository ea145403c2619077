import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { LimitRule, RateLimiter } from '@portico/domain';
import { AdmissionLog } from './admission-log.ts';

/** One step of a random walk. `AdapterEvent` is an event that only one implementation has, such as a restart. */
export type LimiterStep<AdapterEvent> =
  | { readonly do: 'consume' | 'peek'; readonly times: number }
  | { readonly do: 'rule'; readonly rule: LimitRule }
  | { readonly do: 'pass'; readonly microseconds: number }
  | { readonly do: 'event'; readonly event: AdapterEvent };

type SendRequest = (rule: LimitRule, method: 'consume' | 'peek') => Promise<void>;

/** The limiter that a walk drives, for one subject. */
export interface WalkedLimiter<AdapterEvent> {
  readonly limiter: Pick<RateLimiter, 'consume' | 'peek'>;
  /** Returns the time that has passed for the limiter, in microseconds. */
  now(): number;
  pass(microseconds: number): void;
  /** Performs the event. `send` sends a request as the walk itself does, under `rule` or a different rule. */
  perform(event: AdapterEvent, send: SendRequest, rule: LimitRule): Promise<void>;
}

const rulesOf = (...limits: readonly number[]): LimitRule[] =>
  limits.flatMap((allowed) => [1, 2, 7, 30].map((windowSeconds) => ({ allowed, windowSeconds })));

/**
 * The rules for which a limiter is exact. Walks start with a `consume` in the longest window, so that nothing is lost.
 */
export const exactRules = rulesOf(1, 2, 3, 10, 40, 999, 1000);
export const allRules = [...exactRules, ...rulesOf(1001, 1200, 2500, 10_000)];
export const longestRule: LimitRule = { allowed: 1000, windowSeconds: 30 };

const subject = 'ada';

const walk = async <AdapterEvent>(
  target: WalkedLimiter<AdapterEvent>,
  initialRule: LimitRule,
  steps: readonly LimiterStep<AdapterEvent>[],
  send: SendRequest,
): Promise<void> => {
  await send(longestRule, 'consume');
  let rule = initialRule;
  for (const step of steps) {
    switch (step.do) {
      case 'rule':
        rule = step.rule;
        break;
      case 'pass':
        target.pass(step.microseconds);
        break;
      case 'event':
        await target.perform(step.event, send, rule);
        break;
      default:
        for (let i = 0; i < step.times; i++) await send(rule, step.do);
    }
  }
};

/** Asserts that every result equals that of the definition, for rules that allow up to 1,000 requests. */
export const assertExactWalk = async <AdapterEvent>(
  target: WalkedLimiter<AdapterEvent>,
  initialRule: LimitRule,
  steps: readonly LimiterStep<AdapterEvent>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(target, initialRule, steps, async (rule, method) => {
    const expected = log[method](target.now(), rule);
    const quota = await target.limiter[method](subject, rule);
    // Several rules together may admit more than 1,000 requests in a window. In that case, the reset is that of the
    // oldest request that is still known.
    const exceedsExactRange = log.listAdmissionsInWindow(target.now(), rule).length > 1000;
    if (exceedsExactRange) ok(quota.resetSeconds >= expected.resetSeconds);
    deepStrictEqual(exceedsExactRange ? { ...quota, resetSeconds: expected.resetSeconds } : quota, expected);
  });
};

/** Asserts, for any rules, that no window ever contains more requests than the current rule allows. */
export const assertWalkWithinLimit = async <AdapterEvent>(
  target: WalkedLimiter<AdapterEvent>,
  initialRule: LimitRule,
  steps: readonly LimiterStep<AdapterEvent>[],
): Promise<void> => {
  const log = new AdmissionLog();
  await walk(target, initialRule, steps, async (rule, method) => {
    const { isAdmitted, remaining } = await target.limiter[method](subject, rule);
    if (method === 'consume' && isAdmitted) log.record(target.now());
    const count = log.listAdmissionsInWindow(target.now(), rule).length;
    if (method === 'peek') ok(remaining <= Math.max(0, rule.allowed - count), `${remaining} remain after ${count}`);
    else ok(!isAdmitted || count <= rule.allowed, `${count} in a window of ${rule.allowed}`);
  });
};

/** Asserts that no request counts once the longest window has passed. */
export const assertNothingCounted = async <AdapterEvent>(target: WalkedLimiter<AdapterEvent>): Promise<void> => {
  target.pass(longestRule.windowSeconds * 1_000_000);
  for (const rule of allRules) strictEqual((await target.limiter.peek(subject, rule)).remaining, rule.allowed);
};
