import type { LimitRule } from '@portico/domain';
import { expect, test } from 'vitest';
import { AdmissionHistory, ticksPerSecond } from './admission-history.ts';

const kilobytes = 1024;
const exact: LimitRule = { allowed: 1000, windowSeconds: 1 };
const large: LimitRule = { allowed: 1_000_000, windowSeconds: 60 };
const allOf = (windowSeconds: number): LimitRule => ({ allowed: 1_000_000_000, windowSeconds });

/** Admits requests at a steady rate and then at growing intervals, which fills every part of a history. */
const fill = (history: AdmissionHistory, rule: LimitRule, from: number): number => {
  let now = from;
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000), rule);
  for (let gap = 10_000; gap < 3_000_000 * ticksPerSecond; gap *= 1.5) history.admit((now += Math.round(gap)), rule);
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000), rule);
  return now;
};

test('a subject takes at most 8 KB, regardless of its history and rule', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (const rule of [exact, large, exact, allOf(1), allOf(2_678_400), exact]) {
    now = fill(history, rule, now);
    expect(history.byteLength).toBeLessThanOrEqual(8 * kilobytes);
  }
  expect(history.byteLength).toBe(8 * kilobytes);
});

test('a subject with a few requests takes little memory', () => {
  const few = new AdmissionHistory();
  for (let i = 0; i < 10; i++) few.admit(i * ticksPerSecond, exact);
  expect(few.byteLength).toBe(128);
  const counted = new AdmissionHistory();
  for (let i = 0; i < 10; i++) counted.admit(i, large);
  expect(counted.byteLength).toBe(32 + 16);
});

test('a change of the rule loses no admission that can still be in a window', () => {
  const history = new AdmissionHistory();
  for (let i = 0; i < 5000; i++) history.admit(i * 10_000, exact);
  const now = 5000 * 10_000;
  history.admit(now, large);
  expect(history.countWindow(now, large).counted).toBe(5001);
  history.admit(now, exact);
  history.admit(now, large);
  expect(history.countWindow(now, large).counted).toBe(5003);
});

test('admissions older than the longest possible window are eventually dropped', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (let day = 0; day < 1000; day++) history.admit((now = day * 86_400 * ticksPerSecond), allOf(1));
  const { counted } = history.countWindow(now, allOf(1_000_000_000));
  // The admissions of a 31-day window, plus the earlier ones that the oldest coarse count includes.
  expect(counted).toBeGreaterThanOrEqual(31);
  expect(counted).toBeLessThan(50);
});

test('older counts are off by no more than a fraction of their age', () => {
  const history = new AdmissionHistory();
  let now = 0;
  for (let minute = 0; minute <= 43_000; minute++) history.admit((now = minute * 60 * ticksPerSecond), allOf(1));
  for (const minutes of [5, 60, 1440, 10_080]) {
    const { counted } = history.countWindow(now, allOf(minutes * 60));
    expect(counted).toBeGreaterThanOrEqual(minutes);
    expect(counted).toBeLessThan(5 * minutes);
  }
});
