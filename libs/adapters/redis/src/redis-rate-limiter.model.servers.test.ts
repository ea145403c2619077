import {
  allRules,
  exactRules,
  assertNothingCounted,
  longestRule,
  assertExactWalk,
  assertWalkWithinLimit,
} from '@portico/contracts';
import type { LimiterStep, WalkedLimiter } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createSubjects } from '../test/limiter-subject.ts';

interface ClockRollback {
  readonly setBackMilliseconds: number;
}
type Steps = fc.Arbitrary<readonly LimiterStep<ClockRollback>[]>;

const stepsOf = (rules: readonly LimitRule[], timesMax: number): Steps => {
  const times = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: timesMax }));
  const milliseconds = fc.oneof(
    fc.constantFrom(0, 1, 999, 1000, 1001, 2000, 7000, 30_000),
    fc.integer({ min: 0, max: 2500 }),
  );
  const microseconds = milliseconds.map((ms) => ms * 1000);
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('consume' as const), times }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('peek' as const), times: fc.constant(1) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), microseconds }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('rule' as const), rule: fc.constantFrom(...rules) }) },
    ),
    { minLength: 1, maxLength: 60 },
  );
};

/**
 * Adds setbacks of the clock, each right after an admission: otherwise, unobserved time between the two would be lost.
 */
const withRollbacks = (steps: Steps): Steps =>
  fc
    .array(fc.tuple(steps, fc.integer({ min: 1, max: 10_000_000 })), { minLength: 1, maxLength: 3 })
    .map((phases) =>
      phases.flatMap(([phase, setBackMilliseconds]) => [
        ...phase,
        { do: 'event' as const, event: { setBackMilliseconds } },
      ]),
    );

const redis = await startRedis();
const subjects = redis && (await createSubjects(redis.url));
afterAll(async () => {
  await subjects?.close();
  await redis?.close();
});

const createSubject = () => {
  const { limiter, keysOf } = subjects!.next();
  let elapsed = 0;
  const pass = (microseconds: number) => {
    subjects!.setNow(subjects!.now() + microseconds / 1000);
    elapsed += microseconds;
  };
  const subject: WalkedLimiter<ClockRollback> = {
    limiter,
    now: () => elapsed,
    pass,
    perform: async ({ setBackMilliseconds }, send, rule) => {
      // Consume first, by a rule with capacity, and peek afterwards. Otherwise, the lost time would be unknown.
      pass(longestRule.windowSeconds * 1_000_000);
      await send(longestRule, 'consume');
      subjects!.setNow(subjects!.now() - setBackMilliseconds);
      await send(rule, 'peek');
    },
  };
  return { subject, countBytes: () => subjects!.bytesOf(keysOf('ada')) };
};

const exactProperty = (steps: Steps) =>
  fc.asyncProperty(fc.constantFrom(...exactRules), steps, (firstRule, limiterSteps) =>
    assertExactWalk(createSubject().subject, firstRule, limiterSteps),
  );

const limitProperty = (steps: Steps) =>
  fc.asyncProperty(fc.constantFrom(...allRules), steps, async (firstRule, limiterSteps) => {
    const { subject, countBytes } = createSubject();
    await assertWalkWithinLimit(subject, firstRule, limiterSteps);
    expect(await countBytes()).toBeLessThanOrEqual(8000);
    await assertNothingCounted(subject);
  });

describe.skipIf(!subjects)('the limiter in Redis compared with the definition', () => {
  test('up to 1,000 every result matches the definition under any changes of the rules', async () => {
    await fc.assert(exactProperty(stepsOf(exactRules, 1100)), { numRuns: 30 });
  });

  test('up to 1,000 every result matches the definition even if the server clock is set back', async () => {
    await fc.assert(exactProperty(withRollbacks(stepsOf(exactRules, 200))), { numRuns: 30 });
  });

  test('no window ever exceeds the current rule, and an idle window restores the full limit', async () => {
    await fc.assert(limitProperty(stepsOf(allRules, 2600)), { numRuns: 20 });
  });

  test('no window ever exceeds the current rule even if the clock is set back', async () => {
    await fc.assert(limitProperty(withRollbacks(stepsOf(allRules, 600))), { numRuns: 20 });
  });
});
