import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdmissionLog } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClockByHand } from '../test/clock-by-hand.ts';
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts';

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

/** Each model begins with a take by the longest window, so that nothing it counts is ever forgotten for being idle. */
const longest = ruleOf(1000, 30);

const exactRules = [1, 2, 3, 10, 40, 999, 1000].flatMap((allowed) => [1, 2, 7, 30].map((w) => ruleOf(allowed, w)));
const largeRules = [1001, 1200, 2500, 10_000].flatMap((allowed) => [1, 2, 7, 30].map((w) => ruleOf(allowed, w)));

type Step =
  | { readonly do: 'take' | 'peek'; readonly times: number }
  | { readonly do: 'rule'; readonly rule: LimitRule }
  | { readonly do: 'pass'; readonly milliseconds: number }
  | { readonly do: 'jump'; readonly milliseconds: number }
  | { readonly do: 'restart'; readonly monotonic: number };

const stepsOf = (rules: readonly LimitRule[], timesMax: number): fc.Arbitrary<readonly Step[]> => {
  const times = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: timesMax }));
  const milliseconds = fc.oneof(
    fc.constantFrom(0, 1, 999, 1000, 1001, 2000, 7000, 30_000),
    fc.integer({ min: 0, max: 2500 }),
  );
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('take' as const), times }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('peek' as const), times: fc.constant(1) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), milliseconds }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('rule' as const), rule: fc.constantFrom(...rules) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('jump' as const), milliseconds: fc.integer({ min: -1e7, max: 1e7 }) }),
      },
    ),
    { minLength: 1, maxLength: 60 },
  );
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-limiter-'));
});
afterAll(() => rm(folder, { recursive: true }));

const createModel = async () => {
  const stateFile = join(folder, 'rate-limits');
  await rm(stateFile, { force: true });
  let clock = new ClockByHand();
  let limiter = await createInProcessRateLimiter({ clock, stateFile });
  let passed = 0;
  return {
    /** Microseconds that have passed for whoever is counted. */
    now: () => passed,
    limiter: () => limiter,
    pass: (milliseconds: number) => {
      clock.pass(milliseconds);
      passed += milliseconds * 1000;
    },
    jump: (milliseconds: number) => clock.jump(milliseconds),
    restart: async (monotonic: number) => {
      await limiter.close();
      clock = clock.inNewProcess(monotonic);
      limiter = await createInProcessRateLimiter({ clock, stateFile });
    },
  };
};
type Model = Awaited<ReturnType<typeof createModel>>;

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
        model.pass(step.milliseconds);
        break;
      case 'jump':
        model.jump(step.milliseconds);
        break;
      case 'restart':
        await model.restart(step.monotonic);
        break;
      default:
        for (let i = 0; i < step.times; i++) await ask(rule, step.do === 'peek');
    }
  }
};

/** Restarts between some of the steps. A jump of the wall clock while the service is down cannot be known, so there is none. */
const withRestarts = (steps: fc.Arbitrary<readonly Step[]>): fc.Arbitrary<readonly Step[]> =>
  fc
    .array(fc.tuple(steps, fc.integer({ min: -1_000_000, max: 1_000_000_000 })), { minLength: 1, maxLength: 3 })
    .map((lives) => lives.flatMap(([life, monotonic]) => [...life, { do: 'restart' as const, monotonic }]));

const exactly = (steps: fc.Arbitrary<readonly Step[]>) =>
  fc.asyncProperty(fc.constantFrom(...exactRules), steps, async (first, walked) => {
    const model = await createModel();
    const log = new AdmissionLog();
    await walk(model, first, walked, async (rule, peek) => {
      const expected = peek ? log.peek(model.now(), rule) : log.take(model.now(), rule);
      const quota = await (peek ? model.limiter().peek('ada', rule) : model.limiter().take('ada', rule));
      // Several rules together may let more than 1,000 into a window: then the oldest of the last 1,000 is named.
      const beyondTheRing = log.counted(model.now(), rule).length > 1000;
      if (beyondTheRing) expect(quota.resetSeconds).toBeGreaterThanOrEqual(expected.resetSeconds);
      expect(beyondTheRing ? { ...quota, resetSeconds: expected.resetSeconds } : quota).toEqual(expected);
    });
  });

const neverOver = (steps: fc.Arbitrary<readonly Step[]>) =>
  fc.asyncProperty(fc.constantFrom(...exactRules, ...largeRules), steps, async (first, walked) => {
    const model = await createModel();
    const log = new AdmissionLog();
    await walk(model, first, walked, async (rule, peek) => {
      if (peek) {
        const { remaining } = await model.limiter().peek('ada', rule);
        expect(remaining).toBeLessThanOrEqual(Math.max(0, rule.allowed - log.counted(model.now(), rule).length));
        return;
      }
      const { admitted } = await model.limiter().take('ada', rule);
      if (admitted) log.write(model.now());
      const counted = log.counted(model.now(), rule).length;
      if (admitted && counted > rule.allowed) expect.fail(`${counted} in a window of ${rule.allowed}`);
    });
    model.pass(longest.windowSeconds * 1000);
    for (const rule of [...exactRules, ...largeRules]) {
      expect((await model.limiter().peek('ada', rule)).remaining).toBe(rule.allowed);
    }
  });

test('up to 1,000 every answer is that of the definition, however the rules change', async () => {
  await fc.assert(exactly(stepsOf(exactRules, 1100)), { numRuns: 60 });
});

test('up to 1,000 every answer is that of the definition across restarts', async () => {
  await fc.assert(exactly(withRestarts(stepsOf(exactRules, 200))), { numRuns: 40 });
});

test('no window ever holds more than the rule of the moment allows, and a quiet one frees it all', async () => {
  await fc.assert(neverOver(stepsOf([...exactRules, ...largeRules], 2600)), { numRuns: 60 });
});

test('no window ever holds more than the rule of the moment allows across restarts', async () => {
  await fc.assert(neverOver(withRestarts(stepsOf([...exactRules, ...largeRules], 1500))), { numRuns: 40 });
});
