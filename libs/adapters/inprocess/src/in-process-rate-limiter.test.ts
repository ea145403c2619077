import { ManualClock } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { expect, test } from 'vitest';
import { createInProcessRateLimiter, type InProcessRateLimiter } from './in-process-rate-limiter.ts';

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });

const createSubject = async () => {
  const clock = new ManualClock();
  return { clock, limiter: await createInProcessRateLimiter({ clock }) };
};

const countAdmitted = async (limiter: InProcessRateLimiter, rule: LimitRule, times: number, name = 'ada') => {
  let admittedCount = 0;
  for (let i = 0; i < times; i++) if ((await limiter.consume(name, rule)).isAdmitted) admittedCount++;
  return admittedCount;
};

test('setting the clock of the machine neither frees nor blocks a subject', async () => {
  const { clock, limiter } = await createSubject();
  for (const rule of [ruleOf(5, 60), ruleOf(1500, 60)]) {
    const name = `limit ${rule.allowed}`;
    expect(await countAdmitted(limiter, rule, rule.allowed + 1, name)).toBe(rule.allowed);
    clock.jump(3_600_000);
    expect((await limiter.consume(name, rule)).isAdmitted).toBe(false);
    clock.jump(-7_200_000);
    clock.advance(60_000);
    expect((await limiter.consume(name, rule)).isAdmitted).toBe(true);
  }
});

test('peeking at many subjects returns the counts of this process and stores no subject', async () => {
  const { limiter } = await createSubject();
  await limiter.consume('ada', ruleOf(5, 60));
  const queries = Array.from({ length: 3_000 }, (_, index) => ({ subject: `subject ${index}`, rule: ruleOf(5, 60) }));
  const { results, scope } = await limiter.peekMany(queries);
  expect([results.length, scope, limiter.subjectCount]).toEqual([3_000, 'process', 1]);
});

test('a request leaves the window at the exact microsecond, even with an uneven clock', async () => {
  const { clock, limiter } = await createSubject();
  const rule = ruleOf(1, 3);
  for (let i = 0; i < 500; i++) {
    expect((await limiter.consume('ada', rule)).isAdmitted).toBe(true);
    clock.advance(2999.998);
    expect((await limiter.consume('ada', rule)).isAdmitted).toBe(false);
    clock.advance(0.002);
  }
});

test('above 1,000 a steady load just over the limit uses over 98 % of the limit', async () => {
  const { clock, limiter } = await createSubject();
  const rule = ruleOf(2000, 10);
  let admittedCount = 0;
  for (let request = 0; request < 80_000; request++) {
    if (request === 20_000) admittedCount = 0;
    admittedCount += await countAdmitted(limiter, rule, 1);
    clock.advance(4.9);
  }
  const windows = (60_000 * 4.9) / 10_000;
  expect(admittedCount).toBeGreaterThan(0.98 * windows * rule.allowed);
});

test('a peek by a rule of a different kind uses the whole history', async () => {
  const { clock, limiter } = await createSubject();
  for (let second = 0; second < 3; second++) {
    await countAdmitted(limiter, ruleOf(1000, 1), 1000);
    clock.advance(1000);
  }
  expect((await limiter.peek('ada', ruleOf(5000, 60))).remaining).toBe(2000);
  await countAdmitted(limiter, ruleOf(5000, 60), 1);
  clock.advance(7000);
  expect((await limiter.peek('ada', ruleOf(5000, 5))).remaining).toBe(5000);
  expect((await limiter.peek('ada', ruleOf(10, 60))).remaining).toBe(0);
});

test('a peek by a different rule keeps the history exact', async () => {
  const { clock, limiter } = await createSubject();
  const rule = ruleOf(3, 600);
  for (let i = 0; i < 3; i++) {
    await limiter.consume('ada', rule);
    clock.advance(1);
  }
  await limiter.peek('ada', ruleOf(5000, 600));
  clock.advance(599_997);
  expect(await countAdmitted(limiter, rule, 3)).toBe(1);
  clock.advance(1);
  expect(await countAdmitted(limiter, rule, 3)).toBe(1);
});

test('a peek at an unknown subject stores nothing', async () => {
  const { limiter } = await createSubject();
  await limiter.peek('ada', ruleOf(5, 60));
  expect(limiter.subjectCount).toBe(0);
});

test('a subject with a single request is eventually removed', async () => {
  const { clock, limiter } = await createSubject();
  for (let i = 0; i < 100_000; i++) {
    await limiter.consume(`address ${i}`, ruleOf(5, 10));
    clock.advance(1);
  }
  // A window contains 10,000 of the requests, and a subject without requests in it is found within one round of
  // examinations.
  expect(limiter.subjectCount).toBeLessThan(40_000);
});

test('a subject is stored while a window that was applied to it contains one of its requests', async () => {
  const { clock, limiter } = await createSubject();
  await limiter.consume('ada', ruleOf(1, 600));
  await limiter.consume('ada', ruleOf(1, 1));
  clock.advance(599_999);
  await countAdmitted(limiter, ruleOf(1000, 1), 100, 'bob');
  expect((await limiter.consume('ada', ruleOf(1, 600))).isAdmitted).toBe(false);
  expect(limiter.subjectCount).toBe(2);
  clock.advance(1);
  await countAdmitted(limiter, ruleOf(1000, 1), 100, 'bob');
  expect(limiter.subjectCount).toBe(1);
});
