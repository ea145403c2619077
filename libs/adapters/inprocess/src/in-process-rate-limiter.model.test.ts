import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ManualClock,
  allRules,
  exactRules,
  assertNothingCounted,
  longestRule,
  assertExactWalk,
  assertWalkWithinLimit,
} from '@portico/contracts';
import type { LimiterStep, WalkedLimiter } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts';

/** A jump of the wall clock, or a restart of the process, whose monotonic clock then starts at this time. */
type Event = { readonly jumpMilliseconds: number } | { readonly restartAt: number };
type Steps = fc.Arbitrary<readonly LimiterStep<Event>[]>;

const stepsOf = (rules: readonly LimitRule[], timesMax: number): Steps => {
  const times = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: timesMax }));
  const milliseconds = fc.oneof(
    fc.constantFrom(0, 1, 999, 1000, 1001, 2000, 7000, 30_000),
    fc.integer({ min: 0, max: 2500 }),
  );
  const microseconds = milliseconds.map((ms) => ms * 1000);
  const clockJump = fc.record({ jumpMilliseconds: fc.integer({ min: -1e7, max: 1e7 }) });
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('consume' as const), times }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('peek' as const), times: fc.constant(1) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), microseconds }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('rule' as const), rule: fc.constantFrom(...rules) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('event' as const), event: clockJump }) },
    ),
    { minLength: 1, maxLength: 60 },
  );
};

/**
 * Adds restarts between some of the steps. Never makes the wall clock jump while the service is down, because such a
 * jump cannot be detected.
 */
const withRestarts = (steps: Steps): Steps =>
  fc
    .array(fc.tuple(steps, fc.integer({ min: -1_000_000, max: 1_000_000_000 })), { minLength: 1, maxLength: 3 })
    .map((lifetimes) =>
      lifetimes.flatMap(([lifetime, restartAt]) => [...lifetime, { do: 'event' as const, event: { restartAt } }]),
    );

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-limiter-'));
});
afterAll(() => rm(folder, { recursive: true }));

const createSubject = async (): Promise<WalkedLimiter<Event>> => {
  const stateFile = join(folder, 'rate-limits');
  await rm(stateFile, { force: true });
  let clock = new ManualClock();
  let limiter = await createInProcessRateLimiter({ clock, stateFile });
  let elapsed = 0;
  return {
    get limiter() {
      return limiter;
    },
    now: () => elapsed,
    pass: (microseconds) => {
      clock.advance(microseconds / 1000);
      elapsed += microseconds;
    },
    perform: async (event, send) => {
      if ('jumpMilliseconds' in event) return clock.jump(event.jumpMilliseconds);
      await limiter.close();
      clock = clock.copyForNewProcess(event.restartAt);
      limiter = await createInProcessRateLimiter({ clock, stateFile });
      // If a restart after a quiet window removes the subject, its longest window is no longer known.
      await send(longestRule, 'consume');
    },
  };
};

const exactProperty = (steps: Steps) =>
  fc.asyncProperty(fc.constantFrom(...exactRules), steps, async (firstRule, limiterSteps) =>
    assertExactWalk(await createSubject(), firstRule, limiterSteps),
  );

const limitProperty = (steps: Steps) =>
  fc.asyncProperty(fc.constantFrom(...allRules), steps, async (firstRule, limiterSteps) => {
    const subject = await createSubject();
    await assertWalkWithinLimit(subject, firstRule, limiterSteps);
    await assertNothingCounted(subject);
  });

test('up to 1,000, every result matches the definition, even if the rules change', async () => {
  await fc.assert(exactProperty(stepsOf(exactRules, 1100)), { numRuns: 60 });
});

test('up to 1,000, every result matches the definition across restarts', async () => {
  await fc.assert(exactProperty(withRestarts(stepsOf(exactRules, 200))), { numRuns: 40 });
});

test('no window ever contains more than the current rule allows, and a quiet one frees the whole limit', async () => {
  await fc.assert(limitProperty(stepsOf(allRules, 2600)), { numRuns: 60 });
});

test('no window ever contains more than the current rule allows across restarts', async () => {
  await fc.assert(limitProperty(withRestarts(stepsOf(allRules, 1500))), { numRuns: 40 });
});
