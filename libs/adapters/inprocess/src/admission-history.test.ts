import type { LimitRule } from '@portico/domain';
import { expect, test } from 'vitest';
import { AdmissionHistory, ticksPerSecond } from './admission-history.ts';

const kilobytes = 1024;
const exactRule: LimitRule = { allowed: 1000, windowSeconds: 1 };
const largeRule: LimitRule = { allowed: 1_000_000, windowSeconds: 60 };
const unlimitedRule = (windowSeconds: number): LimitRule => ({ allowed: 1_000_000_000, windowSeconds });

/** Admits requests at a steady rate and then at growing intervals, which fills every part of a history. */
const fillHistory = (history: AdmissionHistory, rule: LimitRule, from: number): number => {
  let now = from;
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000), rule);
  for (let gap = 10_000; gap < 3_000_000 * ticksPerSecond; gap *= 1.5) history.admit((now += Math.round(gap)), rule);
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000), rule);
  return now;
};

test('a subject uses at most 8 KB, regardless of its history and rule', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (const rule of [exactRule, largeRule, exactRule, unlimitedRule(1), unlimitedRule(2_678_400), exactRule]) {
    now = fillHistory(history, rule, now);
    expect(history.byteLength).toBeLessThanOrEqual(8 * kilobytes);
  }
  expect(history.byteLength).toBe(8 * kilobytes);
});

test('a subject with a few requests uses little memory', () => {
  const exactHistory = new AdmissionHistory();
  for (let i = 0; i < 10; i++) exactHistory.admit(i * ticksPerSecond, exactRule);
  expect(exactHistory.byteLength).toBe(128);
  const largeHistory = new AdmissionHistory();
  for (let i = 0; i < 10; i++) largeHistory.admit(i, largeRule);
  expect(largeHistory.byteLength).toBe(32 + 16);
});

test('changing the rule does not lose admissions that can still be in a window', () => {
  const history = new AdmissionHistory();
  for (let i = 0; i < 5000; i++) history.admit(i * 10_000, exactRule);
  const now = 5000 * 10_000;
  history.admit(now, largeRule);
  expect(history.countWindow(now, largeRule).count).toBe(5001);
  history.admit(now, exactRule);
  history.admit(now, largeRule);
  expect(history.countWindow(now, largeRule).count).toBe(5003);
});

test('admissions older than the longest possible window are eventually dropped', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (let day = 0; day < 1000; day++) history.admit((now = day * 86_400 * ticksPerSecond), unlimitedRule(1));
  const { count } = history.countWindow(now, unlimitedRule(1_000_000_000));
  // The admissions of a 31-day window, plus the earlier ones that the oldest coarse count includes.
  expect(count).toBeGreaterThanOrEqual(31);
  expect(count).toBeLessThan(50);
});

test('older counts are off by no more than a fraction of their age', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (let minute = 0; minute <= 43_000; minute++)
    history.admit((now = minute * 60 * ticksPerSecond), unlimitedRule(1));
  for (const minutes of [5, 60, 1440, 10_080]) {
    const { count } = history.countWindow(now, unlimitedRule(minutes * 60));
    expect(count).toBeGreaterThanOrEqual(minutes);
    expect(count).toBeLessThan(5 * minutes);
  }
});
