import { AdmissionLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { startRedis } from '@portico/test-servers';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createSubjects } from '../test/limiter-subject.ts';

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

/** Each model begins with a take by the longest window, so that nothing it counts is ever forgotten for being idle. */
const longest = ruleOf(1000, 30);

const exactRules = [1, 2, 3, 10, 40, 999, 1000].flatMap((allowed) => [1, 2, 7, 30].map((w) => ruleOf(allowed, w)));
const largeRules = [1001, 1200, 2500, 10_000].flatMap((allowed) => [1, 2, 7, 30].map((w) => ruleOf(allowed, w)));

type Step =
  | { readonly do: 'take' | 'peek'; readonly times: number }
  | { readonly do: 'rule'; readonly rule: LimitRule }
  | { readonly do: 'pass'; readonly microseconds: number }
  | { readonly do: 'set back'; readonly microseconds: number };

const stepsOf = (rules: readonly LimitRule[], timesMax: number): fc.Arbitrary<readonly Step[]> => {
  const times = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: timesMax }));
  const microseconds = fc.oneof(
    fc.constantFrom(0, 1, 999_999, 1_000_000, 1_000_001, 2_000_000, 7_000_000, 30_000_000),
    fc.integer({ min: 0, max: 2_500_000 }),
  );
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('take' as const), times }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('peek' as const), times: fc.constant(1) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), microseconds }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('rule' as const), rule: fc.constantFrom(...rules) }) },
    ),
    { minLength: 1, maxLength: 60 },
  );
};

/** Sets the clock back now and then, right after an admission: time that passes unseen between the two is lost. */
const withSetbacks = (steps: fc.Arbitrary<readonly Step[]>): fc.Arbitrary<readonly Step[]> =>
  fc
    .array(fc.tuple(steps, fc.integer({ min: 1, max: 10_000_000_000 })), { minLength: 1, maxLength: 3 })
    .map((lives) => lives.flatMap(([life, microseconds]) => [...life, { do: 'set back' as const, microseconds }]));

const redis = await startRedis();
const subjects = redis && (await createSubjects(redis.url));
afterAll(async () => {
  await subjects?.close();
  await redis?.close();
});

const createModel = () => {
  const subject = subjects!.next();
  let passed = 0;
  return {
    ...subject,
    /** Microseconds that have passed for whoever is counted. */
    now: () => passed,
    pass: (microseconds: number) => {
      subjects!.setNow(subjects!.now() + microseconds);
      passed += microseconds;
    },
    setBack: (microseconds: number) => subjects!.setNow(subjects!.now() - microseconds),
  };
};
type Model = ReturnType<typeof createModel>;

/** Goes through the steps; `ask` is called for each request. */
const walk = async (
  model: Model,
  first: LimitRule,
  steps: readonly Step[],
  ask: (rule: LimitRule, peek: boolean) => Promise<void>,
): Promise<void> => {
  await ask(longest, false);
  let rule = first;
  for (const step of steps) {
    switch (step.do) {
      case 'rule':
        rule = step.rule;
        break;
      case 'pass':
        model.pass(step.microseconds);
        break;
      case 'set back':
        // An admission before, by a rule that is free again, and any question after: else nobody knows what time it was.
        model.pass(longest.windowSeconds * 1_000_000);
        await ask(longest, false);
        model.setBack(step.microseconds);
        await ask(rule, true);
        break;
      default:
        for (let i = 0; i < step.times; i++) await ask(rule, step.do === 'peek');
    }
  }
};

const exactly = (steps: fc.Arbitrary<readonly Step[]>) =>
  fc.asyncProperty(fc.constantFrom(...exactRules), steps, async (first, walked) => {
    const model = createModel();
    const log = new AdmissionLog();
    await walk(model, first, walked, async (rule, peek) => {
      const expected = peek ? log.peek(model.now(), rule) : log.take(model.now(), rule);
      const quota = await (peek ? model.limiter.peek('ada', rule) : model.limiter.take('ada', rule));
      // Several rules together may let more than 1,000 into a window: then the oldest of those that are known is named.
      const beyondTheExact = log.counted(model.now(), rule).length > 1000;
      if (beyondTheExact) expect(quota.resetSeconds).toBeGreaterThanOrEqual(expected.resetSeconds);
      expect(beyondTheExact ? { ...quota, resetSeconds: expected.resetSeconds } : quota).toEqual(expected);
    });
  });

const neverOver = (steps: fc.Arbitrary<readonly Step[]>) =>
  fc.asyncProperty(fc.constantFrom(...exactRules, ...largeRules), steps, async (first, walked) => {
    const model = createModel();
    const log = new AdmissionLog();
    await walk(model, first, walked, async (rule, peek) => {
      if (peek) {
        const { remaining } = await model.limiter.peek('ada', rule);
        expect(remaining).toBeLessThanOrEqual(Math.max(0, rule.allowed - log.counted(model.now(), rule).length));
        return;
      }
      const { admitted } = await model.limiter.take('ada', rule);
      if (admitted) log.write(model.now());
      const counted = log.counted(model.now(), rule).length;
      if (admitted && counted > rule.allowed) expect.fail(`${counted} in a window of ${rule.allowed}`);
    });
    const bytes = Number(await subjects!.client.memory('USAGE', model.keyOf('ada')));
    expect(bytes).toBeLessThanOrEqual(8000);
    model.pass(longest.windowSeconds * 1_000_000);
    for (const rule of [...exactRules, ...largeRules]) {
      expect((await model.limiter.peek('ada', rule)).remaining).toBe(rule.allowed);
    }
  });

describe.skipIf(!subjects)('the limiter in Redis beside the definition', { timeout: 120_000 }, () => {
  test('up to 1,000 every answer is that of the definition, however the rules change', async () => {
    await fc.assert(exactly(stepsOf(exactRules, 1100)), { numRuns: 30 });
  });

  test('up to 1,000 every answer is that of the definition although the clock of the server is set back', async () => {
    await fc.assert(exactly(withSetbacks(stepsOf(exactRules, 200))), { numRuns: 30 });
  });

  test('no window ever holds more than the rule of the moment allows, and a quiet one frees it all', async () => {
    await fc.assert(neverOver(stepsOf([...exactRules, ...largeRules], 2600)), { numRuns: 20 });
  });

  test('no window ever holds more than the rule of the moment allows although the clock is set back', async () => {
    await fc.assert(neverOver(withSetbacks(stepsOf([...exactRules, ...largeRules], 600))), { numRuns: 20 });
  });
});
