import { expect, test } from 'vitest';
import { type AdmissionHistory, ticksPerSecond } from './admission-history.ts';
import { ExactHistory } from './exact-history.ts';
import { SubWindowHistory } from './sub-window-history.ts';

const kilobytes = 1024;

/** Admits steadily, and then at growing gaps, which fills every part of a history. */
const fill = (history: AdmissionHistory): AdmissionHistory => {
  let now = 0;
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000));
  for (let gap = 10_000; gap < 3_000_000 * ticksPerSecond; gap *= 1.5) history.admit((now += Math.round(gap)));
  for (let i = 0; i < 20_000; i++) history.admit((now += 10_000));
  return history;
};

test('a subject takes at most 8 KB, whatever its history and rule', () => {
  const exact = fill(new ExactHistory());
  const counted = fill(new SubWindowHistory(60));
  const now = exact.lastAdmittedAt;
  const histories = [
    exact,
    counted,
    ExactHistory.from(counted.admissions(), now),
    SubWindowHistory.from(exact.admissions(), 60, now),
    SubWindowHistory.from(counted.admissions(), 2_678_400, now),
  ];
  for (const { byteLength } of histories) expect(byteLength).toBeLessThanOrEqual(8 * kilobytes);
  expect(exact.byteLength).toBe(8 * kilobytes);
});

test('a subject with a few requests takes little memory', () => {
  const few = new ExactHistory();
  for (let i = 0; i < 10; i++) few.admit(i * ticksPerSecond);
  expect(few.byteLength).toBe(128);
  const counted = new SubWindowHistory(60);
  for (let i = 0; i < 10; i++) counted.admit(i);
  expect(counted.byteLength).toBe(64);
});

test('a conversion loses no admission that a window can still hold', () => {
  const history = new ExactHistory();
  for (let i = 0; i < 5000; i++) history.admit(i * 10_000);
  const now = history.lastAdmittedAt;
  const converted = SubWindowHistory.from(history.admissions(), 60, now);
  expect(converted.judge(now, { allowed: 10_000, windowSeconds: 60 }).counted).toBe(5000);
  const back = ExactHistory.from(converted.admissions(), now);
  const again = SubWindowHistory.from(back.admissions(), 60, now);
  expect(again.judge(now, { allowed: 10_000, windowSeconds: 60 }).counted).toBe(5000);
});

test('admissions older than the longest possible window are dropped in the end', () => {
  const history = new SubWindowHistory(1);
  for (let day = 0; day < 1000; day++) history.admit(day * 86_400 * ticksPerSecond);
  const known = [...history.admissions()].reduce((sum, [, count]) => sum + count, 0);
  // A window of 31 days, and what the oldest of the coarse counts covers beyond it.
  expect(known).toBeGreaterThanOrEqual(31);
  expect(known).toBeLessThan(50);
});

test('older counts are off by no more than a fraction of their age', () => {
  const history = new SubWindowHistory(1);
  const perMinute = 60 * ticksPerSecond;
  for (let minute = 0; minute <= 43_000; minute++) history.admit(minute * perMinute);
  const now = history.lastAdmittedAt;
  for (const minutes of [5, 60, 1440, 10_080]) {
    const rule = { allowed: 100_000, windowSeconds: minutes * 60 };
    const { counted } = SubWindowHistory.from(history.admissions(), rule.windowSeconds, now).judge(now, rule);
    expect(counted).toBeGreaterThanOrEqual(minutes);
    expect(counted).toBeLessThan(5 * minutes);
  }
});
