import { expect, onTestFinished, test, vi } from 'vitest';
import { FailureWindow } from './failure-window.ts';

test('the last allowed failure opens the circuit, and the count restarts', () => {
  const breaker = new FailureWindow({ failuresMax: 3, withinMs: 60_000, consecutive: false });
  const failures = Array.from({ length: 6 }, () => breaker.failure());
  expect(failures).toEqual([false, false, true, false, false, true]);
});

test('a success in between resets the count only if failures must be consecutive', () => {
  for (const consecutive of [true, false]) {
    const breaker = new FailureWindow({ failuresMax: 2, withinMs: 60_000, consecutive });
    expect(breaker.failure()).toBe(false);
    breaker.success();
    expect(breaker.failure()).toBe(!consecutive);
  }
});

test('a failure older than the window does not count', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const breaker = new FailureWindow({ failuresMax: 2, withinMs: 10_000, consecutive: false });
  expect(breaker.failure()).toBe(false);
  vi.advanceTimersByTime(10_001);
  expect(breaker.failure()).toBe(false);
});
